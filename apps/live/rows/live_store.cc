#include "apps/live/rows/live_store.h"

#include <fmt/format.h>

#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "apps/live/order/chain.h"
#include "apps/live/order/opening.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

// The limits of the log, in changed rows and in bytes.
constexpr std::size_t most_pending = 1024;
constexpr std::size_t many_at_rest = 256;
constexpr std::size_t most_logged_bytes = std::size_t{1} << 20;
constexpr std::size_t bytes_of_cache = std::size_t{64} << 20;

constexpr std::int64_t first_with_log = 3;
constexpr std::int64_t first_with_tally = 4;

std::int64_t kind_of(LiveTable table) { return static_cast<std::int64_t>(table); }

}  // namespace

LiveStore::LiveStore(const std::filesystem::path& folder, LiveIdentity identity, SealingKey key)
    : key_(std::move(key)), file_(folder, std::move(identity), key_), cache_(bytes_of_cache) {
  Database& database = file_.database();
  get_ = std::make_unique<Statement>(database, "SELECT sealed FROM rows WHERE kind = ? AND key = ?");
  put_ = std::make_unique<Statement>(database, "INSERT OR REPLACE INTO rows VALUES (?, ?, ?)");
  erase_ = std::make_unique<Statement>(database, "DELETE FROM rows WHERE kind = ? AND key = ?");
  if (file_.version() < live_store_version) migrate();
  log_ = std::make_unique<Statement>(database, "INSERT INTO log VALUES (?, ?)");
  read_log();
}

void LiveStore::read_log() {
  Statement query(file_.database(), "SELECT number, sealed FROM log ORDER BY number");
  while (query.next()) {
    const std::vector<std::byte> sealed = query.bytes(1);
    const auto bytes = key_.open(sealed, file_.place_of_change(query.number(0)));
    std::optional<RowChanges> changes;
    if (bytes && query.number(0) == logged_ + 1) changes = decode_row_changes(*bytes);
    if (!changes) file_.refuse(fmt::format("change {} of its log", query.number(0)));
    ++logged_;
    logged_bytes_ += sealed.size();
    for (auto& [key, row] : *changes) pending_.insert_or_assign(key, std::move(row));
  }
}

LiveRow LiveStore::opened(const RowKey& key, const std::vector<std::byte>& sealed) const {
  auto row = key_.open(sealed, file_.place_of(key));
  if (row) return std::move(*row);
  file_.refuse(fmt::format("row {} of table {} does not decrypt", hex(key.key), static_cast<int>(key.table)));
}

std::optional<LiveRow> LiveStore::get(const RowKey& key) const {
  if (const auto changed = pending_.find(key); changed != pending_.end()) return changed->second;
  if (keys_ && !keys_->may_hold(key)) return std::nullopt;
  if (const auto* known = cache_.find(key)) return *known;
  std::optional<LiveRow> row = read(key);
  cache_.put(key, row);
  return row;
}

std::optional<LiveRow> LiveStore::read(const RowKey& key) const {
  get_->again().bind(kind_of(key.table)).bind(std::span<const std::byte>(key.key));
  std::optional<std::vector<std::byte>> sealed;
  if (get_->next()) sealed = get_->bytes(0);
  // A statement that is not reset leaves its read transaction open.
  get_->again();
  if (!sealed) return std::nullopt;
  return opened(key, *sealed);
}

void LiveStore::each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const {
  Statement query(file_.database(), "SELECT key, sealed FROM rows WHERE kind = ? ORDER BY key");
  query.bind(kind_of(table));
  auto changed = pending_.lower_bound(RowKey{table, {}});
  const auto has_changed = [&] { return changed != pending_.end() && changed->first.table == table; };
  const auto take_changed = [&] {
    const auto& [key, row] = *changed++;
    return !row || take(key, *row);
  };
  while (query.next()) {
    const RowKey key = stored_key(file_.database(), kind_of(table), query.bytes(0));
    while (has_changed() && changed->first < key) {
      if (!take_changed()) return;
    }
    if (has_changed() && changed->first == key) continue;
    if (!take(key, opened(key, query.bytes(1)))) return;
  }
  while (has_changed()) {
    if (!take_changed()) return;
  }
}

// Differences of older versions:
// - Version 4 had no tables of subjects, and features without subjects; decoders still read these features. The row of
//   the epoch contained an additional count. migrate() removes this count.
// - Version 3 had no tally in the rows of the chain; migrate() inserts it after the agreement. This version also marked
//   batches that are never learned as learned.
// - Version 2 had no log.
// - Version 1 had no counts of recoveries in the row of the epoch; migrate() appends zeros. It had no agreement in the
//   rows of the chain; migrate() inserts zeros after the members mark, mode, restated, decided and learned.
void LiveStore::migrate() {
  const std::int64_t version = file_.version();
  file_.copy_to(std::filesystem::path(file_.database().path()) += fmt::format(".v{}", version));
  if (version >= first_with_log) read_log();
  RowChanges changes = migrated_rows(version);
  changes.insert(pending_.begin(), pending_.end());  // rows that are already in `changes` stay
  Transaction transaction(file_.database());
  put_rows(changes);
  file_.migrate_tables();
  empty_log();
  transaction.commit();
  forget_log();
}

