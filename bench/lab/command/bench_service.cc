#include "bench/lab/lab_commands.h"

#include "apps/kit/program/option_values.h"
#include "apps/p2b/roles/messages.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/measure/service_speed.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

struct ServiceBench {
  std::size_t clients = 1000;
  double seconds = 1;
};

Page measure_service(const ServiceBench& arguments) {
  show_progress("messages to a service");
  return {"service",
          "Messages to a service",
          "A service and its clients on loopback, as the shuffler of P2B and the aggregator of ROBIN are, with a "
          "handler that does nothing.",
          {},
          {service_table(arguments.clients, arguments.seconds, interrupted())}};
}

void declare_service(Command& command, ServiceBench& arguments) {
  command.add_option("--clients", arguments.clients, "Connections where there are many", whole(1, 4000));
  command.add_option("--seconds", arguments.seconds, "How long each figure is measured", real(0.001, 600.0));
}

Page measure_p2b(const P2bTrial& trial) {
  show_progress("reports to a shuffler");
  P2bTables tables = p2b_tables(trial, 1, interrupted());
  return {"p2b",
          "Reports to P2B's shuffler",
          "A shuffler with its durable queue and agents that report as fast as they can, each a process, on "
          "loopback; beside it a service that takes the same messages and forgets them, and the queue alone.",
          {},
          {std::move(tables.speeds), std::move(tables.targets)}};
}

void declare_p2b(Command& command, P2bTrial& trial) {
  command.add_option("--reports", trial.reports, "Reports of all agents", whole(1, 1'000'000'000));
  command.add_option("--agents", trial.agents, "Processes that report", whole(1, 64));
  command.add_option("--period", trial.period, "Seconds from batch to batch", whole(1, 3600))->type_name("SECONDS");
  command.add_option("--reports-a-message", trial.reports_a_message, "Reports that travel together",
                     whole(1, most_reports_a_message));
}

}  // namespace

void add_bench_service(Command& bench) {
  add_measurement<ServiceBench>(bench, "service", "Time the messages that a service takes of one client and of many",
                                "Examples:\n"
                                "  sotto-lab bench service\n"
                                "  sotto-lab bench service --clients 100 --json",
                                declare_service, measure_service);
}

void add_bench_p2b(Command& bench) {
  add_measurement<P2bTrial>(bench, "p2b", "Time the reports that P2B's shuffler takes and keeps",
                            "Examples:\n"
                            "  sotto-lab bench p2b\n"
                            "  sotto-lab bench p2b --reports 200000 --agents 4 --json",
                            declare_p2b, measure_p2b);
}

}  // namespace sotto::apps::lab
