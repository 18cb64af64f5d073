#include "sotto/bench/lab/lab_commands.h"

#include <memory>
#include <utility>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/p2b/roles/messages.h"
#include "sotto/bench/lab/command/bench_output.h"
#include "sotto/bench/lab/measure/p2b_speed.h"

namespace sotto::apps {
namespace {

struct BenchP2bArguments {
  P2bTrial trial;
  BenchOutput output;
};

void run_bench_p2b(const BenchP2bArguments& arguments) {
  catch_interrupts();
  check_output(arguments.output);
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

}  // namespace

void add_bench_p2b(Command& bench) {
  Command* command = bench.add_subcommand("p2b", "Time the reports that P2B's shuffler takes and keeps");
  const auto arguments = std::make_shared<BenchP2bArguments>();
  P2bTrial& trial = arguments->trial;
  command->add_option("--reports", trial.reports, "Reports of all agents")
      ->number(whole(1, 1'000'000'000))
      ->shows_default();
  command->add_option("--agents", trial.agents, "Processes that report")->number(whole(1, 64))->shows_default();
  command->add_option("--period", trial.period, "Seconds from batch to batch")
      ->number(whole(1, 3600))
      ->type_name("SECONDS")
      ->shows_default();
  command->add_option("--reports-a-message", trial.reports_a_message, "Reports that travel together")
      ->number(whole(1, most_reports_a_message))
      ->shows_default();
  add_output_options(*command, arguments->output);
  command->footer(
      "Examples:\n"
      "  sotto-lab bench p2b\n"
      "  sotto-lab bench p2b --reports 200000 --agents 4 --json");
  command->callback([arguments] { run_bench_p2b(*arguments); });
}

}  // namespace sotto::apps
