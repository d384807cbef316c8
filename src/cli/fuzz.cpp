// weft fuzz
#include "fuzz/fuzz.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/whole_number.hpp"

namespace weft::cli {

void add_fuzz_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("fuzz", "Compare random queries over random tables with DuckDB; reduce what differs")
          ->fallthrough();
  auto options = std::make_shared<fuzz::FuzzOptions>();
  command->add_option("--seed", options->seed, "The same seed makes the same tables and queries")
      ->default_str("1")
      ->check(whole_number_from(0));
  command->add_option("--queries", options->queries, "How many")->default_str("1000")->check(whole_number_from(1));
  command->add_option("--first", options->first, "Number of the first query, to run one again")
      ->check(whole_number_from(0));
  command->add_option("--seconds", options->seconds, "Stop after so long")->check(CLI::NonNegativeNumber);
  command->add_option("--out", options->out, "Folder for the case files of mismatches")->default_str(".");
  command->add_option("--most-mismatches", options->most_mismatches, "Stop after so many")
      ->default_str("20")
      ->check(whole_number_from(1));
  command->add_option("--statement-limit-s", options->limit_s, "Interrupt a statement that takes longer")
      ->default_str("30");
  command->add_option("--reduce-s", options->reduce_s, "Time to reduce a mismatch in")->default_str("60");
  command->add_flag("!--no-reduce", options->reduce, "Write mismatches as they are");
  command->add_flag("--write-all", options->write_all, "Write a case file of every query, not of mismatches alone");
  command->add_flag("--verbose,-v", options->verbose, "Print every query before it runs");
  command->callback([options, &common, &chosen] {
    chosen = [options, &common] {
      options->backend = common.backend;
      options->settings = common.settings;
      return fuzz::run_fuzz(*options, std::cout).ok() ? kExitOk : kExitFailed;
    };
  });
}

}  // namespace weft::cli
