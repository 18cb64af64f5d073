// Runs as long as they are accepted: W stays positive definite and scores right, whatever the contexts.

#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/wire/frame.h"
#include "sotto/protocols/preprocessing/planned.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/apps/bandit/integer_twin.h"
#include "tests/apps/bandit/ridge.h"
#include "tests/apps/support.h"

namespace sotto::apps::testing {
namespace {

constexpr double tolerance = .05;
constexpr std::uint64_t last_steps = 1024;  // whose contexts are scored in the end

// Contexts of norm at most 1, by the step and how many steps follow it.
struct Kind {
  std::string name;
  std::size_t features;
  std::function<std::vector<double>(std::uint64_t step, std::uint64_t left, std::mt19937_64&)> at;
};

std::vector<double> any_direction(std::size_t features, std::mt19937_64& random) {
  return unit_vector(random, features, .999);
}

std::vector<double> oblique() {
  const double unit = .999 / std::sqrt(30.0);
  return {unit, 2 * unit, 3 * unit, 4 * unit};
}

// Eight of the last 512 contexts have a direction of their own.
bool is_late_news(std::uint64_t left) { return left < 512 && left % 64 == 32; }

std::vector<Kind> kinds() {
  return {
      {"alternating", 2,
       [](std::uint64_t step, std::uint64_t, std::mt19937_64&) {
         return step % 2 == 0 ? std::vector<double>{.6, .8} : std::vector<double>{.61, .7924};
       }},
      {"constant, then news", 4,
       [](std::uint64_t, std::uint64_t left, std::mt19937_64& random) {
         return is_late_news(left) ? any_direction(4, random) : oblique();
       }},
      {"constant", 4, [](std::uint64_t, std::uint64_t, std::mt19937_64&) { return oblique(); }},
      {"biased", 4,
       [](std::uint64_t, std::uint64_t, std::mt19937_64& random) {
         std::vector<double> x{.92, 0, 0, 0};
         for (std::size_t i = 1; i < 4; ++i) x[i] = random() % 2 == 0 ? .18 : .22;
         return x;
       }},
      {"isotropic", 4, [](std::uint64_t, std::uint64_t, std::mt19937_64& random) { return any_direction(4, random); }},
  };
}

// The contexts of a run, as words.
std::vector<Numbers> contexts_of(const Kind& kind, const BanditPlan& plan, unsigned seed) {
  const BanditParameters& p = plan.parameters;
  std::mt19937_64 random(seed);
  std::vector<Numbers> contexts;
  for (std::uint64_t step = 0; step < p.steps; ++step) {
    Numbers words;
    for (const double c : kind.at(step, p.steps - 1 - step, random)) {
      words.push_back(encode(c * p.max_norm, p.fraction_bits));
    }
    contexts.push_back(std::move(words));
  }
  return contexts;
}

BanditPlan plan_of(const Kind& kind, unsigned bits, double norm, std::uint64_t steps) {
  BanditParameters p{.columns = {1, kind.features - 1},
                     .arms = 1,
                     .steps = steps,
                     .max_norm = norm,
                     .fraction_bits = bits,
                     .reveal_model = true};
  return plan_bandit(p);
}

// One role: the contexts, a reward of 1 at every step, and a model to go on from.
class RowsSite final : public QuietSite {
 public:
  RowsSite(const BanditPlan& plan, const std::vector<Numbers>& contexts, ModelShares start)
      : plan_(plan), contexts_(contexts), start_(std::move(start)) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const Numbers& row = contexts_[step];
    const std::size_t first = party == 0 ? 0 : plan_.parameters.columns[0];
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  }
  void pull(std::uint64_t, std::size_t arm) override { EXPECT_EQ(arm, 0u); }
  std::uint64_t reward(std::uint64_t) override { return 1; }
  void load(std::uint64_t, ModelShares& shares) override {
    EXPECT_EQ(shares.inverses.size(), start_.inverses.size());
    EXPECT_EQ(shares.targets.size(), start_.targets.size());
    shares = start_;
  }

