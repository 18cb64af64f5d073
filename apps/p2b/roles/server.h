// The server of P2B as a service: takes survivors from the shufflers that it was told of, keeps them on its disk,
// replays them into the model, and gives the model as it is to any agent that asks.
//
// It sees codes, arms and rewards in a shuffled order, and nothing of who they are of. A part of a batch is answered
// once it is on the disk; one that comes again is answered and not counted twice. Survivors from anybody else, and
// tuples outside the terms, are a ProtocolError: that client is dropped with a line, and nothing of what it sent is
// taken.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/roles/delivery.h"
#include "sotto/apps/p2b/roles/said_lines.h"
#include "sotto/apps/p2b/roles/survivor_store.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {

// The longest message of a server with such a model, in either direction. Throws InputError where the model is larger
// than agents take.
[[nodiscard]] std::size_t longest_server_message(const Model& model);

class ServerRole : public net::ServiceHandler {
 public:
  // `shufflers`: fingerprints; in plaintext anybody may be one. `model` is empty: all of the store is replayed into it
  // here. `until`: done once so many batches are whole; 0: never. `batch_line` is called when a batch has become whole,
  // with all of it in the model.
  ServerRole(net::Service& service, SurvivorStore& store, Model& model, const P2bTerms& terms,
             std::set<std::string> shufflers, bool plaintext, SaidLines& lines, std::uint64_t until,
             std::function<void()> batch_line);

  void received(net::PeerId peer, net::Message&& message) override;
  void left(net::PeerId peer, const std::string& why) override;
  void refused(const std::string& from, const std::string& why) override;
  [[nodiscard]] bool done() const override { return until_ > 0 && store_.batches() >= until_; }

  [[nodiscard]] std::uint64_t repeated_parts() const noexcept { return repeated_; }
  [[nodiscard]] std::uint64_t models_given() const noexcept { return models_given_; }

 private:
  void require_shuffler(net::PeerId peer) const;
  void take(net::PeerId peer, PayloadView payload);
  void give_model(net::PeerId peer);

  net::Service& service_;
  SurvivorStore& store_;
  Model& model_;
  P2bTerms terms_;
  std::set<std::string> shufflers_;
  bool plaintext_;
  SaidLines& lines_;
  std::uint64_t until_;
  std::function<void()> batch_line_;
  std::shared_ptr<const net::Message> model_message_;  // none while the model has changed since
  std::uint64_t repeated_ = 0;
  std::uint64_t models_given_ = 0;
};

}  // namespace sotto::apps
