// Whose copy of a run's state is old, where the roles have no checkpoint in common.
#include "apps/bandit/run/state/resume_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "sotto/protocol/mesh/peers.h"

namespace sotto::apps::bandit::run {
namespace {

using States = std::map<NodeId, ResumeState>;

bool share_a_checkpoint(const ResumeState& one, const ResumeState& other) {
  return std::any_of(one.checkpoints.begin(), one.checkpoints.end(), [&](const auto& name) {
    return std::find(other.checkpoints.begin(), other.checkpoints.end(), name) != other.checkpoints.end();
  });
}

// How many nodes have the newest checkpoint of this one.
std::size_t agreeing(const Topology& topology, const States& states, const ResumeState& with) {
  std::size_t count = 0;
  for (NodeId node = 0; node < topology.nodes() && !with.checkpoints.empty(); ++node) {
    const auto& names = states.at(node).checkpoints;
    if (std::find(names.begin(), names.end(), with.checkpoints.back()) != names.end()) ++count;
  }
  return count;
}

// No checkpoint counts least, whatever the epoch.
std::tuple<bool, std::uint32_t, std::uint64_t> how_far(const ResumeState& resume_state) {
  if (resume_state.checkpoints.empty()) return {false, resume_state.epoch, 0};
  return {true, resume_state.epoch, resume_state.checkpoints.back().step};
}

const ResumeState& newest(const Topology& topology, const States& states) {
  const auto key = [&](NodeId node) {
    const ResumeState& resume_state = states.at(node);
    return std::pair(how_far(resume_state), agreeing(topology, states, resume_state));
  };
  NodeId best = 0;
  for (NodeId node = 1; node < topology.nodes(); ++node) {
    if (key(node) > key(best)) best = node;
  }
  return states.at(best);
}

// Some died before they wrote the first checkpoint of the run. Whoever wrote it had opened the same epoch as they.
bool is_before_the_first(const Topology& topology, const States& states, const ResumeState& reference) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const ResumeState& resume_state = states.at(node);
    const bool none = resume_state.checkpoints.empty();
    if (none ? resume_state.epoch < reference.epoch : resume_state.checkpoints != reference.checkpoints) {
      return false;
    }
  }
  return reference.checkpoints.size() <= 1;
}

// "party 0, party 1 and actor"
std::string names_of(const Topology& topology, const std::vector<NodeId>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) text += i + 1 == nodes.size() ? " and " : ", ";
    text += net::peer_name(topology, nodes[i]);
  }
  return text;
}

std::string place_of(const ResumeState& resume_state) {
  return resume_state.checkpoints.empty()
             ? fmt::format("no checkpoint, epoch {}", resume_state.epoch)
             : fmt::format("step {} of epoch {}", resume_state.checkpoints.back().step, resume_state.epoch);
}

// Who has no checkpoint of the newest nodes; where all have one, who has not their last.
std::vector<NodeId> left_behind(const Topology& topology, const States& states, const ResumeState& reference) {
  std::vector<NodeId> unrelated;
  std::vector<NodeId> behind;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const auto& names = states.at(node).checkpoints;
    if (!share_a_checkpoint(states.at(node), reference)) {
      unrelated.push_back(node);
    } else if (std::find(names.begin(), names.end(), reference.checkpoints.back()) == names.end()) {
      behind.push_back(node);
    }
  }
  return unrelated.empty() ? behind : unrelated;
}

}  // namespace

std::optional<std::string> old_copies(const Topology& topology, const States& states) {
  const ResumeState& reference = newest(topology, states);
  if (reference.checkpoints.empty()) return std::nullopt;
  if (is_before_the_first(topology, states, reference)) return std::nullopt;
  const std::vector<NodeId> old = left_behind(topology, states, reference);
  std::vector<NodeId> others;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (std::find(old.begin(), old.end(), node) == old.end()) others.push_back(node);
  }
  const ResumeState& first = states.at(old.front());
  const std::string theirs = names_of(topology, old);
  const std::string remedy =
      fmt::format("; bring back the newest state of {}, or copies of one time at all roles", theirs);
  if (how_far(first) == how_far(reference)) {
    return fmt::format(
        "the state of {} does not belong to that of {}, though both are at {}: one of them is left over from an "
        "earlier start of the run{}",
        theirs, names_of(topology, others), place_of(reference), remedy);
  }
  return fmt::format("the state of {} is an old copy ({}, where {} {} {}){}{}", theirs, place_of(first),
                     names_of(topology, others), others.size() == 1 ? "is at" : "are at", place_of(reference),
                     old.size() < others.size() ? ""
                                                : fmt::format(", unless that of {} is left over from an earlier start",
                                                              names_of(topology, others)),
                     remedy);
}

}  // namespace sotto::apps::bandit::run
