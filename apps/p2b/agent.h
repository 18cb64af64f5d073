// A user's agent in P2B, which encodes contexts and plays with a private copy of a shared model. At the end, the agent
// reports at most one interaction, with probability p.
//
//   Agent agent(encoder, model);                 // `model` is empty (a cold start) or the server's (a warm start)
//   arm = agent.select(context, draws);
//   agent.reward(r);
//   std::optional<Tuple> tuple = agent.report(p, TupleChoice::uniform, draws);
//
// Only the tuple leaves the agent, and only once: a second call of report() returns nothing. reward() throws
// std::invalid_argument if select() was not called before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/p2b/encoder.h"
#include "apps/p2b/model.h"
#include "apps/p2b/tuple.h"

namespace sotto::apps::p2b {

class Agent {
 public:
  // `encoder` and `model` must outlive the agent. The model must be solved and must not change.
  Agent(const Encoder& encoder, const Model& model) : encoder_(&encoder), model_(model) {}

  template <Draws D>
  [[nodiscard]] std::size_t select(std::span<const double> context, D& draws) {
    pending_.code = encoder_->encode(context);
    const std::size_t arm = model_.select(pending_.code, draws);
    pending_.arm = static_cast<std::uint32_t>(arm);
    waits_ = true;
    return arm;
  }
  void reward(double value) {
    if (!waits_) throw std::invalid_argument("Agent::reward: no arm waits for a reward");
    waits_ = false;
    pending_.reward = clip_reward(value, clipped_);
    model_.update(pending_);
    interactions_.push_back(pending_);
  }

  template <Draws D>
  [[nodiscard]] std::optional<Tuple> report(double p, TupleChoice choice, D& draws) {
    if (reported_) return std::nullopt;
    reported_ = true;
    std::vector<double> rewards;
    rewards.reserve(interactions_.size());
    for (const Tuple& tuple : interactions_) rewards.push_back(tuple.reward);
    const auto place = choose_report(std::span<const double>(rewards), p, choice, draws);
    if (!place) return std::nullopt;
    return interactions_[*place];
  }

  void restart() {
    model_.restart();
    interactions_.clear();
    waits_ = false;
    reported_ = false;
    clipped_ = 0;
  }

  [[nodiscard]] std::span<const Tuple> interactions() const noexcept { return interactions_; }
  [[nodiscard]] std::uint64_t clipped() const noexcept { return clipped_; }

 private:
  const Encoder* encoder_;
  OwnModel model_;
  std::vector<Tuple> interactions_;
  Tuple pending_;
  bool waits_ = false;
  bool reported_ = false;
  std::uint64_t clipped_ = 0;
};

}  // namespace sotto::apps::p2b
