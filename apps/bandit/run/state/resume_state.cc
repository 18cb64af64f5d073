#include "apps/bandit/run/state/resume_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::bandit::run {
namespace {

const ResumeState& of(const std::map<NodeId, ResumeState>& states, NodeId role) {
  const auto found = states.find(role);
  if (found == states.end()) throw std::invalid_argument("the resume state of a role is missing");
  return found->second;
}

void check_all_or_none(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  const bool first = of(states, 0).stateful;
  for (NodeId role = 0; role < topology.nodes(); ++role) {
    if (of(states, role).stateful == first) continue;
    const std::string one = net::peer_name(topology, 0);
    const std::string other = net::peer_name(topology, role);
    throw DisagreementError(fmt::format("{} keeps a state and {} does not: give both a state folder, or neither",
                                        first ? one : other, first ? other : one));
  }
}

std::uint32_t next_epoch(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  std::uint32_t highest = 0;
  for (const auto& [role, resume_state] : states) {
    if (resume_state.epoch == std::numeric_limits<std::uint32_t>::max()) {
      throw DisagreementError(
          fmt::format("{} has opened epoch {}, the last possible one: start the run again, with a new session",
                      net::peer_name(topology, role), resume_state.epoch));
    }
    highest = std::max(highest, resume_state.epoch);
  }
  return highest + 1;
}

CheckpointName newest_common(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  CheckpointName newest;
  for (const CheckpointName& name : of(states, 0).checkpoints) {
    bool common = true;
    for (NodeId node = 1; node < topology.nodes(); ++node) {
      const auto& names = of(states, node).checkpoints;
      common = common && std::find(names.begin(), names.end(), name) != names.end();
    }
    if (common && name.step >= newest.step) newest = name;
  }
  return newest;
}

struct Counts {
  std::uint64_t begun = 0;
  std::uint64_t taken = 0;
};

// The highest counts of all roles. Every role adopts these counts when it opens an epoch. A dealer deals steps ahead,
// so the counts of a dealer may be too high. These counts are used only if the dealer's last epoch is later than the
// last epoch of every other role.
Counts remembered(const std::map<NodeId, ResumeState>& states) {
  std::uint32_t last_played = 0;
  for (const auto& [role, resume_state] : states) {
    if (!resume_state.ahead) last_played = std::max(last_played, resume_state.epoch);
  }
  Counts counts;
  for (const auto& [role, resume_state] : states) {
    if (resume_state.ahead && resume_state.epoch <= last_played) continue;
    counts.begun = std::max(counts.begun, resume_state.begun);
    counts.taken = std::max(counts.taken, resume_state.taken);
  }
  return counts;
}

net::ResumeBytes agreed_bytes(const Topology& topology, const net::ResumeStates& said) {
  std::map<NodeId, ResumeState> states;
  for (const auto& [role, bytes] : said) {
    const std::optional<ResumeState> state = decode_resume_state(bytes);
    if (!state) {
      const std::string name = net::peer_name(topology, role);
      throw ProtocolError(ProtocolError::Kind::malformed, name, 0, name + " says that it remembers what no role can");
    }
    states[role] = *state;
  }
  return encode(agree_on(topology, states));
}

std::string text_of(std::span<const std::byte> bytes) {
  const std::optional<ResumePoint> point = decode_resume_point(bytes);
  if (!point) return "no epoch that there is";
  return fmt::format("epoch {} from step {}, {} repeated", point->epoch, point->from_step,
                     counted(point->repeated, "step"));
}

using States = std::map<NodeId, ResumeState>;

bool share_a_checkpoint(const ResumeState& one, const ResumeState& other) {
  return std::any_of(one.checkpoints.begin(), one.checkpoints.end(), [&](const auto& name) {
    return std::find(other.checkpoints.begin(), other.checkpoints.end(), name) != other.checkpoints.end();
  });
}

std::size_t agreeing(const Topology& topology, const States& states, const ResumeState& with) {
  std::size_t count = 0;
  for (NodeId node = 0; node < topology.nodes() && !with.checkpoints.empty(); ++node) {
    const auto& names = states.at(node).checkpoints;
    if (std::find(names.begin(), names.end(), with.checkpoints.back()) != names.end()) ++count;
  }
  return count;
}

// The ranking key of a state. A role without a checkpoint ranks below all others, in any epoch.
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

bool is_valid(const ResumeState& resume_state) {
  const auto& names = resume_state.checkpoints;
  std::uint64_t before = 0;
  for (const CheckpointName& name : names) {
    if (name.step <= before) return false;
    before = name.step;
  }
  return names.size() <= most_checkpoints && (resume_state.stateful || names.empty()) &&
         !(resume_state.stateful && resume_state.ahead) && resume_state.begun <= resume_state.taken &&
         resume_state.taken <= most_taken;
}

ResumePoint agree_on(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  for (NodeId role = 0; role < topology.nodes(); ++role) (void)of(states, role);
  if (topology.has_dealer()) (void)of(states, net::dealer_id);
  check_all_or_none(topology, states);
  ResumePoint resume_point;
  resume_point.epoch = next_epoch(topology, states);
  const CheckpointName start = newest_common(topology, states);
  if (start.step == 0) {
    if (const auto what = old_copies(topology, states)) throw DisagreementError(*what);
  }
  const Counts counts = remembered(states);
  resume_point.from_step = start.step;
  resume_point.from_id = start.id;
  resume_point.repeated = counts.begun > start.step ? counts.begun - start.step : 0;
  resume_point.taken = counts.taken;
  return resume_point;
}

std::vector<std::byte> encode(const ResumeState& resume_state) {
  if (!is_valid(resume_state)) throw std::invalid_argument("a resume state that no role can have");
  ByteWriter writer;
  writer.octet(resume_state.stateful ? 1 : 0);
  writer.octet(resume_state.ahead ? 1 : 0);
  writer.number(resume_state.epoch);
  writer.number(resume_state.begun);
  writer.number(resume_state.taken);
  for (const CheckpointName& name : resume_state.checkpoints) {
    writer.number(name.step);
    writer.bytes(name.id);
  }
  return writer.take();
}

std::vector<std::byte> encode(const ResumePoint& resume_point) {
  ByteWriter writer;
  writer.number(resume_point.epoch);
  writer.number(resume_point.from_step);
  writer.number(resume_point.repeated);
  writer.number(resume_point.taken);
  writer.bytes(resume_point.from_id);
  return writer.take();
}

std::optional<ResumeState> decode_resume_state(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  ResumeState resume_state;
  resume_state.stateful = reader.flag();
  resume_state.ahead = reader.flag();
  resume_state.epoch = reader.number<std::uint32_t>();
  resume_state.begun = reader.number<std::uint64_t>();
  resume_state.taken = reader.number<std::uint64_t>();
  while (reader.ok() && reader.left() > 0) {
    const auto step = reader.number<std::uint64_t>();
    resume_state.checkpoints.push_back({step, reader.array<sizeof(CheckpointId)>()});
  }
  if (!reader.ok() || !is_valid(resume_state)) return std::nullopt;
  return resume_state;
}

std::optional<ResumePoint> decode_resume_point(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  ResumePoint point;
  point.epoch = reader.number<std::uint32_t>();
  point.from_step = reader.number<std::uint64_t>();
  point.repeated = reader.number<std::uint64_t>();
  point.taken = reader.number<std::uint64_t>();
  point.from_id = reader.array<sizeof(CheckpointId)>();
  if (!reader.at_end()) return std::nullopt;
  return point;
}

net::Resume resume_from(const Topology& topology, const ResumeState& mine) {
  return {encode(mine), [topology](const net::ResumeStates& states) { return agreed_bytes(topology, states); },
          text_of};
}

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
