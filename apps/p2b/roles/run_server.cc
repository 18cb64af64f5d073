#include "sotto/apps/p2b/roles/run_server.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/p2b/encoder.h"
#include "sotto/apps/p2b/roles/said_lines.h"
#include "sotto/apps/p2b/roles/server.h"
#include "sotto/apps/p2b/roles/survivor_store.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

std::optional<Encoder> encoder_of(const ServerSettings& settings) {
  if (settings.encoder.empty()) {
    if (settings.contexts == ContextKind::centroid) {
      throw InputError("--encoder", "contexts that are centroids need the encoder's file");
    }
    return std::nullopt;
  }
  Encoder encoder = read_encoder(settings.encoder);
  if (encoder.codes() != settings.terms.codes) {
    throw InputError(settings.encoder.string(), fmt::format("an encoder of {}, where --codes says {}",
                                                            grouped(encoder.codes(), "code"), settings.terms.codes));
  }
  return encoder;
}

void check(const ServerSettings& settings) {
  if (const std::string fault = fault_of(settings.terms); !fault.empty()) throw InputError(fault);
  const net::ServiceTrust& trust = settings.service.trust;
  if (trust.plaintext) return;
  if (!trust.identity) {
    throw InputError("--key", "give the server's key: `sotto keys new --out server.pem` makes one");
  }
  if (trust.anyone || trust.trusted.empty()) {
    throw InputError("--trust", "give the shuffler's fingerprint: the server takes batches from it alone");
  }
}

// Anybody may have the model; who sends batches is looked at by the role.
net::ServiceConfig service_of_all(net::ServiceConfig config, std::size_t longest) {
  config.name = p2b_server_name;
  config.longest_message = longest;
  if (!config.trust.plaintext) {
    config.trust.trusted.clear();
    config.trust.anyone = true;
  }
  return config;
}

}  // namespace

ServerReport run_server(ServerSettings settings, const ServerEvents& events, const std::atomic<bool>& interrupted) {
  check(settings);
  const std::optional<Encoder> encoder = encoder_of(settings);
  Model model = settings.contexts == ContextKind::centroid ? Model(settings.contexts, *encoder, settings.terms.arms)
                                                           : Model(settings.terms.codes, settings.terms.arms);
  const std::size_t longest = longest_server_message(model);
  ServerReport report("server", settings.terms, settings.service.trust.plaintext);
  report.contexts = settings.contexts;
  report.model = settings.model;
  SaidLines lines(events.line);
  SurvivorStore store(settings.store, settings.terms);
  net::Service service(service_of_all(settings.service, longest));
  const auto write_model = [&] {
    if (settings.model.empty()) return;
    model.solve();
    nlohmann::ordered_json json = json_of(settings.terms);
    json["batches"] = store.batches();
    json["insecure"] = report.insecure;
    json["model"] = model.to_json();
    write_file(settings.model, json_text(json) + "\n");
  };
  const auto after_batch = [&] {
    write_model();
    events.batch(store.batches(), store.tuples());
  };
  ServerRole role(service, store, model, settings.terms, settings.service.trust.trusted,
                  settings.service.trust.plaintext, lines, settings.until, after_batch);
  write_model();  // now, so that a file that cannot be written is no surprise later
  events.listening(service.address());
  try {
    service.run(role, interrupted);
  } catch (const Interrupted&) {
    // Its ordinary end: all that was acknowledged is in the store.
  }
  write_model();
  report.tuples = store.tuples();
  report.batches = store.batches();
  report.repeated_parts = role.repeated_parts();
  report.models_given = role.models_given();
  return report;
}

std::string summary_text(const ServerReport& report, const TextOptions& options) {
  SummaryLines out(options.colour);
  out.title(fmt::format("P2B server: {}, {}, contexts as {}", grouped(report.terms.codes, "code"),
                        grouped(report.terms.arms, "arm"), context_kind_name(report.contexts)));
  out.row("survivors", grouped(report.tuples),
          fmt::format("tuples of {}, in the model", grouped(report.batches, "batch")));
  if (report.repeated_parts > 0) {
    out.row("repeated", grouped(report.repeated_parts), "parts of batches, taken once");
  }
  out.row("given", grouped(report.models_given), "models to agents");
  if (!report.model.empty()) out.row("model", report.model.string());
  add_privacy(out, report.terms);
  out.insecure(report.insecure);
  return out.text();
}

}  // namespace sotto::apps
