// weft tpch generate, weft tpcds generate
#include "workload/tpch.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "workload/tpcds.hpp"

namespace weft::cli {

namespace {

void add_scale(CLI::App& generate, double& scale, const std::string& description) {
  generate.add_option("--sf", scale, description)
      ->check([](const std::string& text) {
        double sf = 0;
        const bool good = CLI::detail::lexical_cast(text, sf) && std::isfinite(sf) && sf > 0;
        return good ? std::string() : "it is a number above 0, not '" + text + "'";
      })
      ->required();
}

}  // namespace

void add_tpch_command(CLI::App& app, Action& chosen) {
  CLI::App* tpch = app.add_subcommand("tpch", "Make the data of the TPC-H benchmark")->fallthrough();
  tpch->require_subcommand(1);
  CLI::App* generate = tpch->add_subcommand("generate", "Write the 8 tables as Parquet")->fallthrough();
  auto options = std::make_shared<workload::TpchGenerate>();
  add_scale(*generate, options->sf, "Scale factor: about so many GB of text");
  generate->add_option("--out", options->out, "Folder for the tables")->required();
  generate->add_option("--parts", options->parts, "Files per large table; 0: by the scale");
  generate->add_option("--row-group-bytes", options->row_group_bytes, "Size of a row group, such as 128MB")
      ->capture_default_str();
  generate->add_flag("--overwrite", options->overwrite, "Replace what the folder holds");
  generate->callback([options, &chosen] {
    chosen = [options] {
      workload::generate_tpch(*options, std::cout);
      return kExitOk;
    };
  });
}

void add_tpcds_command(CLI::App& app, Action& chosen) {
  CLI::App* tpcds = app.add_subcommand("tpcds", "Make the data of the TPC-DS benchmark")->fallthrough();
  tpcds->require_subcommand(1);
  CLI::App* generate = tpcds->add_subcommand("generate", "Write the 24 tables as Parquet")->fallthrough();
  auto options = std::make_shared<workload::TpcdsGenerate>();
  add_scale(*generate, options->sf, "Scale factor: about so many GB of text; made in memory");
  generate->add_option("--out", options->out, "Folder for the tables")->required();
  generate->add_flag("--overwrite", options->overwrite, "Replace what the folder holds");
  generate->callback([options, &chosen] {
    chosen = [options] {
      workload::generate_tpcds(*options, std::cout);
      return kExitOk;
    };
  });
}

}  // namespace weft::cli
