// weft parity tpch|tpcds
#include "workload/parity.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"

namespace weft::cli {

namespace {

void add_suite(CLI::App& parity, const std::string& suite, const std::string& description, const CommonOptions& common,
               Action& chosen) {
  CLI::App* run = parity.add_subcommand(suite, description)->fallthrough();
  auto options = std::make_shared<workload::ParityOptions>();
  options->suite = suite;
  run->add_option("--data", options->data, "Folder that 'weft " + suite + " generate' wrote")->required();
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
  add_suite(*parity, "tpch", "The 22 queries of TPC-H", common, chosen);
  add_suite(*parity, "tpcds", "The 99 queries of TPC-DS", common, chosen);
}

}  // namespace weft::cli
