#include "bench/lab/lab_commands.h"

#include <cstdio>
#include <optional>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/option_values.h"
#include "apps/o3m/commands.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/o3m_audit/audit.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

struct AuditArguments {
  O3mFiles files;
  std::optional<std::size_t> arms;
  GeneratedUsers generated;
  AuditOptions options;
  LabOutput output;
};

AuditData audit_data(const AuditArguments& arguments) {
  if (arguments.files.active.empty() != arguments.files.passive.empty()) {
    throw InputError(arguments.files.active.empty() ? "--ap" : "--passive",
                     "missing: give the files of all participants, or none for generated users");
  }
  if (arguments.files.active.empty()) return generate_users(arguments.generated);
  return read_users(arguments.files, arguments.arms, arguments.generated.users);
}

void run_audit(const AuditArguments& arguments) {
  check_out_file(arguments.output.out, arguments.output.overwrite);
  const AuditResult result = run_audit(audit_data(arguments), arguments.options);
  if (!arguments.output.out.empty()) write_file(arguments.output.out, audit_html(result, command_line()));
  const std::string text = arguments.output.json ? json_text(to_json(result), 2) + "\n" : to_text(result);
  std::fputs(text.c_str(), stdout);
}

void add_data_options(Command& command, AuditArguments& arguments) {
  add_o3m_file_options(command, arguments.files);
  command.add_option("--arms", arguments.arms, "Arms, for user features without --arms-file")->number(whole(1, 100000));
  command.add_option("--users", arguments.generated.users, "Contexts to generate, or to take from the files at most",
                     whole(2, 20000));
  command.add_option("--dimension", arguments.generated.dimension, "Features of generated users", whole(2, 200));
  command.add_option("--own", arguments.generated.own, "How many of them the active participant has", whole());
  command.add_option("--participants", arguments.generated.participants,
                     "Participants of generated users, the active one too", whole());
}

}  // namespace

void add_o3m_audit_command(Command& app) {
  Command* command =
      app.add_subcommand("audit", "Show what O3M leaks: geometry, recovery from known contexts, unmixing");
  const auto arguments = std::make_shared<AuditArguments>();
  add_data_options(*command, *arguments);
  command
      ->add_option("--known", arguments->options.known,
                   "Contexts of others that the active participant knows; several in turn")
      ->number(whole())
      ->separated_by(',');
  command->add_option("--seed", arguments->options.seed, "Of the mask and of generated users", whole());
  add_output_options(*command, arguments->output, "A page with charts; it shows features of the data");
  command->footer(
      "Nothing is sent anywhere. Without files, users are generated.\n"
      "Examples:\n"
      "  sotto-lab audit --out audit.html\n"
      "  sotto-lab audit --dimension 40 --own 10 --known 30,29,20\n"
      "  sotto-lab audit --ap a.csv --passive b.csv --passive c.csv");
  command->callback([arguments] {
    arguments->generated.seed = arguments->options.seed;
    run_audit(*arguments);
  });
}

}  // namespace sotto::apps::lab
