#include "sotto/bench/lab/lab_commands.h"

#include <utility>

#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/p2b/roles/messages.h"
#include "sotto/bench/lab/command/lab_output.h"
#include "sotto/bench/lab/measure/p2b_speed.h"

namespace sotto::apps {
namespace {

struct P2bBench {
  P2bTrial trial;
  LabOutput output;
};

void measure_p2b(const P2bBench& arguments) {
  show_progress("reports to a shuffler");
  Page page{"p2b",
            "Reports to P2B's shuffler",
            "A shuffler with its durable queue and agents that report as fast as they can, each a process, on "
            "loopback; beside it a service that takes the same messages and forgets them, and the queue alone.",
            take_provenance(),
            {}};
  P2bTables tables = p2b_tables(arguments.trial, 1, interrupted());
  page.tables.push_back(std::move(tables.speeds));
  page.tables.push_back(std::move(tables.targets));
  show(page, arguments.output);
}

void declare_p2b(Command& command, P2bBench& arguments) {
  P2bTrial& trial = arguments.trial;
  command.add_option("--reports", trial.reports, "Reports of all agents")
      ->number(whole(1, 1'000'000'000))
      ->shows_default();
  command.add_option("--agents", trial.agents, "Processes that report")->number(whole(1, 64))->shows_default();
  command.add_option("--period", trial.period, "Seconds from batch to batch")
      ->number(whole(1, 3600))
      ->type_name("SECONDS")
      ->shows_default();
  command.add_option("--reports-a-message", trial.reports_a_message, "Reports that travel together")
      ->number(whole(1, most_reports_a_message))
      ->shows_default();
}

}  // namespace

void add_bench_p2b(Command& bench) {
  add_measurement<P2bBench>(bench, "p2b", "Time the reports that P2B's shuffler takes and keeps",
                            "Examples:\n"
                            "  sotto-lab bench p2b\n"
                            "  sotto-lab bench p2b --reports 200000 --agents 4 --json",
                            declare_p2b, measure_p2b);
}

}  // namespace sotto::apps
