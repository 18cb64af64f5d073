#include "sotto/apps/kit/deploy/config.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/apps/bandit/privacy.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/settings/effective.h"
#include "sotto/apps/kit/settings/lines.h"
#include "sotto/core/random/seed.h"
#include "sotto/core/wire/hex.h"

namespace sotto::apps {

std::string peer_key(Role role, std::size_t id) {
  switch (role) {
    case Role::actor:
      return "actor";
    case Role::rewarder:
      return "rewarder";
    case Role::dealer:
      return "dealer";
    case Role::active:
      return "active";
    case Role::passive:
      return fmt::format("passive_{}", id);
    case Role::mask_generator:
      return "mask_generator";
    default:
      return fmt::format("party_{}", id);
  }
}

std::string RoleConfig::name() const {
  switch (role) {
    case Role::party:
      return fmt::format("party {}", id);
    case Role::active:
      return "active participant";
    case Role::passive:
      return fmt::format("passive participant {}", id);
    case Role::mask_generator:
      return "mask generator";
    default:
      return peer_key(role, id);
  }
}

Topology RunConfig::topology() const {
  return o3m ? o3m_topology(parties, !o3m->mask_generator) : Topology(parties, separate_rewarder);
}

std::string RunConfig::canonical_text() const {
  std::string text;
  for (const ConfigLine& line : run_lines(*this)) {
    const std::string prefix = line.table == "run" ? "" : line.table + "_";
    text += fmt::format("{}{} = {}\n", prefix, line.key, line.value);
  }
  return text;
}

RoleConfig read_role_config(const std::filesystem::path& path) {
  return read_effective_config(path, {}).config;
}

std::string to_toml(const RoleConfig& config) {
  std::string text;
  std::string table;
  for (const ConfigLine& line : config_lines(config)) {
    if (line.table != table) text += fmt::format("{}[{}]\n", table.empty() ? "" : "\n", line.table);
    table = line.table;
    text += fmt::format("{} = {}\n", line.key, line.value);
  }
  return text;
}

std::string fresh_session() {
  const Seed seed = Seed::from_os();
  return hex(seed.expose());
}

BanditParameters bandit_parameters(const RunConfig& run, const std::vector<std::size_t>& columns,
                                   const std::vector<double>& bounds) {
  const ExplorationThreshold exploration = epsilon_threshold(run.epsilon);
  BanditParameters parameters;
  parameters.columns = columns;
  parameters.arms = run.arms;
  parameters.steps = run.steps;
  parameters.max_norm = run.max_norm.value_or(joint_bound(bounds));
  parameters.binary_rewards = run.binary_rewards;
  parameters.fraction_bits = run.bits;
  parameters.exploration = {exploration.threshold, exploration.always};
  parameters.reveal_model = run.reveal_model;
  parameters.separate_rewarder = run.separate_rewarder;
  return parameters;
}

O3mParameters o3m_parameters(const RunConfig& run, std::vector<std::size_t> columns,
                             std::vector<double> bounds) {
  O3mParameters parameters;
  parameters.algorithm = run.o3m->algorithm;
  parameters.steps = run.steps;
  parameters.arms = run.arms;
  parameters.columns = std::move(columns);
  parameters.bounds = std::move(bounds);
  parameters.beta = run.o3m->beta;
  parameters.v = run.o3m->v;
  parameters.lambda = run.o3m->lambda;
  parameters.mask_generator = run.o3m->mask_generator;
  parameters.insecure_blocks = run.o3m->insecure_blocks;
  return parameters;
}

}  // namespace sotto::apps
