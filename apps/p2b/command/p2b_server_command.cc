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
#include "sotto/apps/p2b/roles/delivery.h"
#include "sotto/apps/p2b/roles/role_text.h"
#include "sotto/apps/p2b/roles/run_server.h"

namespace sotto::apps {
namespace {

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
  events.listening = [](const net::Address& address) {
    say(fmt::format("the p2b server listens on {}", address.text()));
  };
  events.batch = [](std::uint64_t batches, std::uint64_t tuples) {
    say(fmt::format("in the model: {}, of {}", grouped(tuples, "tuple"), grouped(batches, "batch")));
  };
  const ServerReport report = run_server(settings, events, interrupted());
  show(report, arguments.json);
}

}  // namespace

void add_p2b_server_command(Command& p2b) {
  Command* command =
      p2b.add_subcommand("server", "Learn the model from what the shuffler releases, and give it to agents");
  const auto arguments = std::make_shared<ServerArguments>();
  ServerSettings& settings = arguments->settings;
  command->add_option("--store", settings.store, "Where survivors are kept, a SQLite file; made where there is none")
      ->type_name("FILE")
      ->required();
  add_p2b_terms_options(*command, settings.terms);
  command
      ->add_option("--contexts", arguments->contexts, "What a code stands for in the model: one-hot, or its centroid")
      ->type_name("one-hot|centroid")
      ->shows_default();
  command->add_option("--encoder", settings.encoder, "The centroids of all codes, for centroid")->type_name("FILE");
  command->add_option("--model", settings.model, "Write the model here after each batch, as JSON")->type_name("FILE");
  command->add_option("--batches", settings.until, "End once so many batches are in the model")->number(whole());
  command->add_flag("--json", arguments->json, "Print one JSON object at the end");
  add_listen_options(*command, arguments->listen, "the shuffler and agents",
                     "Fingerprint of the shuffler, which alone brings batches; several if there are");
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

}  // namespace sotto::apps
