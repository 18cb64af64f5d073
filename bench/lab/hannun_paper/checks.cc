#include "bench/lab/hannun_paper/hannun.h"

namespace sotto::apps::lab {

namespace {

// A mean over seeds, or a private run, passes if it is close enough to the reference. The allowed difference is .001
// plus this many standard errors. The standard error is computed from the largest of three standard deviations of a
// run: ours, the reference's (if known), and that of a run with independent rewards. With fewer than 10 seeds, our runs
// may be close together by chance. In this case, the root mean square of our deviations over all epsilons counts as a
// fourth standard deviation.
constexpr double hannun_deviations = 4;

struct HannunArmsReference {
  std::size_t arms;
  double best;
  double uniform;
  std::vector<std::pair<double, double>> rewards;  // epsilon, mean
};

constexpr std::size_t hannun_arms_seeds = 3;

const std::vector<HannunArmsReference>& hannun_arms_references(bool is_mnist) {
  static const std::vector<HannunArmsReference> mnist{
      {5, .247, .104, {{0, .243}, {.01, .242}, {.1, .230}, {.3, .202}, {.5, .175}}},
      {10, .326, .089, {{0, .289}, {.01, .304}, {.1, .294}, {.3, .250}, {.5, .204}}},
      {20, .394, .077, {{0, .239}, {.01, .302}, {.1, .336}, {.3, .284}, {.5, .226}}},
      {40, .460, .069, {{0, .240}, {.01, .284}, {.1, .357}, {.3, .297}, {.5, .233}}},
      {80, .518, .063, {{0, .220}, {.01, .281}, {.1, .345}, {.3, .296}, {.5, .225}}}};
  static const std::vector<HannunArmsReference> digits{
      {5, .2993, .1009, {{0, .2592}, {.01, .2568}, {.1, .2447}, {.3, .2111}, {.5, .1855}}},
      {10, .4062, .0866, {{0, .2405}, {.01, .2457}, {.1, .2639}, {.3, .2437}, {.5, .2018}}},
      {20, .4954, .0746, {{0, .2119}, {.01, .2170}, {.1, .2194}, {.3, .2291}, {.5, .1914}}}};
  return is_mnist ? mnist : digits;
}

struct HannunAttackReference {
  std::uint64_t steps;
  double low, high;
};

const std::vector<HannunAttackReference>& hannun_attack_references(bool is_mnist) {
  static const std::vector<HannunAttackReference> mnist{
      {500, .021, .023}, {1000, .012, .018}, {5000, .005, .008}, {60'000, .005, .008}};
  // The means of 40 runs with epsilon 0, .1 and .5 are in these ranges, which extend two standard errors in both
  // directions.
  static const std::vector<HannunAttackReference> digits{
      {200, .021, .045}, {500, .017, .033}, {1000, .012, .028}, {1198, .012, .028}};
  return is_mnist ? mnist : digits;
}

// A value is empty if the rewards of its runs collapse.
struct HannunPrecisionReference {
  unsigned bits;
  std::optional<double> published, unbiased, nearest, floor;
};

const std::vector<HannunPrecisionReference>& hannun_precision_references(bool is_mnist) {
  static const std::vector<HannunPrecisionReference> mnist{
      {14, .258, .269, .634, .167},  {16, .541, .523, .710, .241}, {18, .743, .742, .746, .386},
      {20, .7685, .768, .766, .556}, {22, .767, .765, .765, .677}, {24, .770, .770, .770, .753},
      {26, {}, .767, .767, .765}};  // with 26 bits and the published division, the reward collapses to .392
  static const std::vector<HannunPrecisionReference> digits{{10, {}, .6322, .6669, .4314},
                                                            {12, {}, .6609, .6781, .6591},
                                                            {14, {}, .6621, .6864, .6737},
                                                            {16, {}, .6777, .6847, .6840},
                                                            {20, {}, .6776, .6845, .6848}};
  return is_mnist ? mnist : digits;
}

constexpr double printed_within = .001;

constexpr double centres_slack = .05;  // relative to the mean; k-means finds other centres with another seed
constexpr double fixed_slack = .03;    // the order of products and divisions is not published
constexpr double floor_slack = .05;    // every division that rounds down adds to the bias
constexpr double reciprocal_slack = .01;
constexpr double sharp_drop = .1;
constexpr double collapsed = .6;

struct Compared {
  MeanAndSd ours;
  std::size_t runs;
  double mean;
  double sd;  // of one run of the reference; 0: not known
  std::size_t reference_runs;
  std::uint64_t steps;
  double slack = 0;
  double pooled = 0;
};

double deviation_of(const Compared& c) {
  const double p = std::clamp(c.mean, 0.0, 1.0);
  return std::max({c.ours.sd, c.sd, c.pooled, std::sqrt(p * (1 - p) / static_cast<double>(c.steps))});
}

bool is_within(const Compared& c) {
  const double error =
      deviation_of(c) * std::sqrt(1 / static_cast<double>(c.runs) + 1 / static_cast<double>(c.reference_runs));
  return std::abs(c.ours.mean - c.mean) <= hannun_deviations * error + printed_within + c.slack;
}

std::string figure_text(double mean, double sd) {
  return sd > 0 ? fmt::format("{:.4f} +- {:.4f}", mean, sd) : fmt::format("{:.4f}", mean);
}

void add_check(std::vector<Check>& checks, const std::string& figure, const std::string& setting,
               const std::string& quantity, const Compared& c) {
  checks.push_back(
      {figure, setting, quantity, figure_text(c.mean, c.sd), figure_text(c.ours.mean, c.ours.sd), is_within(c)});
}

void add_statement(std::vector<Check>& checks, const std::string& figure, const std::string& setting,
                   const std::string& quantity, const std::string& expected, const std::string& ours, bool passed) {
  checks.push_back({figure, setting, quantity, expected, ours, passed});
}

constexpr std::size_t enough_seeds = 10;

double pooled_deviation(const HannunPaperRuns& runs, std::size_t mark) {
  double sum = 0;
  for (const HannunRewards& rewards : runs.rewards) {
    if (rewards.runs.size() >= enough_seeds) return 0;
    sum += rewards.at(mark).sd * rewards.at(mark).sd;
  }
  return std::sqrt(sum / static_cast<double>(runs.rewards.size()));
}

void check_rewards(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  const HannunReference& reference = hannun_reference(runs.is_mnist);
  for (const HannunRewards& rewards : runs.rewards) {
    const auto expected = std::find_if(reference.rewards.begin(), reference.rewards.end(),
                                       [&](const auto& known) { return known.epsilon == rewards.epsilon; });
    if (expected == reference.rewards.end()) continue;
    const std::string setting = fmt::format("epsilon {:g}", rewards.epsilon);
    for (std::size_t i = 0; i < reference.steps.size(); ++i) {
      const auto mark = runs.mark_of(reference.steps[i]);
      if (!mark) continue;
      const bool last = i + 1 == reference.steps.size();
      const MeanAndSd ours = rewards.at(*mark);
      const double pooled = pooled_deviation(runs, *mark);
      add_check(checks, "1, 2", setting, fmt::format("reward after {}", counted(reference.steps[i], "step")),
                {ours, rewards.runs.size(), expected->means[i], last ? expected->sd : 0, reference.seeds,
                 reference.steps[i], 0, pooled});
      if (!last || !rewards.private_run) continue;
      const double earned = rewards.private_run->average_after(reference.steps[i]);
      add_check(
          checks, "1, 2", setting, "reward of the private run",
          {{earned, ours.sd}, 1, expected->means[i], expected->sd, reference.seeds, reference.steps[i], 0, pooled});
    }
  }
}

void check_arms(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  for (const HannunArmsReference& reference : hannun_arms_references(runs.is_mnist)) {
    const auto played = std::find_if(runs.arms.begin(), runs.arms.end(),
                                     [&](const HannunArms& arms) { return arms.arms == reference.arms; });
    if (played == runs.arms.end()) continue;
    const std::string setting = counted(reference.arms, "arm");
    const auto add = [&](const std::string& quantity, double ours, double expected) {
      add_check(checks, "5", setting, quantity, {{ours, 0}, 1, expected, 0, 1, runs.rows, centres_slack * expected});
    };
    add("expected reward of the best arm", played->best, reference.best);
    add("expected reward of a uniform arm", played->uniform, reference.uniform);
    for (const auto& [epsilon, mean] : reference.rewards) {
      for (const HannunRewards& rewards : played->rewards) {
        if (rewards.epsilon != epsilon) continue;
        const MeanAndSd ours = rewards.at(0);
        const double slack = centres_slack * mean;
        const std::string at = fmt::format("{}, epsilon {:g}", setting, epsilon);
        add_check(checks, "5", at, "reward", {ours, rewards.runs.size(), mean, 0, hannun_arms_seeds, runs.rows, slack});
        if (!rewards.private_run) continue;
        const double earned = rewards.private_run->average_after(runs.rows);
        add_check(checks, "5", at, "reward of the private run, next to the twin's",
                  {{earned, ours.sd}, 1, ours.mean, ours.sd, rewards.runs.size(), runs.rows, printed_within});
      }
    }
  }
}

void check_exploration(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  if (!runs.is_mnist) return;
  for (const HannunArms& arms : runs.arms) {
    if (arms.arms < 20) continue;
    double most = 0;
    for (const HannunRewards& rewards : arms.rewards) {
      if (rewards.epsilon > 0) most = std::max(most, rewards.at(0).mean);
    }
    const double gain = most - arms.rewards.front().at(0).mean;
    add_statement(checks, "5", counted(arms.arms, "arm"), "what exploration adds to the reward at best", "above .02",
                  fmt::format("{:.3f}", gain), gain > .02);
  }
}

constexpr std::size_t enough_attacks = 10;
constexpr double attack_slack = .002;

void check_attacks(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  if (runs.is_mnist && runs.held_out == 0) return;
  if (runs.options.attacks < enough_attacks) return;
  for (std::size_t i = 0; i < runs.attack_marks.size(); ++i) {
    for (const HannunAttacks& attacks : runs.attacks) {
      const std::uint64_t steps = runs.attack_marks[i];
      const MeanAndSd ours = attacks.by_reward(i);
      const double error = hannun_deviations * ours.sd / std::sqrt(static_cast<double>(attacks.runs.size()));
      const std::string setting = fmt::format("epsilon {:g}, {}", attacks.epsilon, counted(steps, "step"));
      const std::string shown = fmt::format("{:.4f}", ours.mean);
      for (const HannunAttackReference& known : hannun_attack_references(runs.is_mnist)) {
        if (known.steps != steps) continue;
        add_statement(checks, "6", setting, "advantage by reward", fmt::format("{} to {}", known.low, known.high),
                      shown,
                      ours.mean >= known.low - attack_slack - error && ours.mean <= known.high + attack_slack + error);
      }
      if (!runs.is_mnist || steps != 10'000) continue;
      add_statement(checks, "6", setting, "advantage by reward", "below .0075, the paper says", shown,
                    ours.mean - error < .0075);
    }
  }
}

std::optional<double> expected_of(const HannunPrecisionReference& reference, FixedRounding rounding) {
  switch (rounding) {
    case FixedRounding::published:
      return reference.published;
    case FixedRounding::unbiased:
      return reference.unbiased;
    case FixedRounding::nearest:
      return reference.nearest;
    case FixedRounding::floor:
      break;
  }
  return reference.floor;
}

const HannunFixedPoint* find_cell(const HannunPaperRuns& runs, unsigned bits, FixedRounding rounding,
                                  NewtonStart start) {
  for (const HannunFixedPoint& cell : runs.precision) {
    const FixedPointSettings& s = cell.settings;
    if (s.bits == bits && s.rounding == rounding && s.start == start) return &cell;
  }
  return nullptr;
}

// Checks the paper's statement "a sharp drop below 18 and above 22 bits".
void check_drops(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  const auto reward = [&](unsigned bits) -> std::optional<double> {
    const HannunFixedPoint* cell = find_cell(runs, bits, FixedRounding::published, NewtonStart::published);
    if (cell == nullptr) return std::nullopt;
    return mean_and_sd(cell->rewards).mean;
  };
  const auto best = reward(20);
  for (const unsigned bits : {14U, 16U, 24U}) {
    const auto there = reward(bits);
    if (!best || !there) continue;
    add_statement(checks, "7", fmt::format("{}, published", counted(bits, "bit")), "reward less than at 20 bits by",
                  fmt::format("above {}", sharp_drop), fmt::format("{:.4f}", *best - *there),
                  *best - *there > sharp_drop);
  }
}

void check_precision(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  for (const HannunPrecisionReference& reference : hannun_precision_references(runs.is_mnist)) {
    for (const HannunFixedPoint& cell : runs.precision) {
      const FixedPointSettings& s = cell.settings;
      const auto expected = expected_of(reference, s.rounding);
      if (s.bits != reference.bits || s.start != NewtonStart::none || !expected) continue;
      const double slack = s.rounding == FixedRounding::floor ? floor_slack : fixed_slack;
      add_check(checks, "7", fmt::format("{}, {}", counted(s.bits, "bit"), hannun_arithmetic(s)), "reward",
                {mean_and_sd(cell.rewards), cell.rewards.size(), *expected, 0, cell.rewards.size(), runs.rows, slack});
    }
  }
  if (!runs.is_mnist) return;
  check_drops(checks, runs);
  for (const NewtonStart start : {NewtonStart::published, NewtonStart::none}) {
    const HannunFixedPoint* cell = find_cell(runs, 26, FixedRounding::published, start);
    if (cell == nullptr) continue;
    const double mean = mean_and_sd(cell->rewards).mean;
    add_statement(checks, "7", fmt::format("26 bits, {}", hannun_arithmetic(cell->settings)), "reward",
                  fmt::format("below {}, a collapse", collapsed), fmt::format("{:.4f}", mean), mean < collapsed);
  }
}

void check_private_bits(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  for (const HannunPrivateRun& run : runs.private_bits) {
    if (!run.refused.empty()) continue;
    const MeanAndSd plain = mean_and_sd(runs.plain_rewards);
    const double earned = run.average_after(runs.rows);
    add_check(checks, "7", fmt::format("{}, sotto", counted(run.settings.bits, "bit")),
              "reward of the private run, next to the twin's",
              {{earned, plain.sd}, 1, plain.mean, plain.sd, runs.plain_rewards.size(), runs.rows, reciprocal_slack});
  }
}

void check_newton(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  for (const HannunFixedPoint& cell : runs.newton) {
    const FixedPointSettings& s = cell.settings;
    const bool is_published = s.start == NewtonStart::published;
    if (is_published && s.newton_steps < 3) continue;
    const MeanAndSd plain = mean_and_sd(runs.plain_rewards);
    add_check(
        checks, "8",
        fmt::format("{} start, {}", is_published ? "published" : "linear", counted(s.newton_steps, "Newton step")),
        "reward, next to the twin's",
        {mean_and_sd(cell.rewards), cell.rewards.size(), plain.mean, plain.sd, runs.plain_rewards.size(), runs.rows,
         reciprocal_slack});
  }
  if (runs.newton.empty()) return;
  const auto error = [&](NewtonStart start, unsigned steps, double d, double low, double high) {
    const double off = newton_error(start, steps, d);
    add_statement(checks, "8",
                  fmt::format("{} start, {}, d = {:g}", start == NewtonStart::published ? "published" : "linear",
                              counted(steps, "Newton step"), d),
                  "relative error of the reciprocal", fmt::format("{:.2g} to {:.2g}", low, high),
                  fmt::format("{:.3g}", off), off >= low && off <= high);
  };
  error(NewtonStart::linear, 0, 1, .0588, .0589);  // 1 / 17
  error(NewtonStart::linear, 3, 1, 1e-10, 2e-10);
  error(NewtonStart::published, 7, 10, .01, .02);
}

void check_operations(std::vector<Check>& checks, const HannunPaperRuns& runs) {
  for (const HannunOperation& operation : runs.operations) {
    if (operation.name == "argmax") continue;  // for argmax, the paper gives only O(P + log2 A) rounds
    const auto most = static_cast<std::uint64_t>(std::stoul(operation.published_rounds));
    add_statement(checks, "table 1", "100 values, 2 parties", "rounds of " + operation.name,
                  fmt::format("at most {}", most), fmt::format("{}", operation.rounds), operation.rounds <= most);
  }
}

}  // namespace

const HannunReference& hannun_reference(bool is_mnist) {
  static const HannunReference mnist{10,
                                     {1000, 5000, 10'000, 20'000, 60'000},
                                     {{0, {.490, .700, .762, .805, .8375}, .006},
                                      {.001, {.491, .708, .772, .811, .8390}, .006},
                                      {.01, {.486, .709, .770, .806, .8327}, .003},
                                      {.03, {.473, .712, .764, .796, .8191}, .003},
                                      {.1, {.471, .680, .723, .748, .7675}, .002},
                                      {.3, {.419, .564, .590, .604, .6148}, 0},
                                      {.5, {.356, .440, .453, .461, .4650}, 0},
                                      {1, {.102, .101, .100, .101, .1005}, 0}}};
  static const HannunReference digits{40,
                                      {500, 1000, 1797},
                                      {{0, {.4413, .5730, .6995}, .0487},
                                       {.001, {.4380, .5695, .6954}, .0549},
                                       {.01, {.4393, .5708, .6928}, .0594},
                                       {.03, {.4389, .5747, .6964}, .0533},
                                       {.1, {.4467, .5751, .6799}, .0362},
                                       {.3, {.4165, .5253, .5909}, .0230},
                                       {.5, {.3272, .4048, .4491}, .0181},
                                       {1, {.1023, .1001, .1008}, .0072}}};
  return is_mnist ? mnist : digits;
}

std::string hannun_arithmetic(const FixedPointSettings& settings) {
  switch (settings.rounding) {
    case FixedRounding::published:
      return settings.start == NewtonStart::none ? "published division, exact reciprocal" : "published";
    case FixedRounding::unbiased:
      return "unbiased";
    case FixedRounding::nearest:
      return "nearest";
    case FixedRounding::floor:
      break;
  }
  return "floor";
}

std::vector<Check> check_hannun(const HannunPaperRuns& runs) {
  std::vector<Check> checks;
  check_rewards(checks, runs);
  check_arms(checks, runs);
  check_exploration(checks, runs);
  check_attacks(checks, runs);
  check_precision(checks, runs);
  check_private_bits(checks, runs);
  check_newton(checks, runs);
  check_operations(checks, runs);
  return checks;
}

}  // namespace sotto::apps::lab
