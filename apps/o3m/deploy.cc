// What `sotto init` and `sotto doctor` know of a role of O3M.
#include <fmt/format.h>

#include "sotto/apps/kit/deploy/finding.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/apps/o3m/role_site.h"
#include "sotto/apps/o3m/settings.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {

void O3mSettings::name_files() {
  if (role() == O3mRole::mask_generator) return;
  contexts = "contexts.csv";
  if (role() == O3mRole::active) environment = "environment.csv";
}

// The widths of the files are announced later.
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
       "Read docs/o3m.md: O3M hides features from nobody who looks for them. Start the role only if\n"
       "   whoever owns its data accepts that, and then say so in [run] of config.toml:",
       {"acknowledge_leakage = true"}}};
  if (!contexts.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format(
             "Put your features into {}: a CSV with columns t, arm and a column a feature, a row for\n"
             "   each step and arm; or, without arm, a row for each step. Step t is about the same case at all\n"
             "   participants. The file stays on your machine.",
             contexts.string())});
  }
  if (!environment.empty()) {
    todo.push_back(
        {When::with_data,
         fmt::format(
             "Put what the arms earn into {}: a CSV with columns t, arm and reward, a row for each\n   step and arm.",
             environment.string())});
  }
  return todo;
}

Findings O3mSettings::check_files() const {
  if (contexts.empty()) return {};
  try {
    const O3mRoleSite reads_and_checks(*this);
    Findings findings{good("contexts", reads_and_checks.contexts_in_short())};
    if (!environment.empty()) {
      findings.push_back(good("environment", reads_and_checks.environment_in_short()));
    }
    return findings;
  } catch (const Error& error) {
    return {problem("files", error.exit_code(), error.what())};
  }
}

// A doctor tells nothing of the files.
std::string O3mSettings::announcement() const { return {}; }

Findings O3mSettings::check_announcements(const std::map<NodeId, std::string>&) const { return {}; }

}  // namespace sotto::apps
