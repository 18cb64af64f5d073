// The rows of a party or an owner that an evaluation is about: whose they are, what the counts may tell of them, and
// what the party's account says of that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/account/account.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/files/table.h"

namespace sotto::apps::bandit::run {

class EvaluatedRows {
 public:
  // Of the rows `turns` of the table the last `evaluated`. Opens the account, if there is one. Throws InputError where
  // a subject has too little left of its budget, naming the rows: nobody else learns which; and as Account and
  // read_subjects do. `rules` must outlive this.
  EvaluatedRows(const AccountRules& rules, const Table& table, const std::vector<std::uint64_t>& turns,
                std::uint64_t evaluated);

  [[nodiscard]] const CountPrivacy& privacy() const noexcept { return privacy_; }

  // Before noise is drawn: on the disk when it returns. Nothing without an account. Throws as Account::charge does.
  void charge(const std::string& receiver);

  // Once it was charged.
  [[nodiscard]] const std::optional<ChargedAccount>& charged() const noexcept { return charged_; }

 private:
  const AccountRules& rules_;
  CountPrivacy privacy_;
  std::optional<Account> account_;
  std::vector<SubjectKey> subjects_;  // of the rows, where there is an account
  std::optional<ChargedAccount> charged_;
};

}  // namespace sotto::apps::bandit::run
