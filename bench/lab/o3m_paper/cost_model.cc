#include "sotto/bench/lab/o3m_paper/cost_model.h"

#include <span>
#include <stdexcept>

#include "sotto/apps/o3m/masked_contexts.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/core/random/seed.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto::apps {
namespace {

// As in formulas.
struct Sizes {
  explicit Sizes(const CostSetting& setting)
      : T(static_cast<double>(setting.steps)),
        K(static_cast<double>(setting.arms)),
        d(static_cast<double>(setting.dimension)),
        M(static_cast<double>(setting.participants)) {}
  double T, K, d, M;
};

// Appendix C.1.1 and C.1.3, stage 2, of a step: masking and adding the contexts.
double masking(const Sizes& s) { return s.K * s.d * s.d + s.K * s.M * s.d; }

// The rest of a step: selection and update.
double ucb_step(const Sizes& s) {
  const double select = s.K * s.d + s.d * s.d * s.d + s.K * s.d * s.d + s.K;
  const double update = s.d * s.d + s.d + s.d * s.d;
  return select + update;
}

double ts_step(const Sizes& s) {
  const double select = s.d * s.d + s.d * s.d * s.d + s.K * s.d + s.K;
  const double update = s.d + s.d * s.d * s.d + s.d + s.d * s.d;
  return select + update;
}

double step_operations(LinearAlgorithm algorithm, const Sizes& s) {
  return algorithm == LinearAlgorithm::ucb ? ucb_step(s) : ts_step(s);
}

// A planned run asks nobody for anything.
class NoSite final : public O3mSite {
 public:
  std::vector<double> draw_mask(std::size_t) override { throw std::logic_error("a planned mask"); }
  std::span<const double> contexts(std::uint64_t, std::size_t) override { throw std::logic_error("planned contexts"); }
  void take(std::uint64_t, std::span<const double>) override { throw std::logic_error("planned contexts"); }
};

}  // namespace

double central_operations(LinearAlgorithm algorithm, const CostSetting& setting) {
  const Sizes s(setting);
  return s.T * step_operations(algorithm, s);
}

double masked_operations(LinearAlgorithm algorithm, const CostSetting& setting) {
  const Sizes s(setting);
  const double mask = s.d * s.d + s.d * s.d * s.d;  // draw and orthogonalise
  return mask + s.T * (masking(s) + step_operations(algorithm, s));
}

double relative_cost(LinearAlgorithm algorithm, const CostSetting& setting) {
  return masked_operations(algorithm, setting) / central_operations(algorithm, setting);
}

double model_step_bytes(const CostSetting& setting) {
  const Sizes s(setting);
  return 8 * s.K * s.M * s.d;
}

double model_bytes(const CostSetting& setting) {
  const Sizes s(setting);
  return 8 * s.d * s.d + s.T * model_step_bytes(setting);
}

double planned_bytes(const CostSetting& setting) {
  O3mParameters parameters;
  parameters.steps = setting.steps;
  parameters.arms = setting.arms;
  for (std::size_t j = 0; j < setting.participants; ++j) {
    const std::size_t first = j * setting.dimension / setting.participants;
    const std::size_t end = (j + 1) * setting.dimension / setting.participants;
    parameters.columns.push_back(end - first);
  }
  parameters.bounds.assign(setting.participants, 1);
  const O3mPlan plan = plan_o3m(parameters);
  NoSite site;
  const auto program = [&](Party& party) { return masked_contexts(party, plan, site, Seed::insecure_from_number(0)); };
  const Ledger ledger = protocols::plan(plan.topology(), program);
  double bytes = 0;
  for (const std::uint64_t sent : ledger.total().sent) bytes += static_cast<double>(sent);
  return bytes;
}

}  // namespace sotto::apps