RowChanges LiveStore::migrated_rows(std::int64_t version) const {
  constexpr std::ptrdiff_t before_shown_twice = 4 + sizeof(net::SessionId);
  constexpr std::ptrdiff_t shown_twice = 8;
  constexpr std::size_t recoveries = 3 * 8;
  constexpr std::size_t before_agreement = (8 + 32 + 4 + 32) + 1 + 1 + 8 + 8;
  constexpr std::size_t agreement = 8 + 1 + 8 + 8 + 8 + 8 + 2 * (8 + 8);
  RowChanges changes;
  each(LiveTable::epoch, [&](const RowKey& key, LiveRow row) {
    if (std::ssize(row) < before_shown_twice + shown_twice) file_.refuse("epoch");
    const auto at = row.begin() + before_shown_twice;
    row.erase(at, at + shown_twice);
    if (version == 1) row.resize(row.size() + recoveries);
    changes.emplace(key, std::move(row));
    return true;
  });
  if (version >= first_with_tally) return changes;
  std::set<OrderNumber> models{0};
  each(LiveTable::models, [&](const RowKey& key, const LiveRow&) {
    models.insert(number_of(key));
    return true;
  });
  each(LiveTable::chain, [&](const RowKey& key, LiveRow row) {
    const std::size_t added = bytes_of_tally + (version == 1 ? agreement : 0);
    const std::size_t at = before_agreement + (version == 1 ? 0 : agreement);
    if (row.size() < at) file_.refuse("chain");
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), added, std::byte{0});
    std::optional<ChainRow> number = decode_chain_row(row);
    if (!number) file_.refuse("chain");
    // A party's store contains all models of the party. The store of another role contains only the learns among its
    // last entries.
    if (number->entry.shape.kind == EntryKind::learn) models.insert(number->mark.number);
    number->tally.model = *std::prev(models.upper_bound(number->mark.number));
    changes.emplace(key, encode(*number));
    return true;
  });
  return changes;
}

void LiveStore::prepare_to_serve() {
  keys_.emplace(file_.database());
  file_.lengthen_wal();
}

void LiveStore::change_key(const SealingKey& key) {
  write_through({});
  std::vector<RowKey> keys;
  {
    Statement all(file_.database(), "SELECT kind, key FROM rows");
    while (all.next()) keys.push_back(stored_key(file_.database(), all.number(0), all.bytes(1)));
  }
  Transaction transaction(file_.database());
  Statement update(file_.database(), "UPDATE rows SET sealed = ? WHERE kind = ? AND key = ?");
  for (const RowKey& row : keys) {
    const auto sealed = key.seal(get(row).value(), file_.place_of(row));
    const std::span<const std::byte> at(row.key);
    update.again().bind(std::span<const std::byte>(sealed)).bind(kind_of(row.table)).bind(at).run();
  }
  file_.seal_again(key);
  transaction.commit();
}

void LiveStore::commit(const RowChanges& changes) {
  try {
    const auto add = [](std::size_t sum, const auto& change) {
      return sum + (change.second ? change.second->size() : 0);
    };
    const std::size_t bytes = std::accumulate(changes.begin(), changes.end(), logged_bytes_, add);
    const bool is_small = pending_.size() + changes.size() <= most_pending && bytes <= most_logged_bytes;
    is_small ? append(changes) : write_through(changes);
  } catch (...) {
    cache_.clear();
    throw;
  }
}

void LiveStore::at_rest() {
  if (pending_.size() >= many_at_rest) write_through({});
  if (keys_) keys_->at_rest();
  nonces_.top_up();
}

void LiveStore::append(const RowChanges& changes) {
  const auto sealed = key_.seal(encode(changes), file_.place_of_change(logged_ + 1), nonces_);
  log_->again().bind(logged_ + 1).bind(std::span<const std::byte>(sealed)).run();
  log_->again();
  ++logged_;
  logged_bytes_ += sealed.size();
  for (const auto& [key, row] : changes) pending_.insert_or_assign(key, row);
}

void LiveStore::write_through(const RowChanges& changes) {
  RowChanges all = changes;
  all.insert(pending_.begin(), pending_.end());  // rows that are already in `all` stay
  Transaction transaction(file_.database());
  put_rows(all);
  empty_log();
  transaction.commit();
  forget_log();
  for (auto& [key, row] : all) cache_.put(key, std::move(row));
}

// Call within a transaction. After the commit, call forget_log().
void LiveStore::empty_log() { file_.database().execute("DELETE FROM log"); }

void LiveStore::forget_log() {
  pending_.clear();
  logged_ = 0;
  logged_bytes_ = 0;
}

void LiveStore::put_rows(const RowChanges& changes) {
  for (const auto& [key, row] : changes) {
    const std::span<const std::byte> place(key.key);
    if (!row) {
      erase_->again().bind(kind_of(key.table)).bind(place).run();
      continue;
    }
    const auto sealed = key_.seal(*row, file_.place_of(key), nonces_);
    if (keys_) keys_->add(key);
    put_->again().bind(kind_of(key.table)).bind(place).bind(std::span<const std::byte>(sealed)).run();
  }
  put_->again();
  erase_->again();
}

}  // namespace sotto::apps::live
