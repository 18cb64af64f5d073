#include "apps/p2b/roles/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/report/described.h"
#include "apps/p2b/encoder.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/store_file.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

[[noreturn]] void malformed_client(const char* what) {
  throw ProtocolError(ProtocolError::Kind::malformed, "a client", 0, what);
}

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

void check_server(const ServerSettings& settings) {
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

// Any agent may request the model, so the service accepts every key.
net::ServiceConfig service_of_all(net::ServiceConfig config, std::size_t longest) {
  config.name = p2b_server_name;
  config.longest_message = longest;
  if (!config.trust.plaintext) {
    config.trust.trusted.clear();
    config.trust.anyone = true;
  }
  return config;
}

std::size_t longest_server_message(const Model& model) {
  const std::size_t bytes = model.most_bytes() + 64;
  if (bytes > longest_model_message) {
    throw InputError(fmt::format(
        "a model of {} and {} has {} MB, more than the {} MB that agents take: fit an encoder of fewer codes",
        counted(model.codes(), "code"), counted(model.arms(), "arm"), bytes / 1'000'000,
        longest_model_message / 1'000'000));
  }
  return std::max(bytes, longest_part_message);
}

// The server sees codes, arms and rewards in a shuffled order, and nothing about the users.
//
// The server acknowledges a part of a batch as soon as the part is on the disk. The server acknowledges a repeated part
// too, but counts it only once. Survivors from a client that is not one of the named shufflers cause a TrustError, and
// tuples outside the terms cause a ProtocolError. After either error, the server uses nothing from the message, drops
// the client and writes a line.
class ServerRole : public net::ServiceHandler {
 public:
  // `model` must be empty, because the constructor adds all tuples of the store to it.
  ServerRole(net::Service& service, SurvivorStore& store, Model& model, const ServerSettings& settings,
             RateLimitedLines& lines, std::function<void()> batch_line)
      : service_(service),
        store_(store),
        model_(model),
        settings_(settings),
        lines_(lines),
        batch_line_(std::move(batch_line)) {
    store_.replay([&](std::span<const Tuple> tuples) {
      for (const Tuple& tuple : tuples) {
        if (fault_of(tuple, settings_.terms) != TupleFault::none) {
          throw InputError("the store of the p2b server is damaged: it has tuples outside its terms");
        }
      }
      model_.update(tuples);
    });
  }

  void received(net::PeerId peer, net::Message&& message) override {
    if (message.type == number_of(P2bMessage::survivors)) {
      take(peer, message.payload);
    } else if (message.type == number_of(P2bMessage::terms)) {
      require_shuffler(peer);
      if (!decode_p2b_terms(message.payload)) malformed_client("it sent what are no terms");
      service_.send(peer, {number_of(P2bMessage::terms), encode(settings_.terms)});
    } else if (message.type == number_of(P2bMessage::model)) {
      if (!message.payload.empty()) malformed_client("a question for the model that is not empty");
      give_model(peer);
    } else {
      malformed_client("it sent what is no message of a shuffler or an agent");
    }
  }
  void left(net::PeerId peer, const std::string& why) override {
    if (!why.empty()) lines_.say(fmt::format("{}: {}", service_.from(peer), why));
  }
  void refused(const std::string& from, const std::string& why) override {
    lines_.say(fmt::format("{}: {}", from, why));
  }
  [[nodiscard]] bool done() const override { return settings_.until > 0 && store_.batches() >= settings_.until; }

  [[nodiscard]] std::uint64_t repeated_parts() const noexcept { return repeated_; }
  [[nodiscard]] std::uint64_t models_given() const noexcept { return models_given_; }

 private:
  void require_shuffler(net::PeerId peer) const {
    const net::ServiceTrust& shufflers = settings_.service.trust;
    if (shufflers.plaintext || shufflers.trusted.contains(service_.fingerprint(peer))) return;
    throw TrustError("a client",
                     "this p2b server takes batches from the shufflers that it trusts, and this key is none of theirs: "
                     "give the server this key's fingerprint with --trust");
  }
  void take(net::PeerId peer, PayloadView payload) {
    require_shuffler(peer);
    const auto part = decode_part(payload);
    if (!part) malformed_client("it sent what is no part of a batch");
    for (const Tuple& tuple : part->tuples) {
      if (fault_of(tuple, settings_.terms) != TupleFault::none) {
        malformed_client("it sent survivors with a code, an arm or a reward outside the terms");
      }
    }
    const std::uint64_t batches = store_.batches();
    if (store_.take(*part)) {
      model_.update(part->tuples);
      model_message_.reset();
    } else {
      ++repeated_;
    }
    service_.send(peer, {number_of(P2bMessage::taken), encode(part->name)});
    if (store_.batches() > batches) batch_line_();
  }
  void give_model(net::PeerId peer) {
    if (!model_message_) {
      model_message_ = std::make_shared<const net::Message>(
          net::Message{number_of(P2bMessage::model), encode_model(settings_.terms, model_.to_bytes())});
    }
    service_.send(peer, model_message_);
    ++models_given_;
  }

  net::Service& service_;
  SurvivorStore& store_;
  Model& model_;
  const ServerSettings& settings_;
  RateLimitedLines& lines_;
  std::function<void()> batch_line_;
  std::shared_ptr<const net::Message> model_message_;
  std::uint64_t repeated_ = 0;
  std::uint64_t models_given_ = 0;
};

}  // namespace

ServerReport run_server(ServerSettings settings, const ServerEvents& events, const std::atomic<bool>& interrupted) {
  check_server(settings);
  const std::optional<Encoder> encoder = encoder_of(settings);
  Model model = settings.contexts == ContextKind::centroid ? Model(settings.contexts, *encoder, settings.terms.arms)
                                                           : Model(settings.terms.codes, settings.terms.arms);
  const std::size_t longest = longest_server_message(model);
  ServerReport report("server", settings.terms, settings.service.trust.plaintext);
  report.contexts = settings.contexts;
  report.model = settings.model;
  RateLimitedLines lines(events.line);
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
  ServerRole role(service, store, model, settings, lines, after_batch);
  write_model();  // an early error if the file cannot be written
  events.listening(service.address());
  try {
    service.run(role, interrupted);
  } catch (const Interrupted&) {
    // The normal end: the store contains every acknowledged part.
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

}  // namespace sotto::apps::p2b
