#include "sotto/apps/p2b/roles/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

[[noreturn]] void malformed_client(const char* what) {
  throw ProtocolError(ProtocolError::Kind::malformed, "a client", 0, what);
}

}  // namespace

std::size_t longest_server_message(const Model& model) {
  // The terms go before it; counts do not change its length.
  const std::size_t bytes = model.to_bytes().size() + 64;
  if (bytes > longest_model_message) {
    throw InputError(fmt::format(
        "a model of {} and {} has {} MB, more than the {} MB that agents take: fit an encoder of fewer codes",
        counted(model.codes(), "code"), counted(model.arms(), "arm"), bytes / 1'000'000,
        longest_model_message / 1'000'000));
  }
  return std::max(bytes, longest_part_message);
}

ServerRole::ServerRole(net::Service& service, SurvivorStore& store, Model& model, const P2bTerms& terms,
                       std::set<std::string> shufflers, bool plaintext, SaidLines& lines, std::uint64_t until,
                       std::function<void()> batch_line)
    : service_(service),
      store_(store),
      model_(model),
      terms_(terms),
      shufflers_(std::move(shufflers)),
      plaintext_(plaintext),
      lines_(lines),
      until_(until),
      batch_line_(std::move(batch_line)) {
  store_.replay([&](std::span<const Tuple> tuples) {
    for (const Tuple& tuple : tuples) {
      if (fault_of(tuple, terms_) != TupleFault::none) {
        throw InputError("the store of the p2b server is damaged: it has tuples outside its terms");
      }
    }
    model_.update(tuples);
  });
}

void ServerRole::received(net::PeerId peer, net::Message&& message) {
  if (message.type == number_of(P2bMessage::survivors)) {
    take(peer, message.payload);
  } else if (message.type == number_of(P2bMessage::terms)) {
    require_shuffler(peer);
    if (!decode_p2b_terms(message.payload)) malformed_client("it sent what are no terms");
    // The shuffler compares; it knows what its user started it with.
    service_.send(peer, {number_of(P2bMessage::terms), encode(terms_)});
  } else if (message.type == number_of(P2bMessage::model)) {
    if (!message.payload.empty()) malformed_client("a question for the model that is not empty");
    give_model(peer);
  } else {
    malformed_client("it sent what is no message of a shuffler or an agent");
  }
}

void ServerRole::require_shuffler(net::PeerId peer) const {
  if (plaintext_ || shufflers_.count(service_.fingerprint(peer)) == 1) return;
  throw TrustError("a client",
                   "this p2b server takes batches from the shufflers that it trusts, and this key is none of theirs: "
                   "give the server this key's fingerprint with --trust");
}

void ServerRole::take(net::PeerId peer, PayloadView payload) {
  require_shuffler(peer);
  const auto part = decode_part(payload);
  if (!part) malformed_client("it sent what is no part of a batch");
  for (const Tuple& tuple : part->tuples) {
    if (fault_of(tuple, terms_) != TupleFault::none) {
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

void ServerRole::give_model(net::PeerId peer) {
  if (!model_message_) {
    model_message_ = std::make_shared<const net::Message>(
        net::Message{number_of(P2bMessage::model), encode_model(terms_, model_.to_bytes())});
  }
  service_.send(peer, model_message_);
  ++models_given_;
}

void ServerRole::left(net::PeerId peer, const std::string& why) {
  if (!why.empty()) lines_.say(fmt::format("{}: {}", service_.from(peer), why));
}

void ServerRole::refused(const std::string& from, const std::string& why) {
  lines_.say(fmt::format("{}: {}", from, why));
}

}  // namespace sotto::apps
