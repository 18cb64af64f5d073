// One faulty frame on each kind of link, in the first, a middle and the last round. Every honest role ends in time with
// the same typed error, which names the role that sent the frame.

#include "sotto/protocol/mesh/control.h"
#include "tests/faults/checks.h"
#include "tests/faults/conversation.h"
#include "tests/framework.h"
#include "tests/relay/relay.h"
#include "tests/side_by_side.h"

namespace sotto::testing {
namespace {

std::vector<Attack> attacks_in(const Topology& topology, std::uint64_t round) {
  const NodeId last = topology.last_party();
  const NodeId actor = topology.outside_node();
  return {{topology, 0, last, FrameType::round, round},
          {topology, last, 0, FrameType::round, round},
          {topology, last, actor, FrameType::round, round},
          {topology, actor, 0, FrameType::round, round},
          {topology, net::dealer_id, last, FrameType::chunk, round}};
}

std::vector<Attack> all_attacks() {
  std::vector<Attack> all;
  for (const std::size_t parties : {2, 3, 5}) {
    for (const std::uint64_t round : {std::uint64_t{0}, conversation_rounds / 2, conversation_rounds - 1}) {
      for (const Attack& attack : attacks_in(Topology(parties), round)) all.push_back(attack);
    }
  }
  return all;
}

struct Ending {
  int code;
  std::vector<std::string> says;
  double within_seconds;
};

std::string describe(const Attack& attack, NodeId role, const RoleEnd& end) {
  return net::peer_name(attack.topology, attack.culprit) + " to " + net::peer_name(attack.topology, attack.victim) +
         " of " + std::to_string(attack.topology.parties()) + " parties in round " + std::to_string(attack.round) +
         ": " + net::peer_name(attack.topology, role) + " ends with " + std::to_string(end.code) + ": " + end.message;
}

void expect_ending(const Attack& attack, const Ending& ending, const std::map<NodeId, RoleEnd>& ends) {
  for (const auto& [role, end] : ends) {
    EXPECT_EQ(end.code, ending.code) << describe(attack, role, end);
    EXPECT_THAT(end.message, ::testing::HasSubstr(net::peer_name(attack.topology, attack.culprit)))
        << describe(attack, role, end);
    const std::string& message = end.message;
    const bool said = std::any_of(ending.says.begin(), ending.says.end(),
                                  [&](const auto& part) { return message.find(part) != std::string::npos; });
    EXPECT_TRUE(said) << describe(attack, role, end);
    EXPECT_LT(end.after.count(), ending.within_seconds) << describe(attack, role, end);
  }
}

Conversation run_of(const Attack& attack, std::chrono::milliseconds round_deadline = std::chrono::milliseconds(2'000)) {
  return {attack.topology, round_deadline};
}

// Time limits in seconds, with slack for machines that also do other work.
constexpr double at_once = 6;
constexpr double after_a_word = 8;

TEST(HostileFrames, NoneEndsWell) {
  for (const std::size_t parties : {2, 3, 5}) {
    const Topology topology(parties);
    for (const auto& [role, end] : converse(Conversation{topology})) {
      EXPECT_EQ(end.code, 0) << end.message;
      const std::uint64_t opened = 4 * (1 + 2 + 3 + 4 + 5);
      const std::uint64_t word = 2 * (1 + 2 + 3 + 4 + 5);
      EXPECT_EQ(end.sum, role == net::dealer_id ? 0 : role == topology.outside_node() ? opened : opened + word);
    }
  }
}

struct OneFrame {
  const char* name;
  Deviation deviation;
  Ending ending;
  // True if the victim finds the deviation only when the next frame arrives. In the last round, the victim or the other
  // roles may have ended before this frame arrives.
  bool a_frame_later = false;
};

const OneFrame one_frames[] = {
    {"Garbage", Deviation::garbage, {4, {" sent bytes that are no frame"}, at_once}},
    {"UnknownType", Deviation::unknown_type, {4, {" sent a frame of the unknown type 77"}, at_once}},
    {"TypeOfAnotherFrame",
     Deviation::other_type,
     {4, {" sent a frame of type 3 ", " sent a frame that is no chunk"}, at_once}},
    {"Oversized", Deviation::oversized, {4, {" sent 4294967295 bytes instead of ", " of 4294967295 bytes "}, at_once}},
    {"Longer", Deviation::longer, {4, {" bytes instead of ", " sent a chunk of 72 bytes "}, at_once}},
    {"Shorter", Deviation::shorter, {4, {" bytes instead of ", " ends early"}, at_once}},
    {"Truncated", Deviation::truncated, {3, {": it closed the link in the middle of a frame"}, at_once}},
    // The receiver mistakes the bytes after the gap for the missing bytes.
    {"BytesSwallowed", Deviation::swallowed, {4, {" sent "}, after_a_word}, true},
    {"Replayed", Deviation::replayed, {4, {" sent a frame of round ", " sent chunk "}, at_once}, true},
    {"Reordered",
     Deviation::reordered,
     {4,
      {" sent a frame of round ", " sent chunk ", " finished before round ", " stopped before round ",
       " has left out its frame of round ", " a frame after its last"},
      after_a_word}},
    {"Withheld",
     Deviation::withheld,
     {4,
      {" has left out its frame of round ", " finished before round ", " sent a frame of round ", " sent chunk ",
       " stopped before round "},
      after_a_word}},
    {"WrongRound", Deviation::wrong_round, {4, {" sent a frame of round ", " sent chunk "}, at_once}},
    {"WrongSession",
     Deviation::wrong_session,
     {4, {" sent a frame of other slots or of another run", " that is no chunk of this run"}, at_once}},
    {"HalfClosed", Deviation::half_closed, {3, {": it closed the link without a word"}, at_once}},
};

class HostileFrame : public ::testing::TestWithParam<OneFrame> {};

TEST_P(HostileFrame, EndsAllAlike) {
  side_by_side(12, all_attacks(), [](const Attack& attack) {
    const auto& [name, deviation, ending, a_frame_later] = GetParam();
    const std::map<NodeId, RoleEnd> ends = tamper_with(attack, deviation, run_of(attack));
    if (!a_frame_later || attack.round + 1 < conversation_rounds) return expect_ending(attack, ending, ends);
    const RoleEnd& victim = ends.at(attack.victim);
    EXPECT_TRUE(victim.code == 3 || victim.code == 4) << describe(attack, attack.victim, victim);
    EXPECT_THAT(victim.message, ::testing::HasSubstr(net::peer_name(attack.topology, attack.culprit)))
        << describe(attack, attack.victim, victim);
  });
}

INSTANTIATE_TEST_SUITE_P(Of, HostileFrame, ::testing::ValuesIn(one_frames),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(HostileFrames, OnlyWords) {
  side_by_side(12, all_attacks(), [](const Attack& attack) {
    if (attack.topology.parties() > 3 || attack.round % 2 != 0) return;
    constexpr std::chrono::milliseconds deadline{1'000};
    const double longest = 1.0 * static_cast<double>(attack.topology.nodes() + 2);
    for (const auto& [role, end] : tamper_with(attack, Deviation::only_words, run_of(attack, deadline))) {
      EXPECT_EQ(end.code, 4) << describe(attack, role, end);
      EXPECT_NE(end.message.find(" has not gone on for "), std::string::npos) << describe(attack, role, end);
      EXPECT_LT(end.after.count(), longest + at_once) << describe(attack, role, end);
    }
  });
}

TEST(HostileFrames, FloodOfControlFrames) {
  side_by_side(12, all_attacks(), [](const Attack& attack) {
    for (const auto& [role, end] : tamper_with(attack, Deviation::flooded, run_of(attack))) {
      EXPECT_EQ(end.code, 0) << describe(attack, role, end);
    }
  });
}

// No role begins the run, all end in time with a typed error, and the role that finds the fault names the culprit.

std::vector<Attack> attacks(FrameType type) {
  std::vector<Attack> all;
  for (const std::size_t parties : {2, 3, 5}) {
    const Topology topology(parties);
    const NodeId last = topology.last_party();
    for (const auto& [culprit, victim] : {std::pair<NodeId, NodeId>{0, last},
                                          {last, 0},
                                          {topology.outside_node(), 0},
                                          {last, topology.outside_node()},
                                          {net::dealer_id, 0},
                                          {last, net::dealer_id}}) {
      if (type == FrameType::seed && culprit != net::dealer_id) continue;
      all.push_back({topology, culprit, victim, type});
    }
  }
  return all;
}

// With `victim_only`, the other roles do not wait for the changed frame, so they may finish before they hear of the
// fault.
void expect_refused(const std::vector<FrameType>& types, Deviation deviation, const std::vector<int>& codes,
                    bool victim_only = false) {
  std::vector<Attack> all;
  for (const FrameType type : types) {
    for (const Attack& attack : attacks(type)) all.push_back(attack);
  }
  side_by_side(12, all, [&](const Attack& each) {
    const Conversation run{each.topology, std::chrono::milliseconds(6'000), std::chrono::milliseconds(2'000)};
    const std::string culprit = net::peer_name(each.topology, each.culprit);
    int named = 0;
    std::string said;
    for (const auto& [role, end] : tamper_with(each, deviation, run)) {
      said += "\n" + net::peer_name(each.topology, role) + " " + std::to_string(end.code) + ": " + end.message;
      const bool may_be_through = victim_only && role != each.victim && end.code == 0;
      EXPECT_TRUE(may_be_through || std::find(codes.begin(), codes.end(), end.code) != codes.end()) << said;
      EXPECT_LT(end.after.count(), 10.0) << said;
      named += role != each.culprit && end.message.find(culprit) != std::string::npos;
    }
    EXPECT_GE(named, 1) << culprit << " to " << net::peer_name(each.topology, each.victim) << said;
  });
}

const std::vector<FrameType> hellos{FrameType::hello, FrameType::confirm};
const std::vector<FrameType> all_frames{FrameType::hello, FrameType::confirm, FrameType::seed};

TEST(HostileHandshake, Garbage) { expect_refused(all_frames, Deviation::garbage, {4, 3}); }
TEST(HostileHandshake, UnknownType) { expect_refused(all_frames, Deviation::unknown_type, {4, 3}); }
TEST(HostileHandshake, Oversized) { expect_refused(all_frames, Deviation::oversized, {4, 3}); }
TEST(HostileHandshake, Longer) { expect_refused(all_frames, Deviation::longer, {4, 3}); }
TEST(HostileHandshake, Shorter) { expect_refused(all_frames, Deviation::shorter, {4, 3}); }
TEST(HostileHandshake, Truncated) { expect_refused(all_frames, Deviation::truncated, {3}); }
TEST(HostileHandshake, Replayed) { expect_refused(hellos, Deviation::replayed, {4, 3}); }
TEST(HostileHandshake, ReplayedSeed) { expect_refused({FrameType::seed}, Deviation::replayed, {4, 3}, true); }
TEST(HostileHandshake, Withheld) { expect_refused(hellos, Deviation::withheld, {4, 3}); }
TEST(HostileHandshake, HalfClosed) { expect_refused(all_frames, Deviation::half_closed, {3}); }

// A relay changes the bytes between real roles that speak TLS.
struct WireFault {
  std::string connects;
  std::string listens;
  bool up;
  ByteFault fault;
  std::size_t at;
};

constexpr double round_deadline = 4;
constexpr std::size_t in_the_run = 30'000;

struct Outcome {
  std::map<std::string, Ended> ends;
  double seconds = 0;
};

Outcome run_with(const WireFault& wire, std::uint64_t steps, double connect_deadline) {
  const TestFolder folder;
  RunPlan plans = plan_run(folder, {2, steps});
  for (auto& [key, role] : plans) {
    role.config.round_deadline_seconds = round_deadline;
    role.config.connect_deadline_seconds = connect_deadline;
  }
  auto filter = std::make_unique<ByteFaultFilter>(wire.fault, wire.at, 40);
  std::string& address = plans.at(wire.connects).config.peers.at(wire.listens);
  Relay relay(address, wire.up ? std::move(filter) : nullptr, wire.up ? nullptr : std::move(filter));
  address = relay.address();
  const Stopwatch watch;
  Outcome outcome;
  outcome.ends = run(folder, plans);
  outcome.seconds = watch.seconds();
  return outcome;
}

// Returns the fault in both directions of a link between parties, and in both directions of the actor's link. On the
// dealer's link, only the bytes from the dealer have the fault.
std::vector<WireFault> on_all_links(ByteFault fault, std::size_t at) {
  return {{"party_1", "party_0", true, fault, at},
          {"party_1", "party_0", false, fault, at},
          {"actor", "party_0", true, fault, at},
          {"actor", "party_0", false, fault, at},
          {"party_1", "dealer", false, fault, at}};
}

void expect_found(ByteFault fault, const std::vector<std::string>& what) {
  side_by_side(3, on_all_links(fault, in_the_run), [&](const WireFault& wire) {
    const Outcome outcome = run_with(wire, 300'000, 15);
    for (const auto& [key, end] : outcome.ends) {
      EXPECT_TRUE(says(end, name_of(wire.connects)) || says(end, name_of(wire.listens))) << key << ": " << end.output;
    }
    EXPECT_GE(count_saying(outcome.ends, what, 3), 1)
        << wire.connects << " to " << wire.listens << (wire.up ? " up: " : " down: ")
        << outcome.ends.at(wire.connects).error << "; " << outcome.ends.at(wire.listens).error;
    EXPECT_LT(outcome.seconds, round_deadline + slack_seconds);
  });
}

const std::string changed = "were changed";
const std::string silent = " has sent nothing for 4 s ";

TEST(WireFaults, ABitIsFlipped) { expect_found(ByteFault::flip, {changed, silent}); }
TEST(WireFaults, BytesAreLost) { expect_found(ByteFault::lose, {changed, silent}); }
TEST(WireFaults, BytesAreReplayed) { expect_found(ByteFault::repeat, {changed, silent}); }
TEST(WireFaults, BytesAreReordered) { expect_found(ByteFault::swap, {changed, silent}); }
TEST(WireFaults, TheLinkIsHalfClosed) {
  expect_found(ByteFault::close, {" was lost in round ", " left during the handshake"});
}
TEST(WireFaults, TheLinkIsReset) {
  expect_found(ByteFault::cut, {" was lost in round ", " left during the handshake"});
}
TEST(WireFaults, NothingArrives) { expect_found(ByteFault::hold, {silent}); }

TEST(WireFaults, ABadStartIsTriedAgain) {
  for (const ByteFault fault : {ByteFault::flip, ByteFault::lose, ByteFault::close, ByteFault::cut}) {
    side_by_side(3, on_all_links(fault, 100), [&](const WireFault& wire) {
      const Outcome outcome = run_with(wire, 40, 20);
      for (const auto& [key, end] : outcome.ends) {
        expect_discreet(key, end);
        EXPECT_EQ(end.code, 0) << int(fault) << " " << wire.connects << " to " << wire.listens
                               << (wire.up ? " up, " : " down, ") << key << ": " << end.output;
      }
    });
  }
}

}  // namespace
}  // namespace sotto::testing
