// Single steps after 10^5 to 10^7 earlier pulls, for all kinds of contexts. At the start, the sums A and b contain all
// earlier pulls. W is the rounded inverse of A, and w is the rounded product of this inverse and b.

#include <fmt/format.h>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/preprocessing/dealt.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"
#include "tests/apps/bandit/model/step/step_twin.h"
#include "tests/apps/bandit/model/worlds.h"

namespace sotto::apps::bandit::testing {
namespace {

constexpr std::size_t repeated_contexts = 4096;

enum class News { more_of_it, new_arm, new_direction };

struct LongSteps {
  std::string kind;
  std::size_t features;
  std::uint64_t pulls;
  News news;
  std::uint64_t steps = 1024;
  StepUpdate update = StepUpdate::all_arms;
};

BanditPlan plan_of(const LongSteps& c) {
  BanditParameters p;
  p.columns = {1, c.features - 1};
  p.arms = 1;
  p.steps = (c.pulls + c.steps) / 1024 * 1024 + 1024;
  p.reveal_model = true;
  p.update = c.update;
  return plan_bandit(std::move(p));
}

struct Past {
  explicit Past(const LongSteps& c) : plan(plan_of(c)), d(c.features) {
    std::mt19937_64 random(11);
    Eigen::VectorXd beta = long_context("Isotropic", 0, d, random);
    if (c.kind == "Lever") beta = Eigen::VectorXd::Unit(static_cast<Eigen::Index>(d), 1);
    std::vector<Eigen::VectorXd> base;
    std::vector<double> values;
    for (std::size_t row = 0; row < repeated_contexts; ++row) {
      base.push_back(long_context(c.kind, row, d, random));
      values.push_back(base.back().dot(beta));
    }
    std::nth_element(values.begin(), values.begin() + repeated_contexts / 2, values.end());
    const double middle = values[repeated_contexts / 2];
    const auto pays = [&](const Eigen::VectorXd& x) { return x.dot(beta) >= middle ? 1U : 0U; };
    const std::uint64_t times = c.news == News::new_arm ? 0 : c.pulls / repeated_contexts;
    A.assign(d * d, 0);
    b.assign(d, 0);
    for (std::size_t i = 0; i < d; ++i) A[i * d + i] = std::uint64_t{1} << (2 * plan.context_bits);
    for (const Eigen::VectorXd& x : base) {
      const Numbers row = encoded(x, plan.context_bits);
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) A[i * d + j] += times * row[i] * row[j];
        b[i] += times * pays(x) * row[i];
      }
    }
    const Eigen::MatrixXd gram = whole(A, d, 2 * plan.context_bits);
    const Eigen::MatrixXd inverse = inverse_of(gram);
    const Eigen::VectorXd weights = solved(gram, vector_of(b, 0, d, plan.context_bits));
    W.resize(d * d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) {
        const double entry = inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        W[i * d + j] = W[j * d + i] = sotto::encode(entry, plan.inverse_bits);
      }
    }
    w = encoded(weights, plan.step->weight_bits);

    for (std::uint64_t step = 0; step < c.steps; ++step) {
      const bool second = c.news != News::more_of_it && (step < 300 || step % 8 == 0);
      const char* other = c.news == News::new_arm ? "Isotropic" : "Turned";
      const Eigen::VectorXd x = long_context(second ? other : c.kind, step, d, random);
      rows.push_back(encoded(x, plan.context_bits));
      rewards.push_back(pays(x));
    }
    for (std::size_t i = 0; i < 50; ++i) probes.push_back(long_context(c.kind, i, d, random));
    for (std::size_t i = 0; i < 50; ++i) probes.push_back(long_context("Isotropic", 0, d, random));
    from = plan.parameters.steps - c.steps;
  }

  BanditPlan plan;
  std::size_t d;
  Numbers A, b, W, w;
  std::vector<Numbers> rows;
  Numbers rewards;
  std::vector<Eigen::VectorXd> probes;
  std::uint64_t from;
};

// M is A^(1/2) W A^(1/2), and w is the vector of weights.
struct Judged {
  double least = 9;      // least eigenvalue of M, at any time
  double off = 0;        // |I - M|, at any time
  double refreshed = 0;  // |I - M|, after a refresh
  double own = 0;        // largest error of a score after a refresh, for contexts of LongSteps::kind
  double anywhere = 0;   // the same for any unit context, divided by max(1, |w|)
  double between = 0;    // largest error of a score at any time, for contexts of LongSteps::kind
};

