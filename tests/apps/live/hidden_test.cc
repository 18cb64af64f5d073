// Two facts must not be visible: the number of events, and which features a party had.
#include <fmt/format.h>

#include "apps/live/engine/live_programs.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/live/service.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;
namespace {

// The parts of an actor's frame that its receivers can see: time, kind and length.
struct SeenFrame {
  LiveTime at;
  std::size_t kind;
  std::size_t bytes;

  friend bool operator==(const SeenFrame&, const SeenFrame&) = default;
};

class Hidden : public InService {
 protected:
  static constexpr LiveTime end = start + 4000;

  Hidden() {
    settings.cadence = 100;
    settings.padding = LivePadding::hidden;
    settings.reward_wait = 1000;
    settings.remember = 10'000;
  }

  std::vector<SeenFrame> frames_with(unsigned events) {
    for (Disk& disk : disks) disk = Disk{};
    unsigned dummies = 10'000;
    peers.padding_event = [&] { return live_event(dummies++); };
    if (with_subjects) peers.padding_subject = [] { return std::string("p-dummies"); };
    begin();
    std::vector<SeenFrame> seen;
    unsigned next = 1;
    unsigned told = 0;
    for (LiveTime now = start; now < end; now += 10) {
      if ((now - start) % 100 == 50) {
        for (unsigned i = 0; i < events; ++i) {
          DecisionRequest request = live_request(next++);
          if (with_subjects) request.subject = fmt::format("p-{:07}", next);
          EXPECT_EQ(actor().ask(request, now).status, AskStatus::pending);
        }
      }
      told += turn(now, seen);
    }
    EXPECT_GE(told + 2 * events, (next - 1)) << "all but the last are told";
    return seen;
  }

  unsigned turn(LiveTime now, std::vector<SeenFrame>& seen) {
    const auto note = [&](const OrderFrame& frame) { seen.push_back({now, frame.index(), encode(frame).size()}); };
    if (const auto plan = actor().plan(now)) {
      note(*plan);
      service->dealer->plan(*plan);
    }
    const auto proposal = actor().propose(now);
    if (!proposal) {
      if (const auto settled = actor().settle(now)) note(*settled);
      return 0;
    }
    for (const SkipFrame& skip : proposal->skips) {
      note(skip);
      service->dealer->skip(skip);
    }
    if (proposal->begin) {
      note(*proposal->begin);
      for (const auto& each : service->parties) each->begin(*proposal->begin);
      rewarder().begin(*proposal->begin);
      service->end_rounds();
      return 0;
    }
    note(proposal->propose);
    for (const auto& each : service->parties) each->propose(proposal->propose.entry, now);
    rewarder().propose(proposal->propose.entry);
    return static_cast<unsigned>(service->finish(now).size());
  }

  bool with_subjects = false;
};

TEST_F(Hidden, ACadenceShowsNoNumberOfEvents) {
  const std::vector<SeenFrame> none = frames_with(0);
  EXPECT_GT(none.size(), 60u) << "a propose each 100 ms, and learns";
  EXPECT_EQ(frames_with(1), none);
  EXPECT_EQ(frames_with(3), none);
}

TEST_F(Hidden, NorDoSubjects) {
  with_subjects = true;
  const std::vector<SeenFrame> none = frames_with(0);
  EXPECT_EQ(frames_with(1), none);
  EXPECT_EQ(frames_with(4), none);
}

// Shows that the test can fail: without hidden padding, the observer can tell the numbers of events apart.
TEST_F(Hidden, OpenPaddingShowsIt) {
  settings.padding = LivePadding::open;
  const std::vector<SeenFrame> none = frames_with(0);
  EXPECT_NE(frames_with(1), none);
}

TEST_F(Hidden, DummiesHaveSubjects) {
  settings.cadence.reset();
  with_subjects = true;
  peers.padding_event = [n = 900u]() mutable { return live_event(n++); };
  peers.padding_subject = [] { return std::string("p-dummies"); };
  begin();
  DecisionRequest request = live_request(1);
  request.subject = "p-81f2";
  EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  ask(2, 1, start);
  const auto entry = service->propose(start);
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->subjects, ElementsAre("p-81f2", "-", "p-dummies", "p-dummies"));
}

using DealerHears = Hidden;

TEST_F(DealerHears, ShapesAndNothingElse) {
  const auto heard = [&](unsigned first) {
    for (Disk& disk : disks) disk = Disk{};
    settings.cadence.reset();
    settings.padding = LivePadding::open;
    begin();
    std::vector<std::byte> bytes;
    for (unsigned i = 0; i < 5; ++i) {
      ask(first + i, 1, start);
      if (const auto plan = actor().plan(start)) {
        const auto frame = encode(OrderFrame(*plan));
        bytes.insert(bytes.end(), frame.begin(), frame.end());
        service->dealer->plan(*plan);
      }
      const auto proposal = actor().propose(start);
      if (!proposal) continue;
      for (const SkipFrame& skip : proposal->skips) {
        const auto frame = encode(OrderFrame(skip));
        bytes.insert(bytes.end(), frame.begin(), frame.end());
        service->dealer->skip(skip);
      }
      for (const auto& each : service->parties) each->propose(proposal->propose.entry, start);
      rewarder().propose(proposal->propose.entry);
      (void)service->finish(start);
    }
    return bytes;
  };
  const std::vector<std::byte> some = heard(1);
  EXPECT_FALSE(some.empty());
  EXPECT_EQ(heard(500), some);
}

