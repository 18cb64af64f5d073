#include "apps/o3m/settings.h"

#include <fmt/format.h>

#include <utility>

#include "apps/kit/deploy/finding.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/toml_text.h"
#include "apps/prepare/data/environment.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::o3m {
namespace {

using S = O3mSettings;

constexpr double most_number = 1e6;
constexpr double least_ridge = 1e-9;

void read_mask_generator(const Section& run, Settings& settings) {
  auto& config = static_cast<S&>(settings);
  const std::string given = run.text_or_whole("mask_generator").value_or(third_party);
  config.mask_generator.reset();
  if (given == third_party || given == "third-party") return;
  if (given == "0") {
    throw InputError(run.where("mask_generator"),
                     "the active participant, number 0, must not make the masks: it would see all contexts; name a "
                     "passive participant or \"third party\"");
  }
  if (given.size() == 1 && given[0] > '0' && given[0] <= '9') {
    config.mask_generator = static_cast<NodeId>(given[0] - '0');
    if (config.participants == 0 || *config.mask_generator < config.participants) return;
  }
  run.refuse("mask_generator");
}

Setting mask_generator() {
  Setting setting =
      make_setting("run.mask_generator", ValueKind::text, "\"third party\" or the number of a passive participant",
                   "The maker of the masks: \"third party\", a role of its own, or the number of a passive "
                   "participant");
  setting.read = read_mask_generator;
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    const auto& generator = static_cast<const S&>(settings).mask_generator;
    return generator ? fmt::format("{}", *generator) : toml_quoted(third_party);
  };
  return setting;
}

std::vector<Setting> o3m_settings() {
  return {
      number("run.participants", &S::participants, {2, max_parties}, "Participants: the active one and passive ones")
          .needed()
          .known_where_all_is(),
      steps_setting<S>(),
      arms_setting<S>(prepare::max_arms).known_where_all_is(),
      word("run.algorithm", &S::algorithm, {{"ucb", LinearAlgorithm::ucb}, {"ts", LinearAlgorithm::ts}},
           "\"ucb\", LinUCB, or \"ts\", LinTS")
          .needed()
          .initially("ucb"),
      number("run.beta", &S::beta, {0, most_number}, "LinUCB: weight of the confidence width"),
      number("run.v", &S::v, {0, most_number}, "LinTS: standard deviation of the sampling"),
      number("run.lambda", &S::lambda, {least_ridge, most_number}, "Regularisation of the ridge regression"),
      mask_generator(),
      choice("run.insecure_blocks", &S::insecure_blocks,
             "The active participant sees the masked block of each participant, not only their sum")
          .insecure("the active participant sees the masked block of each participant",
                    "drop it from [run] at every role"),
      choice("run.acknowledge_leakage", &S::acknowledge_leakage,
             "The person who starts this role knows what O3M reveals to the others (docs/explain/o3m.md); without it "
             "no role starts")
          .with_flag("--acknowledge-leakage")
          .shown_as("true")
          .by_owner(),

      file("role.contexts", &S::contexts, "A participant's features, CSV").with_flag("--contexts").as_input(),
      file("role.arms_file", &S::arms_file, "Features of the arms, CSV, where the contexts are of users only")
          .with_flag("--arms-file")
          .shown_as("\"arms.csv\"", {"active"})
          .as_input(),
      word("role.combine", &S::combine, {{"concatenate", Combine::concatenate}, {"sum", Combine::outer_sum}},
           "How features of users and of arms make a context: \"concatenate\" or \"sum\", the outer one")
          .with_flag("--combine")
          .only_if<S>([](const S& s) { return !s.arms_file.empty(); }),
      file("role.environment", &S::environment, "The reward of each arm, CSV, at the role that gets the rewards")
          .with_flag("--environment")
          .as_input()};
}

// Throws an error instead of a warning, because the user who starts a single role decides about that role's own data.
void check_acknowledged(const S& config, const Section& run) {
  if (config.acknowledge_leakage) return;
  throw InputError(
      run.where("acknowledge_leakage"),
      fmt::format("O3M hides features from nobody who looks for them. The active participant learns lengths, angles "
                  "and repetitions of all contexts, and with a few known contexts all features. Together with the mask "
                  "generator it learns everything. Read docs/explain/o3m.md; if the owner of this role's data accepts "
                  "that, set acknowledge_leakage = true or give --acknowledge-leakage"));
}