void judge(Judged& judged, const Past& past, const StepTwin& twin, bool refreshed) {
  const StepPlan& plan = *past.plan.step;
  const Eigen::MatrixXd A = whole(twin.A, past.d, 2 * plan.context_bits);
  const Eigen::VectorXd M = eigenvalues_of(A, whole(twin.W, past.d, plan.kept_inverse_bits));
  const double off = std::max(1 - M.minCoeff(), M.maxCoeff() - 1);
  judged.least = std::min(judged.least, M.minCoeff());
  judged.off = std::max(judged.off, off);
  const Eigen::VectorXd exact = solved(A, vector_of(twin.b, 0, past.d, plan.context_bits));
  const Eigen::VectorXd error = vector_of(twin.w, 0, past.d, plan.weight_bits) - exact;
  for (std::size_t i = 0; i < past.probes.size() / 2; ++i) {
    judged.between = std::max(judged.between, std::abs(past.probes[i].dot(error)));
  }
  if (!refreshed) return;
  judged.refreshed = std::max(judged.refreshed, off);
  for (std::size_t i = 0; i < past.probes.size(); ++i) {
    const double by = std::abs(past.probes[i].dot(error));
    if (i < past.probes.size() / 2) judged.own = std::max(judged.own, by);
    judged.anywhere = std::max(judged.anywhere, by / std::max(1.0, exact.norm()));
  }
}

std::string text_of(const LongSteps& c, const Judged& j, const StepPlan& plan) {
  return fmt::format(
      "{} D {}, {} pulls, news {}, {}: least {:.3g}, off {:.2g} of {:.2g}, refreshed {:.2g} of {:.2g}, own {:.2g}, "
      "anywhere {:.2g}, between {:.2g}",
      c.kind, c.features, c.pulls, static_cast<int>(c.news),
      c.update == StepUpdate::all_arms ? "all arms" : "the pulled arm", j.least, j.off, plan.largest_error(),
      j.refreshed, plan.rounding, j.own, j.anywhere, j.between);
}

Judged by_twin(const LongSteps& c, Without without = Without::nothing) {
  const Past past(c);
  StepTwin twin(*past.plan.step, c.features, random_rounding(3), without);
  twin.A = past.A;
  twin.b = past.b;
  twin.W = past.W;
  twin.w = past.w;
  Judged judged;
  const std::uint64_t every = past.plan.step->refresh_every;
  for (std::uint64_t i = 0; i < c.steps; ++i) {
    twin.play(past.from + i, past.rows[i], past.rewards[i]);
    const std::uint64_t done = past.from + i + 1;
    if (done % 32 == 0 || i < 8) judge(judged, past, twin, done % every == 0);
  }
  EXPECT_TRUE(twin.largest() < 1 || without != Without::nothing) << c.kind;
  return judged;
}

void expect_sound(const LongSteps& c, const Judged& judged) {
  const StepPlan plan = *plan_of(c).step;
  SCOPED_TRACE(text_of(c, judged, plan));
  EXPECT_GT(judged.least, 0);
  EXPECT_LT(judged.off, plan.largest_error());
  EXPECT_LT(judged.refreshed, plan.rounding + judged.off * judged.off);
  EXPECT_LT(judged.own, 1e-3);
  EXPECT_LT(judged.anywhere, 1e-3);
}

std::vector<LongSteps> cases(const std::vector<std::uint64_t>& pulls) {
  std::vector<LongSteps> all;
  for (const auto& [kind, features] : testing::long_contexts()) {
    for (const std::uint64_t n : pulls) {
      for (const News news : {News::more_of_it, News::new_arm, News::new_direction}) {
        for (const StepUpdate update : {StepUpdate::all_arms, StepUpdate::pulled_arm}) {
          all.push_back(LongSteps{kind, features, n, news, 1024, update});
        }
      }
    }
  }
  return all;
}

