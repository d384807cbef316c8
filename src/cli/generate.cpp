// weft tpch generate, weft tpcds generate
#include "workload/generate.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"

namespace weft::cli {

namespace {

void add_generate(CLI::App& app, const workload::Suite& suite, Action& chosen) {
  CLI::App* command = app.add_subcommand(suite.name, "Make the data of the " + suite.title + " benchmark");
  command->fallthrough()->require_subcommand(1);
  const std::string tables = std::to_string(suite.tables.size());
  CLI::App* generate = command->add_subcommand("generate", "Write the " + tables + " tables as Parquet")->fallthrough();
  auto options = std::make_shared<workload::GenerateOptions>();
  options->row_group = suite.row_group_default;
  generate->add_option("--sf", options->sf, "Scale factor: about so many GB of text")
      ->check([](const std::string& text) {
        double sf = 0;
        const bool good = CLI::detail::lexical_cast(text, sf) && std::isfinite(sf) && sf > 0;
        return good ? std::string() : "it is a number above 0, not '" + text + "'";
      })
      ->required();
  generate->add_option("--out", options->out, "Folder for the tables")->required();
  generate->add_option("--parts", options->parts, "Files per large table; 0: by the scale");
  std::string row_group_flag = "--" + suite.row_group_setting;
  std::replace(row_group_flag.begin(), row_group_flag.end(), '_', '-');
  generate->add_option(row_group_flag, options->row_group, suite.row_group_help)->capture_default_str();
  generate->add_flag("--overwrite", options->overwrite, "Replace what the folder holds");
  generate->callback([options, &suite, &chosen] {
    chosen = [options, &suite] {
      workload::generate(suite, *options, std::cout);
      return kExitOk;
    };
  });
}

}  // namespace

void add_generate_commands(CLI::App& app, Action& chosen) {
  for (const workload::Suite* suite : workload::suites()) add_generate(app, *suite, chosen);
}

}  // namespace weft::cli
