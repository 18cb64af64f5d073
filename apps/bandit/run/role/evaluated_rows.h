// The rows that a party or an owner brings to an evaluation, and the account of their subjects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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
  // The evaluated rows are the last `evaluated` rows of `turns`, and the learned rows are all earlier rows. Throws
  // InputError if no noise covers the learned rows and the config does not allow this. `rules` must outlive this
  // object.
  EvaluatedRows(const AccountRules& rules, const std::filesystem::path& data, const Table& table,
                const std::vector<std::uint64_t>& turns, std::uint64_t evaluated, bool in_one_bit);
  // Cancels the charge if draws() was not called.
  ~EvaluatedRows();
  EvaluatedRows(const EvaluatedRows&) = delete;
  EvaluatedRows& operator=(const EvaluatedRows&) = delete;

  [[nodiscard]] const CountPrivacy& privacy() const noexcept { return privacy_; }

  // The reason why this role refuses the evaluation, if it does. The reason names the rows with too little epsilon
  // left. No other role learns this reason.
  [[nodiscard]] const std::optional<std::string>& refusal() const noexcept { return refusal_; }

  // Charges the account. Called before this role sends its first frame. The charge is on the disk when charge()
  // returns.
  void charge(const std::string& receiver);
  [[nodiscard]] std::optional<AccountPosition> position() const;

  // Called before the role draws noise. After this call no charge can be cancelled. If rules.forget_after is set, the
  // account also forgets older charges forever.
  void draws();

  [[nodiscard]] std::optional<ChargedAccount> charged() const;

 private:
  struct LearnedAndEvaluated {
    std::vector<std::uint64_t> learned;
    std::vector<std::uint64_t> evaluated;
  };
  void cover_learning(std::span<const std::string> learned, bool by_ids);
  void refuse_beyond(const LearnedAndEvaluated& rows);

  const AccountRules& rules_;
  bool in_one_bit_;
  CountPrivacy privacy_;
  std::unique_ptr<Account> account_;
  std::vector<SubjectKey> evaluated_;
  std::vector<SubjectKey> learned_;
  std::optional<std::string> refusal_;
  std::vector<std::string> releases_;
  ChargedAccount charged_;
  std::int64_t counted_from_ = 0;
  bool drawn_ = false;
};

}  // namespace sotto::apps::bandit::run
