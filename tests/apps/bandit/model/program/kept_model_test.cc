#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/opened_arm.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit {
namespace {

struct Memory {
  std::vector<std::map<std::uint64_t, ModelShares>> kept;
  std::vector<std::map<std::uint64_t, CheckpointId>> ids;
  std::vector<std::size_t> begun;

  void resize(std::size_t roles) {
    kept.resize(roles);
    ids.resize(roles);
    begun.resize(roles);
  }
};

class KeepingSite final : public SiteOf<Contexts, Arms, Rewards, StepObserver, CheckpointStore> {
 public:
  KeepingSite(const BanditPlan& plan, Memory& memory, std::size_t role)
      : plan_(plan), kept_(memory.kept[role]), ids_(memory.ids[role]), begun_(memory.begun[role]) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    std::mt19937_64 random(1000 * step + party);
    const double bound = 1 / std::sqrt(static_cast<double>(plan_.parameters.features()));
    std::uniform_real_distribution<double> feature(-bound, bound);
    for (std::uint64_t& word : out) word = sotto::encode(feature(random), plan_.context_bits);
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return arm_ == step % 3 ? 1 : 0; }
  void step_begins(std::uint64_t) override { ++begun_; }
  CheckpointId name_checkpoint(std::uint64_t, const net::Digest& public_words) override { return public_words; }
  void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) override {
    kept_[steps] = shares;
    ids_[steps] = id;
  }
  void load(std::uint64_t steps, ModelShares& shares) override {
    const ModelShares& old = kept_.at(steps);
    EXPECT_EQ(shares.inverses.size(), old.inverses.size());
    EXPECT_EQ(shares.targets.size(), old.targets.size());
    shares = old;
  }

 private:
  const BanditPlan& plan_;
  std::map<std::uint64_t, ModelShares>& kept_;
  std::map<std::uint64_t, CheckpointId>& ids_;
  std::size_t& begun_;
  std::size_t arm_ = 0;
};

class KeptModel : public ::testing::TestWithParam<StepUpdate> {};
INSTANTIATE_TEST_SUITE_P(Updating, KeptModel, ::testing::Values(StepUpdate::all_arms, StepUpdate::pulled_arm),
                         [](const auto& update) {
                           return std::string(update.param == StepUpdate::all_arms ? "all_arms" : "the_pulled_arm");
                         });

BanditPlan kept_plan(StepUpdate update, std::size_t parties, std::uint64_t steps, bool separate_rewarder = false) {
  BanditParameters p;
  p.update = update;
  p.columns.assign(parties, 2);
  p.arms = 3;
  p.steps = steps;
  p.exploration.threshold = std::uint64_t{1} << 62;
  p.reveal_model = true;
  p.separate_rewarder = separate_rewarder;
  return plan_bandit(p);
}

protocols::Simulation<BanditModel> simulate_kept(const BanditPlan& plan, BanditSchedule schedule, Memory& memory) {
  const std::size_t roles = plan.parameters.topology().nodes() + 1;
  memory.resize(roles);
  std::vector<std::unique_ptr<KeepingSite>> sites;
  const auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) {
    const std::size_t role = sites.size();
    sites.push_back(std::make_unique<KeepingSite>(plan, memory, role));
    return private_bandit(party, plan, *sites.back(), schedule);
  });
  Memory none;
  none.resize(1);
  KeepingSite quiet(plan, none, 0);
  const Ledger planned = protocols::plan(plan.parameters.topology(),
                                         [&](Party& party) { return private_bandit(party, plan, quiet, schedule); });
  EXPECT_EQ(run.rounds, planned.total().rounds);
  EXPECT_EQ(run.sent, planned.total().sent);
  EXPECT_EQ(run.dealt, planned.total().dealt);
  return run;
}

std::vector<std::uint64_t> words_of(const Public& value) {
  std::vector<std::uint64_t> result;
  value.if_known([&](const Words& words) { result.assign(words.begin(), words.end()); });
  return result;
}

std::vector<std::uint64_t> sum_of(const Memory& memory, std::size_t parties, std::uint64_t steps,
                                  std::vector<std::uint64_t> ModelShares::*part) {
  std::vector<std::uint64_t> sum = memory.kept[0].at(steps).*part;
  for (std::size_t party = 1; party < parties; ++party) {
    const auto& words = memory.kept[party].at(steps).*part;
    EXPECT_EQ(words.size(), sum.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];
  }
  return sum;
}