struct SeenRound {
  NodeId from, to;
  std::uint64_t round;
  Bytes frame;
};

BatchPlan small_plan(bool may_skip) {
  BanditParameters parameters;
  parameters.columns = {2, 2};
  parameters.arms = 3;
  parameters.steps = 1000;
  parameters.separate_rewarder = true;
  return plan_batches(std::move(parameters), 4, may_skip);
}

// All frames of the two runs must agree in roles and lengths. In the first round, the frames of all roles except `but`
// must be equal, byte by byte.
void expect_alike(const std::vector<SeenRound>& one, const std::vector<SeenRound>& other, NodeId but) {
  ASSERT_EQ(one.size(), other.size());
  bool differs = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].from, other[i].from);
    EXPECT_EQ(one[i].to, other[i].to);
    EXPECT_EQ(one[i].frame.size(), other[i].frame.size());
    const bool is_first = one[i].from != but && one[i].round == one.front().round;
    EXPECT_TRUE(!is_first || one[i].frame == other[i].frame) << i;
    differs = differs || one[i].frame != other[i].frame;
  }
  EXPECT_TRUE(differs) << "what differs goes into the rounds";
}

template <class Program>
std::vector<SeenRound> frames_of(const BatchPlan& plan, const Program& program) {
  std::vector<SeenRound> seen;
  protocols::SimulationOptions options;
  options.insecure_seed = 3;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t round, Bytes& frame) {
    seen.push_back({from, to, round, frame});
  };
  (void)protocols::simulate(plan.parameters.topology(), program, options);
  return seen;
}

std::vector<SeenRound> frames_of_decide(const std::vector<std::vector<double>>& rows) {
  const BatchPlan plan = small_plan(false);
  const auto program = [&](Party& party) {
    DecideInputs inputs;
    inputs.size = 4;
    const bool is_first = party.is(0);
    inputs.contexts =
        encode_rows(is_first ? std::vector<std::vector<double>>{{.1, .2}, {.3, .4}} : rows, 4, 2, plan.context_bits);
    return run_decide(party, plan, std::move(inputs));
  };
  return frames_of(plan, program);
}

TEST(MissingFeatures, DoNotShowInFrames) {
  expect_alike(frames_of_decide({{.5, -.1}, {.2, 0}}), frames_of_decide({{.25, .25}, {.2, 0}}), 1);
}

TEST(ArmsOfADecide, LeaveLast) {
  for (const unsigned kind : {0u, 1u, 2u, 3u}) {
    const std::size_t parties = kind < 2 ? 2 : 3;
    const bool notes_best = kind % 2 == 1;
    BatchPlan plan = small_plan(false);
    plan.parameters.columns.assign(parties, 2);
    plan.notes_best = notes_best;
    std::vector<DecideResult> written(parties);
    protocols::SimulationOptions options;
    const Topology topology = plan.parameters.topology();
    std::size_t frames = 0;
    options.tap = [&](NodeId from, NodeId to, std::uint64_t, Bytes& frame) {
      if (from >= parties || to != actor_of(topology) || frame.empty()) return;
      ++frames;
      EXPECT_FALSE(written[from].lanes.empty()) << "party " << from;
      EXPECT_EQ(written[from].best.size(), notes_best ? 4u : 0u) << "party " << from;
    };
    const auto program = [&](Party& party) {
      DecideInputs inputs;
      inputs.size = 4;
      inputs.check_openings = parties > 2;
      inputs.contexts = encode_rows({{.1, .2}, {.3, .4}}, 4, 2, plan.context_bits);
      inputs.before_arms_leave = [&](const DecideResult& result) {
        for (NodeId p = 0; p < parties; ++p) {
          if (party.is(p)) written[p] = result;
        }
      };
      return run_decide(party, plan, std::move(inputs));
    };
    const auto run = protocols::simulate(topology, program, options);
    EXPECT_EQ(frames, parties);
    for (std::size_t p = 0; p < parties; ++p) {
      EXPECT_EQ(run.nodes[p].lanes, written[p].lanes);
      EXPECT_EQ(run.nodes[p].openings, written[p].openings) << "all that the parties open is open by then";
      EXPECT_EQ(written[p].openings, written[0].openings);
    }
  }
}

std::vector<SeenRound> frames_of_learn(const std::vector<std::optional<std::uint64_t>>& rewards) {
  const BatchPlan plan = small_plan(true);
  const auto program = [&](Party& party) {
    LearnInputs inputs;
    inputs.size = 4;
    inputs.contexts = encode_rows({{.1, .2}, {.3, .4}}, 4, 2, plan.context_bits);
    inputs.arms = {1, 2};
    for (const auto& reward : rewards) {
      inputs.rewards.push_back(reward.value_or(0));
      inputs.learned.push_back(reward ? 1 : 0);
    }
    return run_learn(party, plan, std::move(inputs));
  };
  return frames_of(plan, program);
}

TEST(MissingRewards, DoNotShowInFrames) {
  const std::vector<SeenRound> rewarded = frames_of_learn({1, 1});
  expect_alike(rewarded, frames_of_learn({0, 1}), 3);
  expect_alike(rewarded, frames_of_learn({std::nullopt, 1}), 3);
}

}  // namespace
}  // namespace sotto::apps::live::testing
