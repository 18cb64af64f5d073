#include "apps/live/import/foreign_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

constexpr std::size_t longest_arm = 256;
constexpr std::uint64_t most_foreign_arms = 4096;
constexpr std::uint8_t foreign_layout = 2;

std::vector<std::size_t> old_columns(const bandit::BatchPlan& plan, const LiveSettings& settings) {
  std::vector<std::size_t> columns = plan.parameters.columns;
  for (const AddedFeature& added : settings.added_features) {
    if (added.party >= columns.size() || added.place >= plan.parameters.columns[added.party]) {
      throw DisagreementError(fmt::format("added_features in [service] has column {} of party {}, which there is not",
                                          added.place, added.party));
    }
    if (columns[added.party]-- == 1) {
      throw DisagreementError(fmt::format("added_features in [service] has all columns of party {}", added.party));
    }
  }
  return columns;
}

// `gram` has A x D (D + 1) / 2 words, for A arms and D features.
std::size_t features_of(const ForeignModel& foreign) {
  std::size_t features = 1;
  while (foreign.arms * features * (features + 1) / 2 < foreign.model.gram.size()) ++features;
  return features;
}

unsigned shift(const char* what, unsigned from, unsigned to) {
  if (to >= from) return to - from;
  throw DisagreementError(
      fmt::format("the earlier model has {} at {} fraction bits, and this service would use {}: set no fewer steps, "
                  "and keep the earlier bits, max_norm and rewards",
                  what, from, to));
}

using Before = std::vector<std::optional<std::size_t>>;

Before arms_before(const ForeignModel& foreign, const LiveSettings& settings) {
  Before before(settings.arms.size());
  for (std::size_t arm = 0; arm < before.size(); ++arm) {
    const auto& names = foreign.arm_names;
    const auto found = std::find(names.begin(), names.end(), settings.arms[arm]);
    if (!foreign.is_run && found != names.end()) before[arm] = static_cast<std::size_t>(found - names.begin());
    if (foreign.is_run && arm < foreign.arms) before[arm] = arm;
  }
  return before;
}

Before features_before(const bandit::BatchPlan& plan, const LiveSettings& settings) {
  Before before;
  std::size_t next = 0;
  for (std::size_t party = 0; party < plan.parameters.columns.size(); ++party) {
    for (std::size_t place = 0; place < plan.parameters.columns[party]; ++place) {
      const bool is_new = std::any_of(settings.added_features.begin(), settings.added_features.end(),
                                      [&](const AddedFeature& a) { return a.party == party && a.place == place; });
      before.push_back(is_new ? std::nullopt : std::optional(next++));
    }
  }
  return before;
}

std::size_t at_triangle(std::size_t d, std::size_t i, std::size_t j) { return i * d - i * (i - 1) / 2 + (j - i); }

class Conversion {
 public:
  Conversion(Before arms, Before features, std::size_t old_features, bool has_ones)
      : arms_(std::move(arms)), features_(std::move(features)), old_features_(old_features), has_ones_(has_ones) {}

  [[nodiscard]] std::vector<std::uint64_t> triangles(const std::vector<std::uint64_t>& words, unsigned bits,
                                                     unsigned scale) const {
    std::vector<std::uint64_t> out;
    const std::size_t d = features_.size();
    const std::size_t old_triangle = old_features_ * (old_features_ + 1) / 2;
    out.reserve(arms_.size() * d * (d + 1) / 2);
    for (const auto& arm : arms_) {
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = i; j < d; ++j) {
          const std::uint64_t fresh = i == j && has_ones_ ? std::uint64_t{1} << scale : 0;
          const bool is_old = arm && features_[i] && features_[j];
          out.push_back(is_old ? words[*arm * old_triangle + at_triangle(old_features_, *features_[i], *features_[j])]
                                     << bits
                               : fresh);
        }
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<std::uint64_t> rows(const std::vector<std::uint64_t>& words, unsigned bits) const {
    std::vector<std::uint64_t> out;
    out.reserve(arms_.size() * features_.size());
    for (const auto& arm : arms_) {
      for (const auto& feature : features_) {
        out.push_back(arm && feature ? words[*arm * old_features_ + *feature] << bits : 0);
      }
    }
    return out;
  }

 private:
  Before arms_;
  Before features_;
  std::size_t old_features_;
  bool has_ones_;
};

void check_shape(const ForeignModel& foreign, std::size_t features) {
  const std::size_t triangles = foreign.arms * features * (features + 1) / 2;
  const std::size_t rows = foreign.arms * features;
  const bandit::ModelWords& model = foreign.model;
  if (model.gram.size() == triangles && model.inverse.size() == triangles && model.targets.size() == rows &&
      model.weights.size() == rows) {
    return;
  }
  throw DisagreementError(fmt::format(
      "the earlier model has not {} features: name in added_features of [service] which columns are new", features));
}

}  // namespace

