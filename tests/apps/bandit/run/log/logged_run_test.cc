#include <deque>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/run/sites/site.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"
#include "tests/apps/bandit/run/log/logs.h"

namespace sotto::apps::bandit::run::testing {

using namespace bandit::testing;
namespace {

using Kept = std::vector<ModelShares>;

class SharesOfRole final : public CheckpointStore {
 public:
  SharesOfRole(Kept* kept, std::size_t role) : kept_(kept), role_(role) {}
  CheckpointId name_checkpoint(std::uint64_t, const net::Digest& public_words) override { return public_words; }
  void save(std::uint64_t, const ModelShares& shares, const CheckpointId&) override {
    if (!shares.inverses.empty()) kept_->at(role_) = shares;
  }
  void load(std::uint64_t steps, ModelShares& shares) override {
    EXPECT_EQ(steps, 0u);
    EXPECT_EQ(shares.inverses.size(), kept_->at(role_).inverses.size());
    shares = kept_->at(role_);
  }

 private:
  Kept* kept_;
  std::size_t role_;
};

protocols::Simulation<BanditModel> learn_log(const BanditPlan& plan, const LoggedWorld& world, Kept& kept,
                                             std::uint64_t checkpoint_every) {
  const Topology topology = plan.parameters.topology();
  kept.resize(topology.parties());
  std::vector<std::unique_ptr<LoggedRole>> sites;
  std::deque<SharesOfRole> shares;
  const BanditSchedule schedule{0, checkpoint_every};
  const auto run = protocols::simulate(topology, [&](Party& party) {
    const std::size_t role = sites.size();
    sites.push_back(world.site(plan, role));
    sites.back()->add(shares.emplace_back(&kept, role));
    return private_bandit(party, plan, *sites.back(), schedule);
  });
  BanditSite quiet;
  const Ledger planned =
      protocols::plan(topology, [&](Party& party) { return private_bandit(party, plan, quiet, schedule); });
  EXPECT_EQ(planned.total(), run.ledger.total());
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  return run;
}

Numbers total(const Kept& kept, Numbers ModelShares::*part, bool second) {
  const std::size_t half = (kept.front().*part).size() / 2;
  Numbers sum(half, 0);
  for (const ModelShares& shares : kept) {
    for (std::size_t i = 0; i < half; ++i) sum[i] += (shares.*part)[i + (second ? half : 0)];
  }
  return sum;
}

class LoggedRun : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LoggedRun, LearnsExactlyAndDecidesNothing) {
  LoggedWorld world(GetParam(), 3, 70);
  BanditParameters parameters = world.parameters();
  parameters.batch = 32;
  const BanditPlan plan = plan_bandit(parameters);
  Kept kept;
  const auto run = learn_log(plan, world, kept, 70);
  EXPECT_EQ(run.ledger.of(learn_phase).rounds, 3 * BatchPlan::learn_rounds);
  EXPECT_EQ(run.ledger.of(decide_phase).rounds, 0u);
  EXPECT_EQ(run.rounds, 3 * BatchPlan::learn_rounds + 1);

