#include "apps/p2b/commands.h"

#include <fmt/format.h>

#include <memory>

#include "apps/kit/files/json.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "apps/kit/program/service_options.h"
#include "apps/kit/report/publish.h"
#include "apps/kit/settings/command_config.h"
#include "apps/p2b/encoder.h"
#include "apps/p2b/model.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/roles.h"

namespace sotto::apps::p2b {
namespace {

void add_p2b_terms_options(Command& command, P2bTerms& terms) {
  command.add_option("--codes", terms.codes, "Codes of the encoder, k")->number(whole(1, most_codes))->required();
  command.add_option("--arms", terms.arms, "Arms")->number(whole(1, most_arms))->required();
  command.add_option("--p", terms.p, "Probability with which a user reports")->number(real(0, 1))->shows_default();
  command.add_option("--threshold", terms.threshold, "Codes that occur less often in a batch are dropped, l")
      ->number(whole())
      ->shows_default();
}

auto says_address(const char* role) {
  return [role](const net::Address& address) { say(fmt::format("the {} listens on {}", role, address.text())); };
}

struct ShufflerArguments {
  ShufflerSettings settings;
  KeyArguments key;
  ListenArguments listen;
  ConnectArguments server{{}, {}, "--server", "--server-trust"};
  bool json = false;
};

void run_shuffler(ShufflerArguments& arguments) {
  catch_interrupts();
  ShufflerSettings settings = arguments.settings;
  if (settings.release && arguments.listen.listen.empty()) {
    arguments.listen.listen = "127.0.0.1:0";
  }
  settings.service = service_config(arguments.listen, arguments.key, p2b_shuffler_name);
  if (!arguments.server.connect.empty()) {
    settings.server = client_config(arguments.server, arguments.key, p2b_server_name);
  }
  ShufflerEvents events;
  events.line = say;
  events.listening = says_address(p2b_shuffler_name);
  events.batch = [](const ClosedBatch& batch) { say(batch_text(batch)); };
  show(run_shuffler(settings, events, interrupted()), arguments.json);
}

void add_p2b_shuffler_command(Command& p2b) {
  Command* command =
      p2b.add_subcommand("shuffler", "Take reports from agents, and bring shuffled batches to the server");
  const auto arguments = std::make_shared<ShufflerArguments>();
  ShufflerSettings& settings = arguments->settings;
  command->add_option("--queue", settings.queue, "Where reports wait, a SQLite file; made where there is none")
      ->type_name("FILE")
      ->required();
  add_p2b_terms_options(*command, settings.terms);
  command
      ->add_option("--period", settings.period,
                   "Seconds from batch to batch; they close at its multiples, UTC, whatever came")
      ->number(whole(1))
      ->type_name("SECONDS")
      ->shows_default();
  command
      ->add_option("--most-waiting", settings.most_waiting,
                   "Reports that a batch has room for; of one that gets more none is released")
      ->number(whole(1))
      ->shows_default();
  command
      ->add_option("--periods", settings.periods, "End when so many periods are over, all of their batches delivered")
      ->number(whole(1, 1'000'000));
  command->add_flag("--release", settings.release,
                    "Hear nobody: deliver what waits in the queue, once its batch closes, and end");
  command->add_flag("--json", arguments->json, "Print one JSON object at the end");
  add_listen_options(*command, arguments->listen, "agents",
                     "Fingerprint of an agent that is let in, as often as needed; without any, whoever shows a key");
  add_connect_options(*command, arguments->server, "the server");
  add_key_options(*command, arguments->key);
  add_command_config(*command,
                     {"shuffler", &arguments->key, &arguments->listen, {{&arguments->server, p2b_server_name}}});
  command->footer(
      "Runs until Ctrl-C; what was acknowledged stays in the queue. An agent that makes up users can fill up\n"
      "the threshold of a code: let in only agents that you know, with --trust, where that matters.\n"
      "Examples:\n"
      "  sotto p2b shuffler --queue queue.db --codes 1024 --arms 10 --listen 0.0.0.0:7200 \\\n"
      "      --key shuffler.pem --server server.example:7300 --server-trust sha256:...\n"
      "  sotto p2b shuffler --queue queue.db --codes 1024 --arms 10 --release --key shuffler.pem \\\n"
      "      --server server.example:7300 --server-trust sha256:...");
  command->callback([arguments] { run_shuffler(*arguments); });
}

struct ServerArguments {
  ServerSettings settings;
  std::string contexts = "one-hot";
  KeyArguments key;
  ListenArguments listen;
  bool json = false;
};

void run_server(const ServerArguments& arguments) {
  catch_interrupts();
  ServerSettings settings = arguments.settings;
  settings.contexts = parse_context_kind(arguments.contexts, "--contexts");
  settings.service = service_config(arguments.listen, arguments.key, p2b_server_name);
  ServerEvents events;
  events.line = say;
  events.listening = says_address(p2b_server_name);
  events.batch = [](std::uint64_t batches, std::uint64_t tuples) {
    say(fmt::format("in the model: {}, of {}", grouped(tuples, "tuple"), grouped(batches, "batch")));
  };
  show(run_server(settings, events, interrupted()), arguments.json);
}

void add_p2b_server_command(Command& p2b) {
  Command* command =
      p2b.add_subcommand("server", "Learn the model from what the shuffler releases, and give it to agents");
  const auto arguments = std::make_shared<ServerArguments>();
  ServerSettings& settings = arguments->settings;
  command->add_option("--store", settings.store, "Where survivors are kept, a SQLite file; made where there is none")
      ->type_name("FILE")
      ->required();
  add_p2b_terms_options(*command, settings.terms);
  command->add_option("--contexts", arguments->contexts, "The context of a code in the model: one-hot, or its centroid")
      ->type_name("one-hot|centroid")
      ->shows_default();
  command->add_option("--encoder", settings.encoder, "The centroids of all codes, for centroid")->type_name("FILE");
  command->add_option("--model", settings.model, "Write the model here after each batch, as JSON")->type_name("FILE");
  command->add_option("--batches", settings.until, "End once so many batches are in the model")->number(whole());
  command->add_flag("--json", arguments->json, "Print one JSON object at the end");
  add_listen_options(*command, arguments->listen, "the shuffler and agents",
                     "Fingerprint of the shuffler, the only role that brings batches; several if there are");
  add_key_options(*command, arguments->key);
  add_command_config(*command, {"server", &arguments->key, &arguments->listen});
  command->footer(
      "Runs until Ctrl-C; what was acknowledged stays in the store. Anybody may ask for the model.\n"
      "Examples:\n"
      "  sotto p2b server --store survivors.db --model model.json --codes 1024 --arms 10 \\\n"
      "      --listen 0.0.0.0:7300 --key server.pem --trust sha256:...\n"
      "  sotto p2b server --store survivors.db --codes 64 --arms 10 --contexts centroid \\\n"
      "      --encoder encoder.csv --listen 127.0.0.1:7300 --insecure-plaintext");
  command->callback([arguments] { run_server(*arguments); });
}

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
  show(run_agent(settings, interrupted()), arguments.json);
}

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
      ->add_option("--contexts", arguments->contexts, "The context of a code in a cold model: one-hot, or its centroid")
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

}  // namespace

void add_p2b_command(Command& app) {
  Command* command =
      app.add_subcommand("p2b", "Users warm up each other's bandits, each by one encoded report in a crowd (P2B)");
  add_p2b_encoder_command(*command);
  add_p2b_encode_command(*command);
  add_p2b_shuffle_command(*command);
  add_p2b_fit_command(*command);
  add_p2b_epsilon_command(*command);
  add_p2b_shuffler_command(*command);
  add_p2b_server_command(*command);
  add_p2b_agent_command(*command);
  command->footer(
      "Examples:\n"
      "  sotto p2b encoder --dimension 10 --codes 1024 --out encoder.csv\n"
      "  sotto p2b shuffle --tuples tuples.csv --threshold 10 --out survivors.csv\n"
      "  sotto p2b epsilon --p 0.5 --threshold 10\n"
      "docs/explain/p2b.md tells how it works, and how shuffler, server and agents run.");
}

}  // namespace sotto::apps::p2b
