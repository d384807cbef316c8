// weft bench tpch, weft bench tpcds, weft bench host, weft bench compare
#include "workload/bench.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/whole_number.hpp"
#include "workload/host_bench.hpp"

namespace weft::cli {

namespace {

void add_suite(CLI::App& bench, const workload::Suite& suite, const CommonOptions& common, Action& chosen) {
  CLI::App* run =
      bench.add_subcommand(suite.name, "Time the queries of " + suite.title + " one after the other")->fallthrough();
  auto options = std::make_shared<workload::BenchOptions>();
  options->suite = suite.name;
  run->add_option("--data", options->data, "Folder that 'weft " + suite.name + " generate' wrote")->required();
  run->add_option("--sf", options->sf, "The scale that the data must have; 0: whatever it has");
  run->add_option("--engine", options->engine, "gpu: Weft; cpu: DuckDB as its users run it; both")
      ->check(CLI::IsMember({"gpu", "cpu", "both"}))
      ->capture_default_str();
  run->add_option("--queries", options->queries, "Such as 1,6,14-16; all if left out");
  run->add_option("--warmups", options->warmups, "Runs before the measured ones")
      ->capture_default_str()
      ->check(whole_number_from(0));
  run->add_option("--iterations", options->iterations, "Measured runs")
      ->check(whole_number_from(1))
      ->capture_default_str();
  run->add_option("--out", options->out, "FILE.json for the report; a chart FILE.svg is put beside it");
  run->add_option("--answers", options->answers_dir, "Folder of DuckDB's published answers");
  run->add_flag("--cpu-process", options->cpu_process)->group("");
  run->add_option("--results", options->results_dir)->group("");
  run->callback([options, &common, &chosen] {
    chosen = [options, &common] {
      options->backend = common.backend;
      options->settings = common.settings;
      return workload::bench(*options, std::cout).ok() ? kExitOk : kExitFailed;
    };
  });
}

void add_host(CLI::App& bench, Action& chosen) {
  CLI::App* host = bench.add_subcommand("host", "Time what the host does for a GPU, without one")->fallthrough();
  auto options = std::make_shared<workload::HostBenchOptions>();
  host->add_option("--million-rows", options->million_rows, "Rows of the table")->capture_default_str();
  host->add_option("--iterations", options->iterations, "Measured runs")->capture_default_str();
  host->add_option("--out", options->out, "FILE.json for the report");
  host->callback([options, &chosen] {
    chosen = [options] {
      workload::host_bench(*options, std::cout);
      return kExitOk;
    };
  });
}

void add_compare(CLI::App& bench, Action& chosen) {
  CLI::App* compare = bench.add_subcommand("compare", "Compare two reports query by query")->fallthrough();
  auto files = std::make_shared<std::vector<std::string>>();
  compare->add_option("REPORT", *files, "Two reports of 'weft bench'")
      ->required()
      ->expected(2)
      ->check(CLI::ExistingFile);
  compare->callback([files, &chosen] {
    chosen = [files] {
      const workload::Report before = workload::read_report(files->front());
      const workload::Report after = workload::read_report(files->back());
      std::cout << workload::compare_reports(before, after);
      return kExitOk;
    };
  });
}

}  // namespace

void add_bench_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* bench = app.add_subcommand("bench", "Run benchmarks and compare their reports")->fallthrough();
  bench->require_subcommand(1);
  for (const workload::Suite* suite : workload::suites()) add_suite(*bench, *suite, common, chosen);
  add_host(*bench, chosen);
  add_compare(*bench, chosen);
}

}  // namespace weft::cli
