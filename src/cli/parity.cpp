// weft parity tpch
#include "workload/parity.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"

namespace weft::cli {

void add_parity_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* parity =
      app.add_subcommand("parity", "Compare every value of a suite's answers with DuckDB's")->fallthrough();
  parity->require_subcommand(1);
  CLI::App* tpch = parity->add_subcommand("tpch", "The 22 queries of TPC-H")->fallthrough();
  auto options = std::make_shared<workload::ParityOptions>();
  tpch->add_option("--data", options->data, "Folder that 'weft tpch generate' wrote")->required();
  tpch->add_option("--queries", options->queries, "Such as 1,6,14-16; all if left out");
  tpch->add_option("--answers", options->answers_dir, "Folder of DuckDB's published answers");
  tpch->add_option("--out", options->out, "FILE.json for the result");
  tpch->callback([options, &common, &chosen] {
    chosen = [options, &common] {
      options->backend = common.backend;
      options->settings = common.settings;
      return workload::parity(*options, std::cout).ok() ? kExitOk : kExitFailed;
    };
  });
}

}  // namespace weft::cli
