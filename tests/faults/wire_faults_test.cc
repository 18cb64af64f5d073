// What happens to bytes on their way between real roles that speak TLS: a relay changes them, whatever they mean.
#include "tests/faults/checks.h"
#include "tests/relay/relay.h"
#include "tests/side_by_side.h"

namespace sotto::testing {
namespace {

// A link, by who connects and who listens, a direction of it, and what is done to it.
struct WireFault {
  std::string connects;
  std::string listens;
  bool up;
  ByteFault fault;
  std::size_t at;
};

constexpr double round_deadline = 4;
constexpr std::size_t in_the_run = 30'000;  // bytes: the handshakes are far behind

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

// Both directions of a link between parties, of the actor's, and the dealer's direction of its own.
std::vector<WireFault> on_all_links(ByteFault fault, std::size_t at) {
  return {{"party_1", "party_0", true, fault, at},
          {"party_1", "party_0", false, fault, at},
          {"actor", "party_0", true, fault, at},
          {"actor", "party_0", false, fault, at},
          {"party_1", "dealer", false, fault, at}};
}

// Every role ends with code 3 in time, names an end of that link, and one says what was found.
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

// One end finds records that are not authentic, and tells the other.
const std::string changed = "were changed";
const std::string silent = " has sent nothing for 4 s ";

TEST(WireFaults, ABitIsFlipped) { expect_found(ByteFault::flip, {changed, silent}); }
TEST(WireFaults, BytesAreLost) { expect_found(ByteFault::lose, {changed, silent}); }
TEST(WireFaults, BytesAreReplayed) { expect_found(ByteFault::repeat, {changed, silent}); }
TEST(WireFaults, BytesAreReordered) { expect_found(ByteFault::swap, {changed, silent}); }
// The dealer begins to send before all have set up.
TEST(WireFaults, TheLinkIsHalfClosed) {
  expect_found(ByteFault::close, {" was lost in round ", " left during the handshake"});
}
TEST(WireFaults, TheLinkIsReset) {
  expect_found(ByteFault::cut, {" was lost in round ", " left during the handshake"});
}
TEST(WireFaults, NothingArrives) { expect_found(ByteFault::hold, {silent}); }

// In the handshake of TLS nothing is lost yet: the connection is made again, and the run is done.
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