 private:
  const BanditPlan& plan_;
  const std::vector<Numbers>& contexts_;
  ModelShares start_;
};

struct Learnt {
  Numbers triangle;
  Numbers weights;
};

Numbers words_of(const Public& value) {
  Numbers result;
  value.if_known([&](const Words& words) { result.assign(words.begin(), words.end()); });
  return result;
}

// The protocol from step `from` on, where party 0 holds the whole of `start`.
Learnt play(const BanditPlan& plan, const std::vector<Numbers>& contexts, std::uint64_t from, const ModelShares& start,
            protocols::SimulationOptions options) {
  std::vector<std::unique_ptr<RowsSite>> sites;
  const ModelShares nothing{Numbers(start.inverses.size(), 0), Numbers(start.targets.size(), 0)};
  const auto run = protocols::simulate(
      plan.parameters.topology(),
      [&](Party& party) {
        const ModelShares& own = sites.empty() ? start : nothing;
        sites.push_back(std::make_unique<RowsSite>(plan, contexts, own));
        return private_bandit(party, plan, *sites.back(), BanditSchedule{from, 0});
      },
      std::move(options));
  return Learnt{words_of(run.nodes[0].inverse_triangles), words_of(run.nodes[0].weights)};
}

Learnt play(const BanditPlan& plan, const std::vector<Numbers>& contexts) {
  protocols::SimulationOptions options;
  options.insecure_seed = 1;
  return play(plan, contexts, 0, {}, std::move(options));
}

Rounding random_rounding(std::uint64_t seed) {
  auto random = std::make_shared<std::mt19937_64>(seed);
  return [random](std::string_view, std::size_t) { return (*random)(); };
}

Eigen::VectorXd real_row(const Numbers& words, unsigned bits) {
  Eigen::VectorXd row(static_cast<Eigen::Index>(words.size()));
  for (std::size_t i = 0; i < words.size(); ++i) row(static_cast<Eigen::Index>(i)) = decode(words[i], bits);
  return row;
}

// What was learnt beside ridge regression in double precision.
struct Judgement {
  double least;  // eigenvalue of A^(1/2) W A^(1/2), 1 where W is the inverse of A
  double often;  // the largest error of a score, of contexts that came again and again
};

Judgement judge(const BanditPlan& plan, const std::vector<Numbers>& contexts, const Learnt& learnt) {
  const unsigned f = plan.parameters.fraction_bits;
  const auto d = static_cast<Eigen::Index>(plan.parameters.features());
  RidgeSums sums(plan.parameters.features());
  for (const Numbers& words : contexts) {
    const Eigen::VectorXd x = real_row(words, f);
    sums.add(std::span(x.data(), words.size()), 1);
  }
  Eigen::MatrixXd W(d, d);
  std::size_t entry = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i; j < d; ++j) W(i, j) = W(j, i) = decode(learnt.triangle[entry++], plan.inverse_bits);
  }
  const Eigen::MatrixXd root = sums.gram.llt().matrixL();
  const Eigen::MatrixXd M = root.transpose() * W * root;
  const Eigen::VectorXd error = real_row(learnt.weights, f) - sums.weights();
  Judgement judgement{Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues()(0), 0};
  const std::uint64_t scored = std::min<std::uint64_t>(last_steps, contexts.size());
  for (std::uint64_t left = 0; left < scored; ++left) {
    if (is_late_news(left)) continue;  // what came once is rounded more coarsely: docs/bandit.md
    const Eigen::VectorXd x = real_row(contexts[contexts.size() - 1 - left], f);
    judgement.often = std::max(judgement.often, std::abs(x.dot(error)));
  }
  return judgement;
}

void expect_sound(const BanditPlan& plan, const std::vector<Numbers>& contexts, const Learnt& learnt,
                  const std::string& what) {
  const Judgement judgement = judge(plan, contexts, learnt);
  EXPECT_GT(judgement.least, .9) << what;
  EXPECT_LT(judgement.often, tolerance) << what;
}

// What the two parties opened, by round and label.
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

  // The first round from `round` on that opens something of this label.
  [[nodiscard]] std::uint64_t next(std::uint64_t round, const std::string& label) const {
    while (round < slots_.size() && words_.count({round, label}) == 0) ++round;
    return round;
  }
  [[nodiscard]] const Numbers& at(std::uint64_t round, const std::string& label) const {
    return words_.at({round, label});
  }

 private:
  Topology topology_;
  std::vector<std::vector<Slot>> slots_;  // by round
  std::map<std::pair<std::uint64_t, std::string>, Numbers> words_;
};

