#include <fmt/format.h>

#include "apps/kit/program/option_values.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/lab_commands.h"
#include "bench/lab/soak/soak.h"
#include "core/text/count.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::lab {
namespace {

FigureTable soaked_events(const SoakFigures& figures) {
  FigureTable table("events", "Events",
                    "decided; baselines: told the baseline; missing_rows: default rows; learned; not_activated: not "
                    "activated; rewards: rewards learned; late_rewards: late rewards; repeated: shown twice");
  table.add({figures.decided, figures.baselines, figures.missing_rows, figures.learned, figures.not_activated,
             figures.rewards, figures.late_rewards, figures.repeated});
  table.note("Shown twice: the actor had seen the arm when the number was rolled back; nobody else was told.");
  return table;
}

FigureTable soaked_roles(const SoakFigures& figures) {
  FigureTable table("service", "The service",
                    "kills; pairs: of two at once; epochs; numbers; seconds: time, s; decisions_per_second: decisions "
                    "a second; longest_silence_s: longest time without a decision, s");
  const double decisions = static_cast<double>(figures.decided + figures.baselines);
  table.add({figures.kills, figures.pairs, figures.epochs, figures.numbers, figures.seconds,
             figures.seconds > 0 ? decisions / figures.seconds : 0, figures.longest_silence});
  return table;
}

FigureTable soaked_calls(const SoakFigures& figures) {
  FigureTable table("calls", "Calls",
                    "answered; again: repeated until answered; silent: not answered in a minute; checked: right at the "
                    "end; wrong; model_is_right: the model is that of what was learned");
  table.add(
      {figures.calls, figures.calls_again, figures.silent, figures.checked, figures.wrong, figures.model_is_right});
  for (const std::string& fault : figures.faults) table.note("Wrong: " + fault);
  return table;
}

struct SoakArguments {
  SoakSettings settings;
  LabOutput output;
};

void soak(const SoakArguments& arguments) {
  catch_interrupts();
  check_out_file(arguments.output.out, arguments.output.overwrite);
  const SoakSettings& settings = arguments.settings;
  Page page{"soak",
            "A decision service whose roles are killed",
            fmt::format("A decision service of {} with three columns each, and {}; each role a process on this "
                        "machine, and a client that speaks HTTP: {}, {} by SIGKILL.",
                        counted(settings.parties, "party"), counted(settings.arms, "arm"),
                        counted(settings.decisions, "decision"), counted(settings.kills, "kill")),
            take_provenance(),
            {}};
  const SoakFigures figures = run_soak(settings, interrupted(), show_progress);
  page.tables = {soaked_events(figures), soaked_roles(figures), soaked_calls(figures)};
  if (figures.passed()) return show(page, arguments.output);
  std::string verdict = "the model is not that of what was told and rewarded";
  if (figures.wrong > 0) verdict = counted(figures.wrong, "wrong answer");
  if (!arguments.output.json) show(page, arguments.output);
  throw FailedRun(figures_off, verdict, to_json(page));
}

}  // namespace

void add_soak_command(Command& app) {
  Command* command = app.add_subcommand("soak", "Run a decision service whose roles are killed at random");
  const auto arguments = std::make_shared<SoakArguments>();
  SoakSettings& settings = arguments->settings;
  command->add_option("--decisions", settings.decisions, "Events that are asked", whole(1, 100'000'000));
  command->add_option("--kills", settings.kills, "Roles that are killed by SIGKILL, some of them two at once",
                      whole(0, 1'000'000));
  command->add_option("--seed", settings.seed, "Of what happens to events, and of who is killed when", whole());
  command->add_option("--parties", settings.parties, "Compute parties, 2 to 8", whole(2, max_parties));
  command->add_option("--arms", settings.arms, "Arms", whole(2, 64));
  command->add_option("--at-once", settings.on_their_way, "Events that are asked at once, and not told",
                      whole(1, 8192));
  command
      ->add_option("--roles", settings.roles,
                   "Roles that are killed: party_0, party_1, ..., actor, rewarder, dealer; all unless given")
      ->separated_by(',');
  add_output_options(*command, arguments->output);
  command->footer(
      "All roles run on this machine, in a folder for temporary files that is removed at the end.\n"
      "Ctrl-C begins no more events, and checks those that there are; a second one ends at once.\n"
      "Examples:\n"
      "  sotto-lab soak\n"
      "  sotto-lab soak --decisions 1000000 --kills 500 --out soak.md\n"
      "  sotto-lab soak --roles actor,dealer --json");
  command->callback([arguments] { soak(*arguments); });
}

}  // namespace sotto::apps::lab
