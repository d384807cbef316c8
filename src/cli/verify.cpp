// weft verify FILE.sql...
#include "workload/verify.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"

namespace weft::cli {

void add_verify_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* verify = app.add_subcommand("verify", "Run case files through DuckDB and Weft and compare")->fallthrough();
  auto options = std::make_shared<workload::VerifyOptions>();
  verify->add_option("FILE", options->files, "Case files (docs/testing.md)")->required()->check(CLI::ExistingFile);
  verify
      ->add_option("--expect", options->expect_dir,
                   "Folder of expected placements: a query that moved to the CPU fails")
      ->check(CLI::ExistingDirectory);
  verify->add_flag("--update", options->update, "Write the expected placements anew")->needs("--expect");
  verify->add_option("--case", options->only_case, "Only the case of this name");
  verify->add_flag("--verbose,-v", options->verbose, "A line per query");
  verify->callback([options, &common, &chosen] {
    chosen = [options, &common] {
      options->backend = common.backend;
      options->settings = common.settings;
      return workload::verify(*options, std::cout).ok() ? kExitOk : kExitFailed;
    };
  });
}

}  // namespace weft::cli