void check_inputs(const S& config, const ConfigDocument& document) {
  const Section role(document, "role");
  const bool participant = config.role() != O3mRole::mask_generator;
  const bool active = config.role() == O3mRole::active;
  if (participant && config.contexts.empty()) role.refuse_missing("contexts");
  if (active && config.environment.empty()) role.refuse_missing("environment");
  if (config.arms_file.empty() && document.find("role", "combine") != nullptr) {
    throw InputError(role.where("combine"),
                     "there is nothing to combine the contexts with: name arms_file in [role], or leave combine out");
  }
  const auto refuse_of_others = [&](const char* key, const std::filesystem::path& file, const char* whose) {
    if (file.empty()) return;
    throw InputError(role.where(key),
                     fmt::format("{} has none; it is of {} alone: leave it out", config.display_name(), whose));
  };
  if (!participant) refuse_of_others("contexts", config.contexts, "the participants");
  if (!participant) refuse_of_others("arms_file", config.arms_file, "the participants");
  if (!active) refuse_of_others("environment", config.environment, "the active participant");
}

Program described() {
  Program program;
  program.word = "o3m";
  program.name = "O3M";
  program.version = "o3m 1";
  program.command = {"o3m", "role"};
  program.roles = {{"active", "active participant", true},
                   {"passive", "passive participant", true, 1},
                   {"mask_generator", "mask generator"}};
  program.settings = o3m_settings();
  program.make = []() -> std::unique_ptr<RoleSettings> { return std::make_unique<S>(); };
  return Program::with_common_settings(std::move(program));
}

}  // namespace

const Program& o3m_program() {
  static const Program program = described();
  return program;
}

std::vector<RunRole> S::roles() const {
  std::vector<RunRole> roles{run_role("active", 0, 0)};
  for (std::size_t number = 1; number < participants; ++number) {
    roles.push_back(run_role("passive", number, number));
  }
  if (!mask_generator) roles.push_back(run_role("mask_generator", 0, topology().further_node()));
  return roles;
}

void S::check(const ConfigDocument& document) const {
  check_acknowledged(*this, Section(document, "run"));
  if (role() == O3mRole::mask_generator && mask_generator) {
    throw InputError(Section(document, "role").where("name"),
                     fmt::format("passive participant {} generates the mask in this run; a role of its own needs "
                                 "mask_generator = \"{}\" in [run]",
                                 *mask_generator, third_party));
  }
  check_inputs(*this, document);
}

O3mParameters o3m_parameters(const S& run, std::vector<std::size_t> columns, std::vector<double> bounds) {
  O3mParameters parameters;
  parameters.algorithm = run.algorithm;
  parameters.steps = run.steps;
  parameters.arms = run.arms;
  parameters.columns = std::move(columns);
  parameters.bounds = std::move(bounds);
  parameters.beta = run.beta;
  parameters.v = run.v;
  parameters.lambda = run.lambda;
  parameters.mask_generator = run.mask_generator;
  parameters.insecure_blocks = run.insecure_blocks;
  return parameters;
}

void O3mSettings::name_files() {
  if (role() == O3mRole::mask_generator) return;
  contexts = "contexts.csv";
  if (role() == O3mRole::active) environment = "environment.csv";
}

// The participants announce their columns later. Until then, this plan assumes one column for each participant.
void O3mSettings::check_plan() const {
  (void)plan_o3m(o3m_parameters(*this, std::vector<std::size_t>(participants, 1),
                                std::vector<double>(participants, 1 / static_cast<double>(participants))));
}

std::string O3mSettings::in_short() const {
  return fmt::format("O3M, {}, {}, {}, {}", counted(participants, "participant"), counted(steps, "step"),
                     counted(arms, "arm"), algorithm == LinearAlgorithm::ucb ? "LinUCB" : "LinTS");
}

std::vector<ReadmeStep> O3mSettings::readme_steps() const {
  using When = ReadmeStep::When;
  std::vector<ReadmeStep> todo{
      {When::first,
       "Read docs/explain/o3m.md: O3M hides features from nobody who looks for them. Start the role only if\n"
       "   whoever owns its data accepts that, and then say so in [run] of config.toml:",
       {"acknowledge_leakage = true"}}};
  if (!contexts.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format(
             "Put your features into {}: a CSV with columns t, arm and one for each feature, and a row for\n"
             "   each step and arm. Without arm, it has a row for each step. Step t is about the same case at all\n"
             "   participants. The file stays on your machine.",
             contexts.string())});
  }
  if (!environment.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format(
             "Put the rewards of the arms into {}: a CSV with columns t, arm and reward, a row for each\n   step and "
             "arm.",
             environment.string())});
  }
  return todo;
}

std::string O3mSettings::announcement() const { return {}; }

Findings O3mSettings::check_announcements(const std::map<NodeId, std::string>&) const { return {}; }

}  // namespace sotto::apps::o3m
