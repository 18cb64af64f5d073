// The rows of a role of the decision service on its disk (live_file.h).
//
// A decision changes a few rows, each on a page of its own. So a small change is appended to the log, which is a page
// or two, and is kept in memory as well. At rest, or once there are many of them, all go into `rows` in one
// transaction, as a change of many rows does at once.
//
// Keys are in clear: event ids are random, and numbers count. Who steals the stores of all parties, keys included, has
// the features that wait and the model; of fewer, their own features alone.
//
// A store of an older version is brought forward once, as it is opened; a copy of it stays as live.db.v1, by its
// version. One of a newer version is refused.
//
// Errors are those of the file. In memory as well are rows of late, up to 64 MB of them, and where a role serves a
// filter of all keys (row_cache.h).
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

  // Before a role serves: makes the filter of keys, so that to find out that an event is new takes no look into the
  // database, and lengthens the WAL.
  void prepare_to_serve();

  // A whole copy, on the disk when this returns: the store of another folder (LiveFile::copy_into).
  void back_up(const std::filesystem::path& into) const { file_.copy_into(into); }
  // The same of a store that is in use (LiveCopy).
  [[nodiscard]] std::unique_ptr<LiveCopy> begin_copy(const std::filesystem::path& into) const {
    return std::make_unique<LiveCopy>(file_, into);
  }
  // Seals all rows with another key: all or none. This object is of no use afterwards.
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
  // All of the log, and these.
  void write_through(const RowChanges& changes);
  void put_rows(const RowChanges& changes);  // within a transaction

  SealingKey key_;
  LiveFile file_;
  // Statements that are run again and again; they end before their database.
  std::unique_ptr<Statement> get_;
  std::unique_ptr<Statement> put_;
  std::unique_ptr<Statement> erase_;
  std::unique_ptr<Statement> log_;
  std::optional<StoredKeys> keys_;  // where a role serves
  RowChanges pending_;              // what is in the log
  std::int64_t logged_ = 0;
  std::size_t logged_bytes_ = 0;
  mutable RowCache cache_;
  SealingNonces nonces_;
};

}  // namespace sotto::apps::live
