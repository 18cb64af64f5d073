// The rows that a party or an owner brings to an evaluation: the subjects of the rows, what other roles may learn about
// them, and whether the account allows it.
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
  // `table` must be that of the file `data`. The last `evaluated` rows of `turns` are evaluated, and all earlier rows
  // of `turns` are learned. `in_one_bit` means that the answer is only one bit. The constructor opens the account, if
  // there is one. Throws InputError if no noise covers learned rows and the config does not allow that. The constructor
  // also throws as Account and read_subjects do. `rules` must outlive this object.
  EvaluatedRows(const AccountRules& rules, const std::filesystem::path& data, const Table& table,
                const std::vector<std::uint64_t>& turns, std::uint64_t evaluated, bool in_one_bit);
  // Takes the charge back if no noise has been drawn since the charge. A run that ends before noise is drawn costs
  // nothing, whatever ended the run.
  ~EvaluatedRows();
  EvaluatedRows(const EvaluatedRows&) = delete;
  EvaluatedRows& operator=(const EvaluatedRows&) = delete;

  [[nodiscard]] const CountPrivacy& privacy() const noexcept { return privacy_; }

  // The reason why the account refuses the evaluation, with the rows of subjects that have too little epsilon left. No
  // other role learns which rows they are. Empty if the account does not refuse.
  [[nodiscard]] const std::optional<std::string>& refusal() const noexcept { return refusal_; }

  // Called before this role sends its first frame. The charge is on the disk when charge() returns. Does nothing
  // without an account, or if the account refuses. Throws as Account::charge does.
  void charge(const std::string& receiver);
  // The position of the account, including the charge; nothing without an account.
  [[nodiscard]] std::optional<AccountPosition> position() const;

  // Called before noise is drawn. After this call no charge is taken back, and old charges are forgotten for good.
  void draws();

  // The charges; empty until noise has been drawn.
  [[nodiscard]] std::optional<ChargedAccount> charged() const;

 private:
  // Row numbers in the file.
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
  // The subjects of the evaluated and of the learned rows, if there is an account.
  std::vector<SubjectKey> evaluated_;
  std::vector<SubjectKey> learned_;
  std::optional<std::string> refusal_;
  std::vector<std::string> releases_;  // ids of the charges
  ChargedAccount charged_;
  std::int64_t counted_from_ = 0;
  bool drawn_ = false;
};

}  // namespace sotto::apps::bandit::run
