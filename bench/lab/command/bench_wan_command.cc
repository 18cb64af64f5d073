#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/measure/wan.h"
#include "core/text/count.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
namespace {

struct WanBench {
  std::vector<std::string> delays{"0ms", "1ms", "5ms", "20ms"};
  std::string jitter = "0ms";
  std::string rate = "100mbit";
  std::vector<std::size_t> parties{2, 3, 5};
  std::vector<std::size_t> arms{10, 40, 100};
  std::vector<std::size_t> batches{1};
  std::size_t features = 20;
  std::size_t repeat = 3;
  double seconds = 1;
  LabOutput output;
};

std::vector<WanSetting> settings(const WanBench& arguments) {
  net::LinkConditions link;
  link.jitter = net::parse_delay(arguments.jitter, "--jitter");
  if (arguments.rate != "none") link.bits_per_second = net::parse_rate(arguments.rate, "--rate");
  std::vector<WanSetting> all;
  for (const std::string& delay : arguments.delays) {
    link.delay = net::parse_delay(delay, "--delays");
    for (const std::size_t parties : arguments.parties) {
      (void)even_columns(parties, arguments.features);  // refuses before anything runs
      for (const std::size_t arms : arguments.arms) {
        for (const std::size_t batch : arguments.batches) {
          all.push_back(WanSetting{parties, arguments.features, arms, link, batch});
        }
      }
    }
  }
  return all;
}

void measure_over_wan(const WanBench& arguments) {
  catch_interrupts();
  const std::vector<WanSetting> all = settings(arguments);
  check_out_folder(arguments.output.out, {"wan.md", "wan.html"}, arguments.output.overwrite);
  if (!arguments.output.out.empty()) make_run_directory(arguments.output.out);
  Page page{"wan",
            "The private bandit over a wide area",
            fmt::format("Every role a process on one machine, TLS on emulated links (rate {}, jitter {}), {}, "
                        "correlations dealt ahead. Time a step as measured, in the middle one of {}, and as a model "
                        "has it that knows rounds, frames and the roles' own times.",
                        arguments.rate, arguments.jitter, counted(arguments.features, "feature"),
                        counted(arguments.repeat, "run")),
            take_provenance(),
            {}};
  std::vector<WanPoint> points;
  for (const WanSetting& setting : all) {
    show_progress(fmt::format("{} of {}: {}, {}, {}, batches of {}", points.size() + 1, all.size(),
                              net::describe(setting.link), counted(setting.parties, "party"),
                              counted(setting.arms, "arm"), setting.batch));
    points.push_back(measure_wan(setting, arguments.repeat, arguments.seconds, interrupted()));
  }
  page.tables.push_back(wan_table(points));
  if (!arguments.output.out.empty()) write_wan(arguments.output.out, page, wan_charts(points));
  show(page, {arguments.output.json, {}, false});
}

}  // namespace

void add_bench_wan(Command& bench) {
  Command* command = bench.add_subcommand("wan", "Run the bandit on emulated links, beside a model of its time");
  const auto arguments = std::make_shared<WanBench>();
  command->add_option("--delays", arguments->delays, "One-way delays of a link")
      ->separated_by(',')
      ->type_name("TIME")
      ->shows_default();
  command->add_option("--jitter", arguments->jitter, "Further delay, uniform from 0 to this")
      ->type_name("TIME")
      ->shows_default();
  command->add_option("--rate", arguments->rate, "Rate of each direction of a link, or none")
      ->type_name("RATE")
      ->shows_default();
  add_parties(*command, arguments->parties)->shows_default();
  command->add_option("--arms", arguments->arms, "Arms; several in turn", whole(2, max_arms))->separated_by(',');
  command
      ->add_option("--batch", arguments->batches, "Events that are decided, and learned, at once; several in turn",
                   whole(1, largest_event_batch(1)))
      ->separated_by(',')
      ->shows_default();
  add_features(*command, arguments->features);
  command->add_option("--seconds", arguments->seconds,
                      "About how long each run lasts, 10 to 300 steps or 4 to 100 batches", real(0.01, 600.0));
  command->add_option("--repeat", arguments->repeat, "Runs of each setting; the middle one counts", whole(1, 1000));
  add_output_options(*command, arguments->output, "Folder for wan.md, wan.html and their plots, wan-*.svg", "DIR");
  command->footer(
      "Examples:\n"
      "  sotto-lab bench wan --out bench/results\n"
      "  sotto-lab bench wan --delays 20ms --parties 2 --arms 10 --batch 1,64,256\n"
      "  sotto-lab bench wan --delays 20ms --parties 2 --arms 10,40 --rate 1gbit --jitter 2ms --json");
  command->callback([arguments] { measure_over_wan(*arguments); });
}

}  // namespace sotto::apps::lab