TEST(LongRuns, TheIntegerTwinIsTheProtocolWordForWord) {
  for (const unsigned bits : {12u, 16u, 20u, 24u}) {
    for (const double norm : {1.0, 3.0}) {
      constexpr std::uint64_t steps = 40;
      const Kind kind = kinds().back();
      const BanditPlan plan = plan_of(kind, bits, norm, steps);
      const std::vector<Numbers> contexts = contexts_of(kind, plan, bits);

      RowsSite planned(plan, contexts, {});
      Openings openings(plan.parameters.topology(), [&](Party& party) { return private_bandit(party, plan, planned); });
      protocols::SimulationOptions options;
      options.tap = [&](NodeId from, NodeId to, std::uint64_t round, const Bytes& frame) {
        openings.take(from, to, round, frame);
      };
      const Learnt learnt = play(plan, contexts, 0, {}, std::move(options));

      const std::uint64_t rounds_a_step = 4 + plan.division.rounds();
      std::uint64_t round = 0;
      std::map<std::string, std::uint64_t> after;  // the round after the last one of a label
      IntegerTwin twin(plan, [&](std::string_view of, std::size_t lane) {
        const std::string label(of);
        std::uint64_t& end = after[label];
        if (lane == 0) end = openings.next(std::max(round, end), label) + 1;
        return openings.at(end - 1, label).at(lane);
      });
      for (std::uint64_t step = 0; step < steps; ++step, round += rounds_a_step) twin.learn(contexts[step]);
      EXPECT_EQ(twin.triangle(), learnt.triangle) << bits << " bits, norm " << norm;
      EXPECT_EQ(twin.weights(), learnt.weights) << bits << " bits, norm " << norm;
    }
  }
}

// The protocol itself, from the first step to the last.
TEST(LongRunsStatistical, TwelveBitsBearTheLongestRun) {
  for (const double norm : {1.0, 4.0}) {
    for (const Kind& kind : kinds()) {
      const BanditPlan plan = plan_of(kind, 12, norm, longest_run(12, norm));
      const std::vector<Numbers> contexts = contexts_of(kind, plan, 1);
      expect_sound(plan, contexts, play(plan, contexts), kind.name + " contexts of norm " + std::to_string(norm));
    }
  }
}

// The twin up to the last steps, which the protocol plays.
TEST(LongRunsStatistical, TwentyBitsBearTheLongestRun) {
  for (const Kind& kind : kinds()) {
    const BanditPlan plan = plan_of(kind, 20, 1, longest_run(20, 1));
    ASSERT_GT(plan.parameters.steps, 300512u);
    const std::vector<Numbers> contexts = contexts_of(kind, plan, 2);
    const std::uint64_t jump = plan.parameters.steps - last_steps;
    IntegerTwin twin(plan, random_rounding(3));
    for (std::uint64_t step = 0; step < jump; ++step) twin.learn(contexts[step]);
    protocols::SimulationOptions options;
    options.insecure_seed = 4;
    const Learnt learnt = play(plan, contexts, jump, {twin.triangle(), twin.targets()}, std::move(options));
    expect_sound(plan, contexts, learnt, kind.name);
  }
}

Judgement judged_twin(const Kind& kind, const BanditPlan& plan, Update update) {
  const std::vector<Numbers> contexts = contexts_of(kind, plan, 5);
  IntegerTwin twin(plan, random_rounding(6), update);
  for (const Numbers& x : contexts) twin.learn(x);
  return judge(plan, contexts, {twin.triangle(), twin.weights()});
}

// The control of both halves: the upper triangle alone spoils the score of the old context by eight pulls elsewhere.
TEST(LongRunsStatistical, TheUpperTriangleAloneFails) {
  const Kind kind = kinds()[1];
  const BanditPlan plan = plan_of(kind, 20, 1, 300512);
  EXPECT_LT(judged_twin(kind, plan, Update::both_halves).often, tolerance);
  EXPECT_GT(judged_twin(kind, plan, Update::mirrored).often, tolerance);
}

// The control of the refusal: what it refuses does go wrong.
TEST(LongRunsStatistical, MuchLongerRunsFail) {
  for (const unsigned bits : {12u, 16u}) {
    const Kind kind = kinds()[0];
    BanditPlan plan = plan_of(kind, bits, 1, longest_run(bits, 1));
    plan.parameters.steps *= 4;
    EXPECT_GT(judged_twin(kind, plan, Update::both_halves).often, tolerance) << bits << " bits";
  }
}

}  // namespace
}  // namespace sotto::apps::testing
