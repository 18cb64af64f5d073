// The evaluation of a log in this process: the work of `sotto evaluate`, with the roles of its processes (RoleSite), in
// turn. Parties may have accounts, as roles on several machines do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/options.h"

namespace sotto::apps::bandit::run {

// The files of a party that other parties do not have. Both may be empty.
struct PartyFiles {
  std::filesystem::path account;   // apps/kit/account/account.h
  std::filesystem::path subjects;  // apps/kit/account/subjects.h
};

struct EvaluationHere {
  // The options of `sotto evaluate`. options.run also has the rules of all accounts, such as the budget.
  BanditOptions options;
  std::vector<PartyFiles> files;     // one per party
  std::vector<EarlierModel> models;  // one per party: the model that is evaluated; empty: it is learned from the log
  bool real_rewards = false;         // whether the model was learned from rewards that may be other than 0 and 1
  std::function<void()> tick;        // called several times per round; if it throws, the run ends
};

struct EvaluatedHere {
  BanditResult result;
  std::vector<std::optional<ChargedAccount>> charges;  // one per party; nothing without an account
  std::vector<std::string> warnings;                   // about the log; not about the order of rows
  std::vector<std::uint64_t> rows;                     // event t is this row of the log; learned events come first
  std::vector<double> weights;                         // the weight of each event, as it was used
};

// Throws InputError if options, files or the log do not fit, or if an account refuses. Nobody is then charged. If the
// run ends before noise is drawn, the charges are taken back.
[[nodiscard]] EvaluatedHere evaluate_here(const EvaluationHere& given);

}  // namespace sotto::apps::bandit::run