  IntegerSums sums(*plan.batches);
  for (std::size_t t = 0; t < 70; ++t) {
    sums.add(world.log.arm(t), world.words(plan, t), static_cast<std::uint64_t>(world.log.reward(t)));
  }
  EXPECT_EQ(total(kept, &ModelShares::inverses, true), sums.gram);
  EXPECT_EQ(total(kept, &ModelShares::targets, true), sums.targets);
}

TEST_P(LoggedRun, IsBegunFromWithNothingLost) {
  LoggedWorld world(GetParam(), 3, 70);
  BanditParameters parameters = world.parameters();
  parameters.batch = 32;
  const BanditPlan plan = plan_bandit(parameters);
  Kept kept;
  (void)learn_log(plan, world, kept, 70);

  LoggedWorld later(GetParam(), 3, 50, 9);
  BanditParameters more = later.parameters();
  more.batch = 20;
  more.events_before = 70;
  more.before = plan.batches->model_bits();
  const BanditPlan second = plan_bandit(more);
  Kept after = kept;
  const auto run = learn_log(second, later, after, 50);
  EXPECT_EQ(run.ledger.of(restore_phase).rounds, 1u);

  IntegerSums sums(*second.batches);
  for (std::size_t t = 0; t < 70; ++t) {
    sums.add(world.log.arm(t), world.words(second, t), static_cast<std::uint64_t>(world.log.reward(t)));
  }
  for (std::size_t t = 0; t < 50; ++t) {
    sums.add(later.log.arm(t), later.words(second, t), static_cast<std::uint64_t>(later.log.reward(t)));
  }
  EXPECT_EQ(total(after, &ModelShares::inverses, true), sums.gram);
  EXPECT_EQ(total(after, &ModelShares::targets, true), sums.targets);
  const Numbers w = total(after, &ModelShares::targets, false);
  const std::size_t d = second.parameters.features();
  for (std::size_t arm = 0; arm < 3; ++arm) {
    const Eigen::MatrixXd A = matrix_of(sums.gram, arm, d, 2 * second.context_bits);
    const Eigen::VectorXd exact = solved(A, vector_of(sums.targets, arm, d, second.context_bits));
    EXPECT_LT((vector_of(w, arm, d, second.batches->weight_bits) - exact).cwiseAbs().maxCoeff(), 2e-3) << arm;
  }
}

INSTANTIATE_TEST_SUITE_P(Parties, LoggedRun, ::testing::Values(2, 3, 5), ::testing::PrintToStringParamName());

TEST(LoggedRunOf, SingleStepsIsBegunFromInBatches) {
  LoggedWorld world(2, 3, 40);
  BanditParameters parameters = world.parameters();
  parameters.batch = 8;
  parameters.events_before = 10;
  BanditParameters before = world.parameters();
  before.task = BanditTask::play;
  before.steps = 10;
  parameters.before = plan_bandit(before).step->model_bits();
  const BanditPlan plan = plan_bandit(parameters);
  ASSERT_GT(parameters.before.inverse, plan.inverse_bits);
  // Party 0 has the whole model of a bandit that has learned nothing, and the shares of party 1 are zero.
  Kept kept(2);
  const std::size_t d = plan.parameters.features();
  for (const unsigned bits : {parameters.before.inverse, parameters.before.gram}) {
    for (std::size_t arm = 0; arm < 3; ++arm) {
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = i; j < d; ++j) kept[0].inverses.push_back(i == j ? std::uint64_t{1} << bits : 0);
      }
    }
  }
  kept[0].targets.assign(2 * 3 * d, 0);
  kept[1] = {Numbers(kept[0].inverses.size(), 0), Numbers(kept[0].targets.size(), 0)};
  const auto run = learn_log(plan, world, kept, 40);
  EXPECT_EQ(run.ledger.of(restore_phase).rounds, 1u);
  IntegerSums sums(*plan.batches);
  for (std::size_t t = 0; t < 40; ++t) {
    sums.add(world.log.arm(t), world.words(plan, t), static_cast<std::uint64_t>(world.log.reward(t)));
  }
  EXPECT_EQ(total(kept, &ModelShares::inverses, true), sums.gram);
}

TEST(LoggedRunOf, FewerBitsIsRefused) {
  LoggedWorld world(2, 3, 40);
  BanditParameters parameters = world.parameters();
  parameters.events_before = 10;
  parameters.before = plan_bandit(parameters).batches->model_bits();
  parameters.before.targets += 4;
  const BanditPlan plan = plan_bandit(parameters);
  BanditSite site;
  const std::string error = error_of<InputError>([&] {
    return protocols::plan(plan.parameters.topology(), [&](Party& party) { return private_bandit(party, plan, site); });
  });
  EXPECT_THAT(error, HasSubstr("the model that this run begins from has b at 24 fraction bits"));
}

TEST(ModelNames, ComeBackAndNothingElseDoes) {
  ModelName name;
  name.id = std::string(64, 'a');
  name.events = 1000;
  name.arms = 3;
  name.features = 7;
  name.bits = {40, 36, 34, 20};
  name.max_norm = 1.5;
  name.reward_scale = 400;
  EXPECT_EQ(parse_model_name(to_text(name), "party 1"), name);
  for (const std::string& text : {std::string("x"), to_text(name) + " 1", replaced(to_text(name), "1000", "0"),
                                  replaced(to_text(name), " 40", " 63"), replaced(to_text(name), "aaaa", "aaa"),
                                  replaced(to_text(name), "400", "-400"), std::string(64, 'a')}) {
    EXPECT_THAT(error_of<ProtocolError>([&] { return parse_model_name(text, "party 1"); }), HasSubstr("party 1"))
        << text;
  }
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
