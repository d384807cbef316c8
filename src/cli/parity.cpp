// weft parity tpch, weft parity tpcds
#include "workload/parity.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "workload/suite.hpp"

namespace weft::cli {

namespace {

void add_suite(CLI::App& parity, const workload::Suite& suite, const CommonOptions& common, Action& chosen) {
  const std::string queries = std::to_string(suite.queries);
  CLI::App* run = parity.add_subcommand(suite.name, "The " + queries + " queries of " + suite.title)->fallthrough();
  auto options = std::make_shared<workload::ParityOptions>();
  options->suite = suite.name;
  run->add_option("--data", options->data, "Folder that 'weft " + suite.name + " generate' wrote")->required();
  run->add_option("--queries", options->queries, "Such as 1,6,14-16; all if left out");
  run->add_option("--answers", options->answers_dir, "Folder of DuckDB's published answers");
  run->add_option("--out", options->out, "FILE.json for the result");
  run->callback([options, &common, &chosen] {
    chosen = [options, &common] {
      options->backend = common.backend;
      options->settings = common.settings;
      return workload::parity(*options, std::cout).ok() ? kExitOk : kExitFailed;
    };
  });
}

}  // namespace

void add_parity_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* parity =
      app.add_subcommand("parity", "Compare every value of a suite's answers with DuckDB's")->fallthrough();
  parity->require_subcommand(1);
  for (const workload::Suite* suite : workload::suites()) add_suite(*parity, *suite, common, chosen);
}

}  // namespace weft::cli
