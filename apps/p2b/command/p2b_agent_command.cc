#include "sotto/apps/p2b/commands.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/service_options.h"
#include "sotto/apps/kit/report/publish.h"
#include "sotto/apps/kit/settings/command_config.h"
#include "sotto/apps/p2b/roles/run_agent.h"
#include "sotto/apps/p2b/roles/run_shuffler.h"

namespace sotto::apps {
namespace {

struct AgentArguments {
  AgentSettings settings;
  std::string contexts = "one-hot";
  KeyArguments key;
  ConnectArguments shuffler;
  ConnectArguments server{{}, {}, "--server", "--server-trust"};
  unsigned retry_seconds = 30;
  bool json = false;
};

void run_agent(const AgentArguments& arguments) {
  catch_interrupts();
  AgentSettings settings = arguments.settings;
  settings.contexts = parse_context_kind(arguments.contexts, "--contexts");
  settings.shuffler = client_config(arguments.shuffler, arguments.key, p2b_shuffler_name);
  settings.shuffler.retry_for = std::chrono::seconds(arguments.retry_seconds);
  if (!arguments.server.connect.empty()) {
    settings.server = client_config(arguments.server, arguments.key, p2b_server_name);
    settings.server->retry_for = settings.shuffler.retry_for;
  }
  const AgentReport report = run_agent(settings, interrupted());
  show(report, arguments.json);
}

}  // namespace

void add_p2b_agent_command(Command& p2b) {
  Command* command = p2b.add_subcommand("agent", "Play users' interactions, and report at most one a user");
  const auto arguments = std::make_shared<AgentArguments>();
  AgentSettings& settings = arguments->settings;
  command
      ->add_option("--users", settings.users,
                   "The users' interactions: columns user, t, features, reward_0, reward_1, ...")
      ->type_name("FILE")
      ->required();
  command->add_option("--encoder", settings.encoder, "The encoder that all use")->type_name("FILE")->required();
  command
      ->add_option("--contexts", arguments->contexts,
                   "What a code stands for in a cold model: one-hot, or its centroid")
      ->type_name("one-hot|centroid")
      ->shows_default();
  command->add_option("--p", settings.p, "Probability of a report that the users agreed to; must be the shuffler's")
      ->number(real(0, 1));
  command
      ->add_option("--tuples", settings.tuples,
                   "Write what was reported here as well, for the users: user,code,arm,reward")
      ->type_name("FILE");
  command->add_option("--reports-a-message", settings.reporter.reports_a_message, "Reports that are sent together")
      ->number(whole(1, most_reports_a_message))
      ->shows_default();
  command->add_option("--retry", arguments->retry_seconds, "Seconds to try again for, where a service is not there")
      ->number(whole(0, 1000000))
      ->shows_default();
  command->add_flag("--json", arguments->json, "Print one JSON object");
  add_connect_options(*command, arguments->shuffler, "the shuffler");
  add_connect_options(*command, arguments->server, "the server of a warm start");
  add_key_options(*command, arguments->key);
  add_command_config(*command, {"agent",
                                &arguments->key,
                                nullptr,
                                {{&arguments->shuffler, p2b_shuffler_name}, {&arguments->server, p2b_server_name}}});
  command->footer(
      "Shows keys that it makes for this run and forgets; --key is for a shuffler that lets in certain\n"
      "agents only, and is shown to no other.\n"
      "Examples:\n"
      "  sotto p2b agent --users users.csv --encoder encoder.csv --connect shuffler.example:7200 \\\n"
      "      --trust sha256:...\n"
      "  sotto p2b agent --users users.csv --encoder encoder.csv --connect shuffler.example:7200 \\\n"
      "      --trust sha256:... --server server.example:7300 --server-trust sha256:... --json");
  command->callback([arguments] { run_agent(*arguments); });
}

}  // namespace sotto::apps
