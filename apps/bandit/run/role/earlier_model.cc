#include "apps/bandit/run/role/earlier_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/role/role_state.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr unsigned most_bits = 62;

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto read = number_of<Number>(take_word(text));
  number = read.value_or(Number{});
  return read.has_value();
}

BanditSettings earlier_config(const std::filesystem::path& given, std::size_t id) {
  const std::filesystem::path file = std::filesystem::is_directory(given) ? given / "config.toml" : given;
  BanditSettings config = read_role_config<BanditSettings>(file);
  if (config.role() != BanditRole::party || config.id != id) {
    throw InputError(file.string(),
                     fmt::format("expected the config of party {} in an earlier run, and this is that of "
                                 "{}",
                                 id, config.display_name()));
  }
  if (config.checkpoint_every == 0 || !config.max_norm) {
    throw InputError(file.string(),
                     fmt::format("that run has no {} in [run]: {}", config.max_norm ? "checkpoint_every" : "max_norm",
                                 config.max_norm ? "it kept no model" : "the bound on its contexts is not known here"));
  }
  return config;
}

std::vector<std::size_t> some_columns(std::size_t holders, std::size_t features) {
  std::vector<std::size_t> columns(holders, 1);
  columns.front() = features - (holders - 1);
  return columns;
}

}  // namespace

std::string to_text(const ModelName& name) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", name.id, name.events, name.arms, name.features, name.bits.gram,
                     name.bits.targets, name.bits.inverse, name.bits.weights, name.max_norm, name.reward_scale);
}

ModelName parse_model_name(const std::string& text, const std::string& party) {
  std::string_view left = text;
  ModelName name;
  name.id = take_word(left);
  bool fits = is_order_digest(name.id);
  fits = take_number(left, name.events) && take_number(left, name.arms) && take_number(left, name.features) && fits;
  for (unsigned* bits : {&name.bits.gram, &name.bits.targets, &name.bits.inverse, &name.bits.weights}) {
    fits = take_number(left, *bits) && *bits <= most_bits && fits;
  }
  fits = take_number(left, name.max_norm) && take_number(left, name.reward_scale) && left.empty() && fits;
  if (!fits || name.events == 0 || name.arms == 0 || name.features == 0 || name.reward_scale <= 0) {
    throw ProtocolError(ProtocolError::Kind::malformed, party, 0,
                        fmt::format("{} announced what is no model of a run: it runs another version", party));
  }
  return name;
}

EarlierModel read_earlier_model(const std::filesystem::path& config, std::size_t id) {
  const BanditSettings before = earlier_config(config, id);
  Checkpoint checkpoint = last_checkpoint(before, before, before, before);
  const std::size_t features = checkpoint.targets.size() / (2 * before.arms);
  const std::size_t holders = before.holders().count();
  if (features < holders) throw InputError(before.state.string(), "holds a checkpoint of no model of that run");
  BanditParameters parameters =
      bandit_parameters(before, some_columns(holders, features), std::vector<double>(holders, 0));
  const BanditPlan plan = plan_bandit(std::move(parameters));
  EarlierModel model;
  model.name.id = hex(checkpoint.id);
  model.name.events = before.events_before + checkpoint.steps;
  model.name.arms = before.arms;
  model.name.features = features;
  model.name.bits = plan.batches ? plan.batches->model_bits() : plan.step->model_bits();
  model.name.max_norm = *before.max_norm;
  model.name.reward_scale = before.reward_scale;
  model.shares = {std::move(checkpoint.inverses), std::move(checkpoint.targets)};
  return model;
}

std::optional<RunModel> read_run_model(const RoleSettings& before, std::size_t id) {
  const auto* const run = dynamic_cast<const BanditSettings*>(&before);
  if (run == nullptr || run->role() != BanditRole::party || run->id != id) return std::nullopt;
  if (!run->max_norm) {
    throw InputError("--from", "that run has no max_norm in [run]: the bound on its contexts is not known here");
  }
  Checkpoint checkpoint = last_checkpoint(*run, *run, *run, *run);
  RunModel model;
  model.id = checkpoint.id;
  model.learned = run->events_before + checkpoint.steps;
  model.shares = {std::move(checkpoint.inverses), std::move(checkpoint.targets)};
  model.arms = run->arms;
  model.steps = run->events_before + run->steps;
  model.batch = run->batch;
  // A lag above 0 tells the reader of this model that the earlier run was in batches.
  model.reward_lag = run->batch == 1 && run->in_batches() ? 1 : run->reward_lag;
  model.update = run->update;
  model.bits = run->bits;
  model.max_norm = *run->max_norm;
  model.binary_rewards = run->binary_rewards;
  return model;
}

void begin_from(BanditParameters& parameters, const BanditRun& run, const ModelName& name) {
  const auto refuse = [](const std::string& what) {
    throw DisagreementError("the model that the run begins from " + what);
  };
  if (name.events != run.events_before) {
    refuse(fmt::format("has learned {}: set events_before = {} in [run] at all roles", counted(name.events, "event"),
                       name.events));
  }
  if (name.arms != parameters.arms || name.features != parameters.features()) {
    refuse(fmt::format("has {} and {}, and the run {} and {}", counted(name.arms, "arm"),
                       counted(name.features, "feature"), counted(parameters.arms, "arm"),
                       counted(parameters.features(), "feature")));
  }
  if (name.max_norm > parameters.max_norm) {
    refuse(fmt::format("is of contexts of norm up to {:g}, above max_norm in [run], {:g}", name.max_norm,
                       parameters.max_norm));
  }
  if (name.reward_scale != run.reward_scale) {
    refuse(
        fmt::format("is of rewards divided by {0:g}: divide those of the run by as much (reward_scale = {0:g} in "
                    "[run])",
                    name.reward_scale));
  }
  parameters.before = name.bits;
}

void BegunFromModel::load(std::uint64_t steps, ModelShares& shares) {
  if (steps > 0) throw std::logic_error("this role has kept no model");
  if (shares.inverses.size() != model_.shares.inverses.size() ||
      shares.targets.size() != model_.shares.targets.size()) {
    throw InputError("--from", "the model is of other shapes than its config says");
  }
  shares = std::move(model_.shares);
}

}  // namespace sotto::apps::bandit::run
