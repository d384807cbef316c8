// weft demo
#include "workload/demo.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"

namespace weft::cli {

void add_demo_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* demo = app.add_subcommand("demo", "Run TPC-H on both engines and show times and parity")->fallthrough();
  auto options = std::make_shared<workload::DemoOptions>();
  demo->add_option("--data", options->data, "Folder that 'weft tpch generate' wrote")->required();
  demo->add_option("--answers", options->answers_dir, "Folder of DuckDB's published answers");
  demo->callback([options, &common, &chosen] {
    chosen = [options, &common] {
      options->backend = common.backend;
      return workload::demo(*options, std::cout) ? kExitOk : kExitFailed;
    };
  });
}

}  // namespace weft::cli