bandit::ModelBits model_bits(const ForeignModel& foreign, std::vector<std::size_t> columns) {
  bandit::BanditParameters parameters;
  parameters.columns = std::move(columns);
  parameters.arms = foreign.arms;
  parameters.steps = foreign.steps;
  parameters.batch = foreign.batch;
  parameters.reward_lag = foreign.reward_lag;
  parameters.update = foreign.update;
  parameters.fraction_bits = foreign.bits;
  parameters.max_norm = foreign.max_norm;
  parameters.binary_rewards = foreign.binary_rewards;
  parameters.separate_rewarder = true;
  if (!foreign.is_run) return plan_batches(std::move(parameters), foreign.batch, foreign.may_skip).model_bits();
  const bandit::BanditPlan plan = plan_bandit(std::move(parameters));
  return plan.batches ? plan.batches->model_bits() : plan.step->model_bits();
}

bandit::SumBits sum_bits(const ForeignModel& foreign, std::size_t parties) {
  std::vector<std::size_t> columns(parties, 1);
  columns.front() += features_of(foreign) - std::min(parties, features_of(foreign));
  const bandit::ModelBits bits = model_bits(foreign, std::move(columns));
  return {static_cast<std::uint8_t>(bits.gram), static_cast<std::uint8_t>(bits.targets)};
}

std::vector<std::byte> encode(const ForeignModel& foreign) {
  ByteWriter out;
  out.octet(foreign_layout);
  out.octet(foreign.is_run ? 1 : 0);
  out.number(std::uint64_t{foreign.arm_names.size()});
  for (const std::string& name : foreign.arm_names) out.long_text(name);
  out.number(foreign.arms);
  out.number(foreign.steps);
  out.number(foreign.batch);
  out.number(foreign.reward_lag);
  out.octet(foreign.update == bandit::StepUpdate::pulled_arm ? 1 : 0);
  out.number(foreign.bits);
  out.number(foreign.max_norm);
  out.octet(foreign.binary_rewards ? 1 : 0);
  out.octet(foreign.may_skip ? 1 : 0);
  for (const auto* words :
       {&foreign.model.gram, &foreign.model.inverse, &foreign.model.targets, &foreign.model.weights}) {
    out.numbers(std::span(*words));
  }
  return out.take();
}

std::optional<ForeignModel> decode_foreign_model(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ForeignModel foreign;
  const std::uint8_t layout = in.octet();
  foreign.is_run = in.flag();
  foreign.arm_names.resize(in.length(sizeof(std::uint32_t)));
  for (std::string& name : foreign.arm_names) name = in.long_text(longest_arm);
  foreign.arms = in.number<std::uint64_t>();
  foreign.steps = in.number<std::uint64_t>();
  foreign.batch = in.number<std::uint64_t>();
  foreign.reward_lag = in.number<std::uint64_t>();
  foreign.update = in.flag() ? bandit::StepUpdate::pulled_arm : bandit::StepUpdate::all_arms;
  foreign.bits = in.number<std::uint32_t>();
  foreign.max_norm = in.number<double>();
  foreign.binary_rewards = in.flag();
  foreign.may_skip = in.flag();
  for (auto* words : {&foreign.model.gram, &foreign.model.inverse, &foreign.model.targets, &foreign.model.weights}) {
    *words = in.numbers<std::uint64_t>();
  }
  const bool fits = foreign.arms >= 1 && foreign.arms <= most_foreign_arms && foreign.steps >= 1 &&
                    foreign.max_norm > 0 && (foreign.is_run || foreign.arm_names.size() == foreign.arms);
  if (!in.at_end() || !fits || layout != foreign_layout) return std::nullopt;
  return foreign;
}

bandit::ModelWords converted(const ForeignModel& foreign, const bandit::BatchPlan& plan, const LiveSettings& settings,
                             NodeId self) {
  if (foreign.max_norm > plan.parameters.max_norm) {
    throw DisagreementError(
        fmt::format("the earlier model is of contexts of norm up to {:g}, above max_norm in [run], {:g}",
                    foreign.max_norm, plan.parameters.max_norm));
  }
  const std::vector<std::size_t> columns = old_columns(plan, settings);
  const std::size_t features = std::accumulate(columns.begin(), columns.end(), std::size_t{0});
  check_shape(foreign, features);
  const bandit::ModelBits from = model_bits(foreign, columns);
  bandit::ModelBits to = plan.model_bits();
  // A and b stay at the old scale if it is finer than the new one; the first learn rounds A and b to the new scale.
  to.gram = std::max(to.gram, from.gram);
  to.targets = std::max(to.targets, from.targets);
  const Conversion conversion(arms_before(foreign, settings), features_before(plan, settings), features, self == 0);
  bandit::ModelWords model;
  model.gram = conversion.triangles(foreign.model.gram, shift("A", from.gram, to.gram), to.gram);
  model.inverse = conversion.triangles(foreign.model.inverse, shift("W", from.inverse, to.inverse), to.inverse);
  model.targets = conversion.rows(foreign.model.targets, shift("b", from.targets, to.targets));
  model.weights = conversion.rows(foreign.model.weights, shift("w", from.weights, to.weights));
  return model;
}

}  // namespace sotto::apps::live