TEST_P(KeptModel, OpensToWhatWasKept) {
  for (const std::size_t parties : {2u, 3u, 5u}) {
    const BanditPlan plan = kept_plan(GetParam(), parties, 20, parties == 3);
    Memory memory;
    const auto first = simulate_kept(plan, {0, 7}, memory);
    EXPECT_EQ(first.ledger.of(restore_phase).rounds, 0u);
    for (std::size_t role = 0; role < memory.kept.size(); ++role) {
      ASSERT_EQ(memory.kept[role].size(), 3u) << role;
      for (const std::uint64_t steps : {7u, 14u, 20u}) {
        EXPECT_EQ(memory.kept[role].at(steps).inverses.empty(), role >= parties);
        EXPECT_EQ(memory.kept[role].at(steps).targets.empty(), role >= parties);
      }
    }
    const std::vector<std::uint64_t> inverses = words_of(first.nodes[0].inverse_triangles);
    // The first half of the kept inverses is W, and the second half is A.
    const auto kept_inverses = [&] {
      std::vector<std::uint64_t> kept = sum_of(memory, parties, 20, &ModelShares::inverses);
      kept.resize(kept.size() / 2);
      return kept;
    };
    EXPECT_EQ(kept_inverses(), inverses);

    const std::size_t begun = memory.begun[0];
    const auto again = simulate_kept(plan, {20, 7}, memory);
    EXPECT_EQ(again.ledger.of(restore_phase).rounds, 1u);
    EXPECT_EQ(again.ledger.of(step_phase).rounds, 0u);
    EXPECT_EQ(memory.begun[0], begun);
    EXPECT_EQ(words_of(again.nodes[0].inverse_triangles), inverses);
    EXPECT_EQ(words_of(again.nodes[0].weights), words_of(first.nodes[0].weights));
  }
}

TEST_P(KeptModel, GoesOnFromTheMiddle) {
  for (const std::size_t parties : {2u, 3u, 5u}) {
    const BanditPlan plan = kept_plan(GetParam(), parties, 20);
    Memory memory;
    (void)simulate_kept(plan, {0, 5}, memory);
    const auto at_ten = sum_of(memory, parties, 10, &ModelShares::inverses);
    const auto rest = simulate_kept(plan, {10, 5}, memory);
    EXPECT_EQ(rest.ledger.of(restore_phase).rounds, 1u);
    EXPECT_EQ(rest.ledger.of(step_phase).rounds, 1 + 10 * plan.step->rounds(plan.parameters));
    for (const std::size_t begun : memory.begun) EXPECT_EQ(begun, 30u);
    EXPECT_EQ(sum_of(memory, parties, 10, &ModelShares::inverses), at_ten);
    auto inverses = sum_of(memory, parties, 20, &ModelShares::inverses);
    inverses.resize(inverses.size() / 2);
    EXPECT_EQ(inverses, words_of(rest.nodes[0].inverse_triangles));
  }
}

TEST_P(KeptModel, GoesOnBetweenTwoRefreshes) {
  constexpr std::size_t parties = 2;
  for (const std::uint64_t every : {100u, 128u, 300u}) {
    BanditPlan plan = kept_plan(GetParam(), parties, 600);
    plan.parameters.arms = 1;  // with one arm, its number of pulls does not depend on chance
    Memory memory;
    const auto whole = simulate_kept(plan, {0, every}, memory);
    EXPECT_EQ(whole.ledger.of(refresh_phase).rounds, 2 * plan.step->refresh_rounds());
    const auto A_and_W = sum_of(memory, parties, 600, &ModelShares::inverses);
    const auto b_and_w = sum_of(memory, parties, 600, &ModelShares::targets);
    const std::uint64_t from = 300 / every * every;
    const auto rest = simulate_kept(plan, {from, every}, memory);
    EXPECT_EQ(rest.ledger.of(refresh_phase).rounds, (from < 256 ? 2 : 1) * plan.step->refresh_rounds());
    const auto later_A = sum_of(memory, parties, 600, &ModelShares::inverses);
    const auto later_b = sum_of(memory, parties, 600, &ModelShares::targets);
    const auto second_half = [](const std::vector<std::uint64_t>& words) {
      return std::vector<std::uint64_t>(words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2), words.end());
    };
    EXPECT_EQ(second_half(later_A), second_half(A_and_W));
    EXPECT_EQ(second_half(later_b), second_half(b_and_w));
    for (std::size_t i = 0; i < later_b.size() / 2; ++i) {  // the first half is w
      EXPECT_NEAR(decode(later_b[i], plan.step->weight_bits), decode(b_and_w[i], plan.step->weight_bits), 1e-3);
    }
  }
}

