// The rows of a role of the decision service on its disk (live_file.h).
//
// The store appends a small change to the log, and also keeps the change in memory. So the disk must write only one or
// two pages. When no caller waits for the role, or when the log has many changes, the store writes all changes into
// `rows` in one transaction. A change of many rows is written into `rows` directly.
//
// Keys of rows are not sealed, because event ids are random and numbers are only counters. A thief with the stores and
// private keys of all parties can read the waiting features and the model. A thief with the stores and keys of only
// some parties can read only the features of those parties.
//
// A store of an older version is converted when it is opened. A copy of the older store stays, for instance live.db.v1.
// A store of a newer version is refused. Recently used rows are also in memory, up to 64 MB.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/kit/store/database.h"
#include "apps/kit/store/seal.h"
#include "apps/live/rows/live_file.h"
#include "apps/live/rows/live_rows.h"
#include "apps/live/rows/row_cache.h"

namespace sotto::apps::live {

class LiveStore final : public LiveRows {
 public:
  LiveStore(const std::filesystem::path& folder, LiveIdentity identity, SealingKey key);

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override;
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override;
  void commit(const RowChanges& changes) override;
  void at_rest() override;

  // Call before a role serves. Makes the filter of keys (row_cache.h) and lengthens the WAL.
  void prepare_to_serve();

  void back_up(const std::filesystem::path& into) const { file_.copy_into(into); }
  [[nodiscard]] std::unique_ptr<LiveCopy> begin_copy(const std::filesystem::path& into) const {
    return std::make_unique<LiveCopy>(file_, into);
  }
  // Seals all rows with another key, in one transaction. This object must not be used after the call.
  void change_key(const SealingKey& key);

 private:
  void migrate();
  [[nodiscard]] RowChanges migrated_rows(std::int64_t version) const;
  void read_log();
  void empty_log();
  void forget_log();
  [[nodiscard]] LiveRow opened(const RowKey& key, const std::vector<std::byte>& sealed) const;
  [[nodiscard]] std::optional<LiveRow> read(const RowKey& key) const;
  void append(const RowChanges& changes);
  void write_through(const RowChanges& changes);
  void put_rows(const RowChanges& changes);  // call only within a transaction of the database

  SealingKey key_;
  LiveFile file_;
  // The statements below must be destroyed before `file_`.
  std::unique_ptr<Statement> get_;
  std::unique_ptr<Statement> put_;
  std::unique_ptr<Statement> erase_;
  std::unique_ptr<Statement> log_;
  std::optional<StoredKeys> keys_;
  RowChanges pending_;
  std::int64_t logged_ = 0;
  std::size_t logged_bytes_ = 0;
  mutable RowCache cache_;
  SealingNonces nonces_;
};

}  // namespace sotto::apps::live
