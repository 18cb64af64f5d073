// Real roles of which one dies or stalls in a chosen round: a relay on one of their links sees the round's frame and
// sends the signal before that frame goes on.
#include <latch>

#include "tests/faults/checks.h"
#include "tests/faults/tamper.h"
#include "tests/relay/relay.h"
#include "tests/side_by_side.h"

namespace sotto::testing {
namespace {

// Calls `act` when the frame of this type and round has come, before it goes on.
class AtFrame final : public RelayFilter {
 public:
  AtFrame(FrameType type, std::uint64_t round, std::function<void()> act)
      : type_(type), round_(round), act_(std::move(act)) {}

  RelayBytes put(std::span<const std::byte> bytes) override {
    RelayBytes out;
    cutter_.put(bytes);
    while (const auto frame = cutter_.next()) {
      if (act_ && frame->header.type == type_ && frame->header.round == round_) std::exchange(act_, {})();
      out.insert(out.end(), frame->bytes.begin(), frame->bytes.end());
    }
    return out;
  }

 private:
  FrameType type_;
  std::uint64_t round_;
  std::function<void()> act_;
  FrameCutter cutter_;
};

// A run whose role `victim` gets `signal` in a round.
struct Struck {
  std::map<std::string, Ended> ends;  // all but the victim's
  Ended victim;
  double seconds = 0;  // from the signal to the last end
};

struct Strike {
  RunShape shape;
  std::string victim;
  int signal;
  std::uint64_t round;
  double round_deadline = 20;
};

// The dealer runs ahead of the rounds, so it is struck by the number of its chunk.
std::unique_ptr<RelayFilter> trigger(const Strike& strike, std::function<void()> act) {
  const FrameType type = strike.victim == "dealer" ? FrameType::chunk : FrameType::round;
  return std::make_unique<AtFrame>(type, strike.round, std::move(act));
}

Struck strike(const Strike& strike) {
  const TestFolder folder;
  RunPlan plans = plan_run(folder, strike.shape);
  for (auto& [key, role] : plans) role.config.round_deadline_seconds = strike.round_deadline;
  Processes processes;
  std::latch started(1);
  std::mutex mutex;
  std::optional<Stopwatch> since;
  const auto act = [&] {
    started.wait();
    processes.at(strike.victim)->signal(strike.signal);
    const std::lock_guard lock(mutex);
    since.emplace();
  };
  // The last party connects to party 0 and to the dealer.
  const std::string last = "party_" + std::to_string(strike.shape.parties - 1);
  const bool dealers = strike.victim == "dealer";
  const std::string listener = dealers ? "dealer" : "party_0";
  auto filter = trigger(strike, act);
  std::string& address = plans.at(last).config.peers.at(listener);
  // While three parties make randomness, it is party 0 that sends to the last one in each round.
  const bool from_listener = dealers || strike.shape.preprocessing != apps::RandomnessBy::dealer;
  Relay relay(address, from_listener ? nullptr : std::move(filter), from_listener ? std::move(filter) : nullptr);
  address = relay.address();

  processes = start_all(folder, plans);
  started.count_down();
  Struck result;
  for (auto& [key, process] : processes) {
    if (key != strike.victim) result.ends[key] = end_of(*process);
  }
  {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(since.has_value());
    if (since) result.seconds = since->seconds();
  }
  processes.at(strike.victim)->signal(SIGCONT);
  result.victim = end_of(*processes.at(strike.victim));
  return result;
}

void for_all(const std::vector<Strike>& strikes, const std::function<void(const Strike&, const Struck&)>& check) {
  side_by_side(3, strikes, [&](const Strike& each) { check(each, strike(each)); });
}

// More than the dealer can deal ahead: one that has dealt everything is not missed.
constexpr std::uint64_t many_steps = 200'000;

// Every round of the first step, and one in the midst.
std::vector<Strike> in_every_round(const std::string& victim, int signal, double round_deadline) {
  std::vector<Strike> strikes;
  for (const std::uint64_t round : {0, 1, 2, 3, 4, 5, 6, 100}) {
    strikes.push_back({{2, many_steps, false, true}, victim, signal, round, round_deadline});
  }
  strikes.push_back({{3, many_steps, false, true}, victim, signal, 9, round_deadline});
  strikes.push_back({{5, many_steps, false, true}, victim, signal, 18, round_deadline});
  return strikes;
}

void expect_deaths_named(const std::string& victim) {
  for_all(in_every_round(victim, SIGKILL, 20), [](const Strike& strike, const Struck& struck) {
    expect_blame(struck.ends, strike.victim, 3, "was lost in round ");
    EXPECT_EQ(struck.victim.code, 1000 + SIGKILL);
    EXPECT_LT(struck.seconds, slack_seconds) << strike.victim << " in round " << strike.round;
  });
}

TEST(RoundFaults, APartyIsKilled) { expect_deaths_named("party_0"); }
TEST(RoundFaults, TheLastPartyIsKilled) { expect_deaths_named("party_1"); }
TEST(RoundFaults, TheDealerIsKilled) { expect_deaths_named("dealer"); }
TEST(RoundFaults, TheActorIsKilled) { expect_deaths_named("actor"); }

// Before the first step the parties make randomness; there is no dealer that could be struck.
TEST(RoundFaults, APartyIsKilledWhileRandomnessIsMade) {
  std::vector<Strike> strikes;
  for (const std::string victim : {"party_0", "party_1", "party_2", "actor"}) {
    for (const std::uint64_t round : {0, 30}) {
      strikes.push_back({{3, 400, false, true, apps::RandomnessBy::replicated}, victim, SIGKILL, round});
    }
  }
  for_all(strikes, [](const Strike& strike, const Struck& struck) {
    expect_blame(struck.ends, strike.victim, 3, "was lost in round ");
    EXPECT_EQ(struck.victim.code, 1000 + SIGKILL);
    EXPECT_LT(struck.seconds, slack_seconds) << strike.victim << " in round " << strike.round;
  });
}

// A process that is stopped keeps its links open and says nothing. When it goes on, it reports what the others have
// told it.
void expect_stalls_named(const std::string& victim) {
  constexpr double deadline = 4;
  for_all(in_every_round(victim, SIGSTOP, deadline), [](const Strike& strike, const Struck& struck) {
    expect_blame(struck.ends, strike.victim, 3, "has sent nothing for 4 s in round ");
    EXPECT_LT(struck.seconds, deadline + slack_seconds);
    EXPECT_EQ(struck.victim.code, 3) << struck.victim.output;
    expect_discreet(strike.victim, struck.victim);
  });
}

TEST(RoundFaults, APartyStalls) { expect_stalls_named("party_0"); }
TEST(RoundFaults, TheLastPartyStalls) { expect_stalls_named("party_1"); }
TEST(RoundFaults, TheDealerStalls) { expect_stalls_named("dealer"); }
TEST(RoundFaults, TheActorStalls) { expect_stalls_named("actor"); }

// One role alone is interrupted: all others hear that, and nobody hangs.
TEST(RoundFaults, ARoleIsInterrupted) {
  for_all({{{2, many_steps, false, true}, "party_0", SIGTERM, 30},
           {{2, many_steps, false, true}, "party_1", SIGINT, 31},
           {{2, many_steps, false, true}, "actor", SIGTERM, 32},
           {{2, many_steps, false, true}, "dealer", SIGTERM, 33},
           {{2, many_steps, false, true}, "party_0", SIGHUP, 35},
           {{2, many_steps, false, true}, "actor", SIGQUIT, 36},
           {{3, many_steps, false, true}, "party_1", SIGTERM, 34}},
          [](const Strike& strike, const Struck& struck) {
            expect_blame(struck.ends, strike.victim, 3, "reports: interrupted");
            EXPECT_EQ(struck.victim.code, 130) << struck.victim.output;
            EXPECT_LT(struck.seconds, slack_seconds);
          });
}

}  // namespace
}  // namespace sotto::testing
