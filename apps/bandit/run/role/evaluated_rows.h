// The rows of a party or an owner that an evaluation is about, learned and evaluated: whose they are, what others may
// learn of them, and what the party's account says of that.
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
  // The table is that of the file `data`. The last `evaluated` of its rows `turns` are evaluated, those before learned.
  // `in_one_bit`: that is all that is answered. Opens the account, if there is one. Throws InputError where rows are
  // learned that nothing covers, and nobody has said that this may be; and as Account and read_subjects do. `rules`
  // must outlive this.
  EvaluatedRows(const AccountRules& rules, const std::filesystem::path& data, const Table& table,
                const std::vector<std::uint64_t>& turns, std::uint64_t evaluated, bool in_one_bit);
  // Takes a charge back where nothing was drawn after it: whatever ended the run before that, nobody has paid.
  ~EvaluatedRows();
  EvaluatedRows(const EvaluatedRows&) = delete;
  EvaluatedRows& operator=(const EvaluatedRows&) = delete;

  [[nodiscard]] const CountPrivacy& privacy() const noexcept { return privacy_; }

  // Why the account refuses, with the rows of those who have too little left: nobody else learns which. Nothing where
  // it does not.
  [[nodiscard]] const std::optional<std::string>& refusal() const noexcept { return refusal_; }

  // Before the first frame to anybody: on the disk when it returns. Nothing without an account, or where it refuses.
  // Throws as Account::charge does.
  void charge(const std::string& receiver);
  // The account with that charge; nothing without an account.
  [[nodiscard]] std::optional<AccountPosition> position() const;

  // Before noise is drawn. From here on nothing is taken back, and what is old is forgotten for good.
  void draws();

  // Once noise was drawn: what was charged.
  [[nodiscard]] std::optional<ChargedAccount> charged() const;

 private:
  // Rows of the file.
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
  // Their subjects, where there is an account.
  std::vector<SubjectKey> evaluated_;
  std::vector<SubjectKey> learned_;
  std::optional<std::string> refusal_;
  std::vector<std::string> releases_;  // their ids, once they were charged
  ChargedAccount charged_;
  std::int64_t counted_from_ = 0;
  bool drawn_ = false;
};

}  // namespace sotto::apps::bandit::run
