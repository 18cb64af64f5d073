#include "apps/bandit/run/local/in_process/taken_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/run/local/in_process/played.h"
#include "core/text/count.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/checkpoint_shares.h"

namespace sotto::apps::bandit::run {
namespace {

using ShareWords = std::vector<std::uint64_t>;

// Each party's models, with W and w at the earlier bits.
ModelWords words_of(const ModelShares& shares) {
  const auto half = [](const ShareWords& words, bool second) {
    const auto middle = words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2);
    return second ? ShareWords(middle, words.end()) : ShareWords(words.begin(), middle);
  };
  return {half(shares.inverses, true), half(shares.inverses, false), half(shares.targets, true),
          half(shares.targets, false)};
}

void multiply(ShareWords& words, unsigned more) {
  for (std::uint64_t& word : words) word <<= more;
}

void check(const BatchPlan& plan, const std::vector<EarlierModel>& models) {
  const BanditParameters& parameters = plan.parameters;
  const ModelName& name = models.front().name;
  require_one_model(models);
  if (models.size() != parameters.columns.size() || name.arms != parameters.arms ||
      name.features != parameters.features()) {
    throw InputError(fmt::format("the model is of {}, {} and {}, not of {}, {} and {}", counted(models.size(), "party"),
                                 counted(name.arms, "arm"), counted(name.features, "feature"),
                                 counted(parameters.columns.size(), "party"), counted(parameters.arms, "arm"),
                                 counted(parameters.features(), "feature")));
  }
  if (name.max_norm > parameters.max_norm) {
    throw InputError("--max-norm", fmt::format("the model has learned rows of norm up to {:g}", name.max_norm));
  }
  if (name.events > parameters.steps) {
    throw InputError("--steps", fmt::format("the model has learned {} already", counted(name.events, "event")));
  }
}

// The W and w of a party, with the bits of the plan.
struct Solved {
  ShareWords inverse;
  ShareWords weights;
};

Task<Solved> truncated(Party& party, const BatchPlan& plan, ModelBits from, const ModelWords* model) {
  const BanditParameters& parameters = plan.parameters;
  const LearnedModel like = initial_model(party, parameters, from);
  const auto own = [&](const Arith& shape, const ShareWords* words) {
    return protocols::shares_from(party, shape.shape(), shape.scale(), [&](std::span<std::uint64_t> out) {
      if (words != nullptr) std::copy(words->begin(), words->end(), out.begin());
    });
  };
  Arith inverse = own(like.inverse.shares(party), model == nullptr ? nullptr : &model->inverse);
  Arith weights = own(like.weights.shares(party), model == nullptr ? nullptr : &model->weights);
  party.enter_phase("begin");
  auto [W, w] = co_await when_all(copy_at(party, std::move(inverse), plan.inverse_bits, "W again"),
                                  copy_at(party, std::move(weights), plan.weight_bits, "w again"));
  Solved solved;
  protocols::pass_shares(party, W.shares(party),
                         [&](auto words) { solved.inverse.assign(words.begin(), words.end()); });
  protocols::pass_shares(party, w.shares(party),
                         [&](auto words) { solved.weights.assign(words.begin(), words.end()); });
  co_return solved;
}

Task<Unit> without_result(Task<Solved> program) {
  (void)co_await std::move(program);
  co_return Unit{};
}

// Multiplies what must get finer. Returns whether W or w must be truncated.
bool refine(ModelWords& words, ModelBits& from, const ModelBits& to) {
  const auto finer = [](ShareWords& of, unsigned& has, unsigned wants) {
    if (has >= wants) return;
    multiply(of, wants - has);
    has = wants;
  };
  finer(words.gram, from.gram, to.gram);
  finer(words.targets, from.targets, to.targets);
  finer(words.inverse, from.inverse, to.inverse);
  finer(words.weights, from.weights, to.weights);
  return from.inverse > to.inverse || from.weights > to.weights;
}

}  // namespace

void require_one_model(const std::vector<EarlierModel>& models) {
  for (std::size_t p = 0; p < models.size(); ++p) {
    if (models[p].name == models.front().name) continue;
    throw InputError(
        fmt::format("party 0 and party {} have two models, or one model at two times: give folders of one model", p));
  }
}

TakenModel taken_model(const BatchPlan& plan, const std::vector<EarlierModel>& models) {
  check(plan, models);
  const ModelBits to = plan.model_bits();
  ModelBits from{};
  bool is_coarser = false;
  std::vector<ModelWords> words;
  words.reserve(models.size());
  for (const EarlierModel& model : models) {
    from = model.name.bits;
    words.push_back(words_of(model.shares));
    is_coarser = refine(words.back(), from, to);
  }
  if (is_coarser) {
    const std::function<Task<Solved>(Party&)> program = [&](Party& party) {
      const auto number = number_of(party);
      return truncated(party, plan, from, number ? &words[*number] : nullptr);
    };
    const auto recorded = [&](Party& party) -> Task<Unit> {
      return without_result(truncated(party, plan, from, nullptr));
    };
    auto run = played(plan, program, protocols::StartProgram(recorded), {});
    for (std::size_t p = 0; p < words.size(); ++p) {
      words[p].inverse = std::move(run.nodes[p].inverse);
      words[p].weights = std::move(run.nodes[p].weights);
    }
  }
  TakenModel taken;
  for (ModelWords& own : words) taken.words.push_back(std::make_shared<const ModelWords>(std::move(own)));
  if (from.gram > to.gram) taken.from.gram = static_cast<std::uint8_t>(from.gram);
  if (from.targets > to.targets) taken.from.targets = static_cast<std::uint8_t>(from.targets);
  return taken;
}

}  // namespace sotto::apps::bandit::run