TEST_P(KeptModel, AllNodesHaveOneIdForEachCheckpoint) {
  for (const bool separate : {false, true}) {
    constexpr std::size_t parties = 3;
    const BanditPlan plan = kept_plan(GetParam(), parties, 20, separate);
    Memory memory;
    const auto run = simulate_kept(plan, {0, 7}, memory);
    const std::size_t outside = separate ? 2 : 1;
    ASSERT_EQ(memory.ids.size(), parties + outside + 1);
    std::set<CheckpointId> seen;
    for (const std::uint64_t steps : {7u, 14u, 20u}) {
      const CheckpointId id = memory.ids[0].at(steps);
      EXPECT_NE(id, CheckpointId{});
      EXPECT_TRUE(seen.insert(id).second) << steps;
      for (std::size_t node = 0; node < parties + outside; ++node) EXPECT_EQ(memory.ids[node].at(steps), id) << node;
      EXPECT_EQ(memory.ids.back().at(steps), CheckpointId{}) << "the dealer is not told";
    }
    const Cost cost = run.ledger.of(checkpoint_phase);
    EXPECT_EQ(cost.rounds, 3u);
    EXPECT_EQ(cost.sent[0], 3 * outside * (FrameHeader::size + 32));
    for (std::size_t node = 1; node < parties + outside; ++node) EXPECT_EQ(cost.sent[node], 0u);

    Memory again;
    (void)simulate_kept(plan, {0, 7}, again);
    EXPECT_NE(again.ids[0].at(7), memory.ids[0].at(7));
  }
}

TEST_P(KeptModel, NoRunStartsAfterItsEnd) {
  const BanditPlan plan = kept_plan(GetParam(), 2, 5);
  Memory memory;
  EXPECT_THROW((void)simulate_kept(plan, {6, 0}, memory), std::invalid_argument);
}

TEST_P(KeptModel, ASiteThatKeptNothingSaysSo) {
  class Forgetful final : public SiteOf<Contexts, Arms, Rewards> {
    void context(std::size_t, std::uint64_t, std::span<std::uint64_t>) override {}
    void pull(std::uint64_t, std::size_t) override {}
    std::uint64_t reward(std::uint64_t) override { return 0; }
  };
  const BanditPlan plan = kept_plan(GetParam(), 2, 5);
  Forgetful site;
  const auto program = [&](Party& party) { return private_bandit(party, plan, site, {3, 0}); };
  EXPECT_THROW((void)protocols::simulate(plan.parameters.topology(), program), std::logic_error);
}

double chi_square_of_bytes(const std::vector<std::uint64_t>& words) {
  std::array<double, 256> counts{};
  for (const std::uint64_t word : words) {
    for (int byte = 0; byte < 8; ++byte) ++counts[word >> (8 * byte) & 0xff];
  }
  return apps::testing::chi_square(counts, static_cast<double>(8 * words.size()) / 256);
}

// The words of any n-1 parties, and the sum of these words, must be uniform. As a control, the sum of all parties'
// words is the model, which is not uniform.
TEST_P(KeptModel, SharesOfAnyButAllPartiesAreUniformStatistical) {
  constexpr std::size_t parties = 3;
  const BanditPlan plan = kept_plan(GetParam(), parties, 200);
  Memory memory;
  (void)simulate_kept(plan, {0, 1}, memory);
  for (const auto part : {&ModelShares::inverses, &ModelShares::targets}) {
    std::vector<std::uint64_t> all;
    for (std::size_t without = 0; without < parties; ++without) {
      std::vector<std::uint64_t> alone;
      std::vector<std::uint64_t> others;
      for (std::uint64_t steps = 1; steps <= 200; ++steps) {
        const auto sum = sum_of(memory, parties, steps, part);
        const auto& own = memory.kept[without].at(steps).*part;
        for (std::size_t i = 0; i < sum.size(); ++i) {
          alone.push_back(own[i]);
          others.push_back(sum[i] - own[i]);
        }
        all.insert(all.end(), sum.begin(), sum.end());
      }
      const double six_sigma = 255 + 6 * std::sqrt(2 * 255.);
      EXPECT_LT(chi_square_of_bytes(alone), six_sigma) << without;
      EXPECT_LT(chi_square_of_bytes(others), six_sigma) << without;
    }
    EXPECT_GT(chi_square_of_bytes(all), 10000) << "the control";
  }
}

