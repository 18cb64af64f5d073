#include "sotto/bench/lab/lab_commands.h"

#include "sotto/apps/kit/program/number_options.h"
#include "sotto/bench/lab/command/lab_output.h"
#include "sotto/bench/lab/measure/service_speed.h"

namespace sotto::apps {
namespace {

struct ServiceBench {
  std::size_t clients = 1000;
  double seconds = 1;
  LabOutput output;
};

void measure_service(const ServiceBench& arguments) {
  show_progress("messages to a service");
  Page page{"service",
            "Messages to a service",
            "A service and its clients on loopback, as the shuffler of P2B and the aggregator of ROBIN are, with a "
            "handler that does nothing.",
            take_provenance(),
            {}};
  page.tables.push_back(service_table(arguments.clients, arguments.seconds, interrupted()));
  show(page, arguments.output);
}

void declare_service(Command& command, ServiceBench& arguments) {
  command.add_option("--clients", arguments.clients, "Connections where there are many")
      ->shows_default()
      ->number(whole(1, 4000));
  command.add_option("--seconds", arguments.seconds, "How long each figure is measured")
      ->shows_default()
      ->number(real(0.001, 600.0));
}

}  // namespace

void add_bench_service(Command& bench) {
  add_measurement<ServiceBench>(bench, "service", "Time the messages that a service takes of one client and of many",
                                "Examples:\n"
                                "  sotto-lab bench service\n"
                                "  sotto-lab bench service --clients 100 --json",
                                declare_service, measure_service);
}

}  // namespace sotto::apps
