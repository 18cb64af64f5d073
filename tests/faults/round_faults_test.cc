// One of the real roles dies or stalls in a chosen round. A relay on one of the links sees the frame of this round, and
// signals the role before it passes the frame on.
#include <latch>

#include "apps/bandit/run/result/role_report.h"
#include "tests/faults/checks.h"
#include "tests/faults/tamper.h"
#include "tests/framework.h"
#include "tests/relay/relay.h"
#include "tests/side_by_side.h"

namespace sotto::testing {
namespace {

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

struct Struck {
  std::map<std::string, Ended> ends;
  Ended victim;
  double seconds = 0;
};

struct Strike {
  RunShape shape;
  std::string victim;
  int signal;
  std::uint64_t round;
  double round_deadline = 20;
};

// The dealer runs ahead of the rounds, so the number of a chunk, and not a round, determines when the dealer gets the
// signal.
std::unique_ptr<RelayFilter> trigger(const Strike& strike, std::function<void()> act) {
  const FrameType type = strike.victim == "dealer" ? FrameType::chunk : FrameType::round;
  return std::make_unique<AtFrame>(type, strike.round, std::move(act));
}

// The relay is on a link of the last party, which connects to party 0 and to the dealer. While the parties make
// randomness, party 0 sends to the last party in each round.
Struck strike_on(const TestFolder& folder, RunPlan plans, const Strike& strike, const Words& flags = {}) {
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
  const std::string last = "party_" + std::to_string(strike.shape.parties - 1);
  const bool dealers = strike.victim == "dealer";
  const std::string listener = dealers ? "dealer" : "party_0";
  auto filter = trigger(strike, act);
  std::string& address = plans.at(last).config.peers.at(listener);
  const bool from_listener = dealers || strike.shape.preprocessing != RandomnessBy::dealer;
  Relay relay(address, from_listener ? nullptr : std::move(filter), from_listener ? std::move(filter) : nullptr);
  address = relay.address();

  processes = start_all(folder, plans, flags);
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

Struck strike(const Strike& strike) {
  const TestFolder folder;
  return strike_on(folder, plan_run(folder, strike.shape), strike);
}

void for_all(const std::vector<Strike>& strikes, const std::function<void(const Strike&, const Struck&)>& check) {
  side_by_side(3, strikes, [&](const Strike& each) { check(each, strike(each)); });
}

// More steps than the dealer can deal ahead. If the dealer had dealt everything, no role would notice its death.
constexpr std::uint64_t many_steps = 200'000;

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

constexpr RunShape of_three{3, 400, false, true, RandomnessBy::replicated};
constexpr RunShape of_two{2, 400, false, true, RandomnessBy::ot};

void expect_lost(const Strike& strike, const Struck& struck) {
  expect_blame(struck.ends, strike.victim, 3, "was lost in round ");
  EXPECT_EQ(struck.victim.code, 1000 + SIGKILL);
  EXPECT_LT(struck.seconds, slack_seconds) << strike.victim << " in round " << strike.round;
}

TEST(RoundFaults, APartyIsKilledWhileRandomnessIsMade) {
  std::vector<Strike> strikes;
  for (const std::string victim : {"party_0", "party_1", "party_2", "actor"}) {
    for (const std::uint64_t round : {0, 30}) {
      strikes.push_back({of_three, victim, SIGKILL, round});
      if (victim != "party_2") strikes.push_back({of_two, victim, SIGKILL, round});
    }
  }
  for_all(strikes, expect_lost);
}

// The party is killed three times: while it makes its first randomness, in a step, and while it makes the randomness of
// the remaining steps. Each epoch has secrets of its own.
TEST(RoundFaults, ARunThatMakesRandomnessGoesOn) {
  for (RunShape shape : {of_three, of_two}) {
    shape.steps = 60;
    SCOPED_TRACE(name_of(shape.preprocessing));
    const TestFolder folder;
    RunPlan plans = plan_run(folder, shape);
    (void)apps::make_local_keys(plans.at("actor").config, folder.path());
    for (auto& [key, role] : plans) {
      role.config.checkpoint_every = 5;
      role.config.key = apps::key_file(folder.path(), key);
      role.config.state = folder.path() / ("state_" + key);
    }
    Words flags;
    for (const std::uint64_t round : {30, 250, 30}) {
      const Strike strike{shape, "party_1", SIGKILL, round};
      expect_lost(strike, strike_on(folder, plans, strike, flags));
      flags = {"--resume"};
    }
    Processes processes = start_all(folder, plans, flags);
    expect_all_end(end_all(processes), 0);
    const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(plans.at("actor").config.report);
    EXPECT_EQ(report.epoch, 4u);
    EXPECT_GT(report.from_step, 0u);
    EXPECT_EQ(report.reward_curve.back().step, shape.steps);
    EXPECT_GT(report.preprocessing_rounds, 60u);
  }
}

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
