// Frames of the handshake that are not as they should be: no role sets out, all end in time with a typed error, and
// whoever finds it names the one at fault.
#include <gtest/gtest.h>

#include "tests/faults/conversation.h"
#include "tests/side_by_side.h"

namespace sotto::testing {
namespace {

// Of who connects and of who listens, of every kind of role.
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

// `victim_only` where nobody but the victim waits for what the deviation touches: the others may be through before they
// hear of it.
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

}  // namespace
}  // namespace sotto::testing
