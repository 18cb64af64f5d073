// The model of an earlier run in the form of a model in this process (shared_model.h).
#pragma once

#include <memory>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/kept_programs.h"
#include "apps/bandit/run/role/earlier_model.h"

namespace sotto::apps::bandit::run {

struct TakenModel {
  std::vector<std::shared_ptr<const ModelWords>> words;  // one per party
  SumBits from{};  // set if A and b have more fraction bits than the plan says; the first learn rounds them
};

// Throws InputError unless the models are those that all parties of one run had at one time.
void require_one_model(const std::vector<EarlierModel>& models);

// The models of all parties, at the widths of the plan. W and w are truncated in shares if the plan has fewer bits, and
// all shares are multiplied by powers of two if it has more. Throws InputError as require_one_model() does, and if the
// number of models, their shapes, norm or number of events do not fit the plan.
[[nodiscard]] TakenModel taken_model(const BatchPlan& plan, const std::vector<EarlierModel>& models);

}  // namespace sotto::apps::bandit::run
