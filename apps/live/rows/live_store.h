// The rows of a role of the decision service on its disk (live_file.h).
//
// A decision changes a few rows, each on a page of its own. So a small change is appended to the log, which costs a
// page or two, and is kept in memory as well. At rest, or once the log has many changes, all of them go into `rows` in
// one transaction. A change of many rows goes into `rows` at once.
//
// Keys are in clear: event ids are random, and numbers only count. A thief of the stores of all parties, keys included,
// has the waiting features and the model. A thief of fewer stores has only the features of these parties.
//
// A store of an older version is brought forward once, as it is opened. A copy of the older store stays as live.db.v1,
// named by its version. A store of a newer version is refused.
//
// Errors are those of the file. Rows that were used recently are also in memory, up to 64 MB of them. While a role
// serves, a filter of all keys is in memory as well (row_cache.h).
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
  // Opens a store and locks it.
  LiveStore(const std::filesystem::path& folder, LiveIdentity identity, SealingKey key);

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override;
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override;
  void commit(const RowChanges& changes) override;
  void at_rest() override;

  // Call before a role serves. Makes the filter of keys and lengthens the WAL. With the filter the store knows that an
  // event is new without looking into the database.
  void prepare_to_serve();

  // Makes a complete copy as the store of another folder (LiveFile::copy_into). The copy is on the disk when this
  // returns.
  void back_up(const std::filesystem::path& into) const { file_.copy_into(into); }
  // Begins a copy of a store that is in use (LiveCopy).
  [[nodiscard]] std::unique_ptr<LiveCopy> begin_copy(const std::filesystem::path& into) const {
    return std::make_unique<LiveCopy>(file_, into);
  }
  // Seals all rows with another key: all or none. This object must not be used afterwards.
  void change_key(const SealingKey& key);

 private:
  void bring_forward();
  [[nodiscard]] RowChanges rows_brought_forward(std::int64_t version) const;
  void read_log();
  void empty_log();
  void forget_log();
  [[nodiscard]] LiveRow opened(const RowKey& key, const std::vector<std::byte>& sealed) const;
  [[nodiscard]] std::optional<LiveRow> read(const RowKey& key) const;
  void append(const RowChanges& changes);
  // Writes the log and these changes into the tables.
  void write_through(const RowChanges& changes);
  void put_rows(const RowChanges& changes);  // call within a transaction

  SealingKey key_;
  LiveFile file_;
  // Statements that are run repeatedly. They are destroyed before their database.
  std::unique_ptr<Statement> get_;
  std::unique_ptr<Statement> put_;
  std::unique_ptr<Statement> erase_;
  std::unique_ptr<Statement> log_;
  std::optional<StoredKeys> keys_;  // set while a role serves
  RowChanges pending_;              // the changes that are in the log and not in the tables
  std::int64_t logged_ = 0;
  std::size_t logged_bytes_ = 0;
  mutable RowCache cache_;
  SealingNonces nonces_;
};

}  // namespace sotto::apps::live