using Numbers = std::vector<std::uint64_t>;

TEST(OneHot, IsThePlaceOfTheOnlyOne) {
  EXPECT_EQ(arm_of(Numbers{1}, 0), 0u);
  for (const std::size_t arms : {2u, 3u, 100u}) {
    for (std::size_t arm = 0; arm < arms; ++arm) {
      Numbers words(arms, 0);
      words[arm] = 1;
      EXPECT_EQ(arm_of(words, 0), arm);
    }
  }
}

TEST(OneHot, HasExactlyOneOne) {
  const Numbers cases[] = {{},          {0},           {0, 0, 0},  // no entry is 1
                           {1, 1, 0},   {1, 1, 1},                 // more than one entry is 1
                           {1, 0, 2},                              // the first 1 is not the only nonzero entry
                           {1, 1, 255}, {1, 128, 128}, {1, 3, 253}, {3, 127, 127},  // the entries add up to 1 mod 2^8
                           {0, 0, 255},                                             // the only nonzero entry is -1
                           {0, 257, 0},    // the only nonzero entry is 1 mod 2^8, but not reduced
                           {85, 86, 86}};  // the entries add up to 257
  for (const Numbers& words : cases) {
    EXPECT_THROW((void)arm_of(words, 3), ProtocolError) << ::testing::PrintToString(words);
  }
}

TEST(OneHot, IsRefusedByStepAndWithoutAWordOfIt) {
  try {
    (void)arm_of(Numbers{41, 42, 43}, 7);
    FAIL() << "accepted";
  } catch (const ProtocolError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::protocol_violation);
    EXPECT_EQ(error.kind(), ProtocolError::Kind::malformed);
    EXPECT_EQ(error.peer(), "compute parties");
    EXPECT_EQ(error.round(), 7u);
    const std::string message = error.what();
    EXPECT_THAT(message, HasSubstr("not one-hot"));
    for (const char* word : {"41", "42", "43"}) EXPECT_THAT(message, Not(HasSubstr(word)));
  }
}

class Site final : public SiteOf<Contexts, Arms, Rewards> {
 public:
  void context(std::size_t, std::uint64_t, std::span<std::uint64_t> out) override { out[0] = 1; }
  void pull(std::uint64_t, std::size_t) override { ++pulls; }
  std::uint64_t reward(std::uint64_t) override { return 0; }
  int pulls = 0;
};

// Plays one step of three arms in which party 0 adds the words of `added` to the words that it sends to the actor.
int pulls_where(const std::vector<unsigned>& added) {
  BanditParameters parameters{.columns = {1, 1}, .arms = added.size(), .steps = 1};
  const BanditPlan plan = plan_bandit(parameters);
  Site site;
  protocols::SimulationOptions options;
  options.insecure_seed = 1;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t, Bytes& frame) {
    if (from != 0 || to != actor_of(parameters.topology())) return;
    EXPECT_EQ(frame.size(), FrameHeader::size + added.size());
    for (std::size_t i = 0; i < added.size(); ++i) {
      std::byte& share = frame[FrameHeader::size + i];
      share = static_cast<std::byte>(std::to_integer<unsigned>(share) + added[i]);
    }
  };
  (void)protocols::simulate(
      parameters.topology(), [&](Party& party) { return private_bandit(party, plan, site); }, std::move(options));
  return site.pulls;
}

// In most cases the added words add up to 0 mod 2^8, so the entries still add up to 1.
TEST(OneHot, IsCheckedByTheActorOfARun) {
  EXPECT_EQ(pulls_where({0, 0, 0}), 1);
  for (const std::vector<unsigned>& added : std::vector<std::vector<unsigned>>{
           {1, 1, 1}, {2, 254, 0}, {128, 128, 0}, {85, 85, 86}, {255, 255, 255}, {3, 126, 127}}) {
    EXPECT_THROW((void)pulls_where(added), ProtocolError) << ::testing::PrintToString(added);
  }
}

}  // namespace
}  // namespace sotto::apps::bandit
