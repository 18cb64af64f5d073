#include "sotto/apps/p2b/commands.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/program/service_options.h"
#include "sotto/apps/kit/report/publish.h"
#include "sotto/apps/kit/settings/command_config.h"
#include "sotto/apps/p2b/roles/run_shuffler.h"

namespace sotto::apps {
namespace {

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
    arguments.listen.listen = "127.0.0.1:0";  // nobody is heard
  }
  settings.service = service_config(arguments.listen, arguments.key, p2b_shuffler_name);
  if (!arguments.server.connect.empty()) {
    settings.server = client_config(arguments.server, arguments.key, p2b_server_name);
  }
  ShufflerEvents events;
  events.line = say;
  events.listening = [](const net::Address& address) {
    say(fmt::format("the p2b shuffler listens on {}", address.text()));
  };
  events.batch = [](const ClosedBatch& batch) { say(batch_text(batch)); };
  const ShufflerReport report = run_shuffler(settings, events, interrupted());
  show(report, arguments.json);
}

}  // namespace

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
      "Runs until Ctrl-C; what was acknowledged stays in the queue. Whoever can make up users can fill up\n"
      "the threshold of a code: let in agents that you know, with --trust, where that matters.\n"
      "Examples:\n"
      "  sotto p2b shuffler --queue queue.db --codes 1024 --arms 10 --listen 0.0.0.0:7200 \\\n"
      "      --key shuffler.pem --server server.example:7300 --server-trust sha256:...\n"
      "  sotto p2b shuffler --queue queue.db --codes 1024 --arms 10 --release --key shuffler.pem \\\n"
      "      --server server.example:7300 --server-trust sha256:...");
  command->callback([arguments] { run_shuffler(*arguments); });
}

}  // namespace sotto::apps