TEST(LongStepsStatistical, StaySoundAtAnyLength) {
  for (const LongSteps& c : cases({100'000, 1'000'000, 10'000'000})) expect_sound(c, by_twin(c));
}

// In this control, a step and a refresh read only the upper triangle of W.
TEST(LongSteps, NeedBothHalves) {
  for (const StepUpdate update : {StepUpdate::all_arms, StepUpdate::pulled_arm}) {
    const LongSteps c{"Oblique", 20, 10'000'000, News::more_of_it, 1024, update};
    const Judged mirrored = by_twin(c, Without::other_half);
    EXPECT_TRUE(!(mirrored.least > 0) || mirrored.refreshed > plan_of(c).step->largest_error())
        << text_of(c, mirrored, *plan_of(c).step);
  }
}

// The division in a step has an error. If the arm has few pulls and no refresh follows, W keeps this error.
TEST(LongSteps, NeedTheRefresh) {
  for (const StepUpdate update : {StepUpdate::all_arms, StepUpdate::pulled_arm}) {
    const LongSteps c{"Constant", 4, 100'000, News::new_arm, 1024, update};
    const StepPlan plan = *plan_of(c).step;
    const Judged alone = by_twin(c, Without::refresh);
    EXPECT_GT(alone.refreshed, plan.rounding + alone.off * alone.off) << text_of(c, alone, plan);
  }
}

class PastSite final : public SiteOf<Contexts, Arms, Rewards, CheckpointStore> {
 public:
  PastSite(const Past& past, bool has_model) : past_(past), has_model_(has_model) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const Numbers& row = past_.rows.at(step - past_.from);
    std::copy_n(row.begin() + (party == 0 ? 0 : 1), out.size(), out.begin());
  }
  void pull(std::uint64_t, std::size_t arm) override { EXPECT_EQ(arm, 0u); }
  std::uint64_t reward(std::uint64_t step) override { return past_.rewards.at(step - past_.from); }
  CheckpointId name_checkpoint(std::uint64_t, const net::Digest&) override { return {}; }
  void save(std::uint64_t, const ModelShares&, const CheckpointId&) override {}
  void load(std::uint64_t, ModelShares& shares) override {
    if (!has_model_) return;
    Numbers matrices = StepTwin::triangle_of(past_.W, past_.d);
    const Numbers A = StepTwin::triangle_of(past_.A, past_.d);
    matrices.insert(matrices.end(), A.begin(), A.end());
    Numbers vectors = past_.w;
    vectors.insert(vectors.end(), past_.b.begin(), past_.b.end());
    EXPECT_EQ(shares.inverses.size(), matrices.size());
    EXPECT_EQ(shares.targets.size(), vectors.size());
    shares = ModelShares{std::move(matrices), std::move(vectors)};
  }

 private:
  const Past& past_;
  bool has_model_;
};

class Openings {
 public:
  template <class Program>
  Openings(Topology topology, Program program) : topology_(topology) {
    Rounds rounds(topology, std::nullopt);
    protocols::Planned planned(rounds.ledger());
    Party party(rounds, planned);
    auto task = program(party);
    task.start_on(rounds);
    for (; rounds.gather(); rounds.scatter()) slots_.emplace_back(rounds.slots().begin(), rounds.slots().end());
  }

  void take(NodeId from, NodeId to, std::uint64_t round, const Bytes& frame) {
    if (!topology_.is_party(from) || !topology_.is_party(to)) return;
    const std::byte* at = frame.data() + FrameHeader::size;
    for (const Slot& slot : slots_.at(round)) {
      if (!slot.flows(topology_, from, to)) continue;
      if (slot.kind == SlotKind::open && slot.bits == 64) {
        Numbers& sum = words_[{round, std::string(slot.label.text())}];
        sum.resize(slot.lanes, 0);
        for (std::size_t lane = 0; lane < slot.lanes; ++lane) {
          std::uint64_t word = 0;
          std::memcpy(&word, at + 8 * lane, 8);
          sum[lane] += word;
        }
      }
      at += slot.lanes * slot.lane_bytes();
    }
  }

  [[nodiscard]] std::uint64_t next(std::uint64_t round, const std::string& label) const {
    while (round < slots_.size() && words_.count({round, label}) == 0) ++round;
    return round;
  }
  [[nodiscard]] const Numbers& at(std::uint64_t round, const std::string& label) const {
    return words_.at({round, label});
  }

 private:
  Topology topology_;
  std::vector<std::vector<Slot>> slots_;
  std::map<std::pair<std::uint64_t, std::string>, Numbers> words_;
};

// Party 0 has the whole model that the run continues from, and the shares of party 1 are zero.
protocols::Simulation<BanditModel> play(const Past& past, protocols::SimulationOptions options = {}) {
  std::vector<std::unique_ptr<PastSite>> sites;
  return protocols::simulate(
      past.plan.parameters.topology(),
      [&](Party& party) {
        sites.push_back(std::make_unique<PastSite>(past, sites.empty()));
        return private_bandit(party, past.plan, *sites.back(), BanditSchedule{past.from, 0});
      },
      std::move(options));
}

void expect_the_twins_words(StepUpdate update) {
  for (const std::uint64_t pulls : {10'000u, 10'000'000u}) {
    for (const unsigned bits : {12u, 24u}) {
      for (const double norm : {1.0, 3.0}) {
        if (pulls > 10'000 && norm > 1) continue;
        Past past(LongSteps{"Biased", 4, pulls, News::more_of_it, 40, update});
        past.plan.parameters.fraction_bits = bits;
        past.plan.parameters.max_norm = norm;
        BanditPlan plan = plan_bandit(past.plan.parameters);
        auto often = std::make_shared<StepPlan>(*plan.step);
        often->refresh_every = 16;
        plan.step = often;
        StepTwin fresh(*often, past.d, random_rounding(1));
        past.plan = plan;
        past.A = fresh.A;
        past.b = fresh.b;
        past.W = fresh.W;
        past.w = fresh.w;
        std::mt19937_64 random(4);
        for (Numbers& row : past.rows) row = encoded(norm * long_context("Isotropic", 0, 4, random), plan.context_bits);

        PastSite planned(past, false);
        Openings openings(plan.parameters.topology(), [&](Party& party) {
          return private_bandit(party, past.plan, planned, BanditSchedule{past.from, 0});
        });
        protocols::SimulationOptions options;
        options.tap = [&](NodeId from, NodeId to, std::uint64_t round, const Bytes& frame) {
          openings.take(from, to, round, frame);
        };
        const auto run = play(past, std::move(options));

        std::map<std::string, std::uint64_t> after;
        StepTwin twin(*often, past.d, [&](std::string_view of, std::size_t lane) {
          const std::string label(of);
          std::uint64_t& end = after[label];
          if (lane == 0) end = openings.next(end, label) + 1;
          return openings.at(end - 1, label).at(lane);
        });
        for (std::uint64_t i = 0; i < past.rows.size(); ++i) twin.play(past.from + i, past.rows[i], past.rewards[i]);
        EXPECT_EQ(StepTwin::triangle_of(twin.W, past.d), words_of(run.nodes[0].inverse_triangles)) << bits << norm;
        EXPECT_EQ(twin.w, words_of(run.nodes[0].weights)) << bits << norm;
      }
    }
  }
}

TEST(LongSteps, TheIntegerTwinIsTheProtocolWordForWord) {
  for (const StepUpdate update : {StepUpdate::all_arms, StepUpdate::pulled_arm}) expect_the_twins_words(update);
}

TEST(LongStepsStatistical, StaySoundInTheProtocol) {
  for (LongSteps c : cases({10'000'000})) {
    c.steps = 512;
    const Past past(c);
    const auto run = play(past);
    StepTwin opened(*past.plan.step, c.features, random_rounding(1));
    opened.A = past.A;
    opened.b = past.b;
    for (std::size_t e = 0; e < past.rows.size(); ++e) {
      for (std::size_t i = 0; i < past.d; ++i) {
        for (std::size_t j = 0; j < past.d; ++j) opened.A[i * past.d + j] += past.rows[e][i] * past.rows[e][j];
        opened.b[i] += past.rewards[e] * past.rows[e][i];
      }
    }
    const Numbers triangle = words_of(run.nodes[0].inverse_triangles);
    std::size_t entry = 0;
    for (std::size_t i = 0; i < past.d; ++i) {
      for (std::size_t j = i; j < past.d; ++j) {
        opened.W[i * past.d + j] = opened.W[j * past.d + i] = triangle.at(entry++);
      }
    }
    opened.w = words_of(run.nodes[0].weights);
    Judged judged;
    judge(judged, past, opened, true);
    expect_sound(c, judged);
  }
}

}  // namespace
}  // namespace sotto::apps::bandit::testing
