// Rows of a store that were read or written of late, in memory: an event's next step reads what its last one wrote.
//
// Two generations of half the bytes each; what is found in the older one is of the younger one again, and when that is
// full the older one goes. Which rows are here changes what a read costs, and never what it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "apps/kit/store/database.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// Not noexcept: maps of the standard library then keep the hash of each key beside it, and a look at a bucket needs
// none of its neighbours' keys.
struct RowKeyHash {
  [[nodiscard]] std::size_t operator()(const RowKey& key) const noexcept(false);
};

class RowCache {
 public:
  explicit RowCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Null where nothing is known; else the row, or nothing where the store has none. Until the next call.
  [[nodiscard]] const std::optional<LiveRow>* find(const RowKey& key);
  void put(const RowKey& key, std::optional<LiveRow> row);
  void clear();

 private:
  using Generation = std::unordered_map<RowKey, std::optional<LiveRow>, RowKeyHash>;

  // Of the younger generation, for so many bytes more: it becomes the older one where it is full.
  void make_room(std::size_t bytes);

  std::size_t most_bytes_;
  Generation young_;
  Generation old_;         // may hold what a row of the younger one was before
  std::size_t bytes_ = 0;  // of the younger one
};

// Which keys a store holds, by a filter of them all: made of its table at once, and anew in pieces, at rest, once it is
// full, as a whole table takes longer to read than a decision may wait. 8 to 16 bytes a row.
//
// InputError where a key of the table is damaged.

// Which keys a store may hold, in memory: a Bloom filter, so that to find out that an event is new takes no look into
// the database. Of keys that were added it says so always; of others, in one case of some hundreds.
//
// Keys cannot be taken out. A filter that is full is to be made anew from the keys that there are; until then it errs
// more often.

class KeyFilter {
 public:
  // 2 to 4 bytes a key, and at least 128 KB.
  explicit KeyFilter(std::size_t keys);

  void add(const RowKey& key) noexcept;
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept;
  // How many were added, but for some that were there already.
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] bool is_full() const noexcept;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t keys_ = 0;
};

// The key of a row whose columns kind and key hold these.
[[nodiscard]] RowKey stored_key(const Database& database, std::int64_t kind, std::span<const std::byte> key);

class StoredKeys {
 public:
  // Of the table rows (kind, key, ...) of a database that outlives this.
  explicit StoredKeys(Database& database);

  // For each row that is put into the table.
  void add(const RowKey& key) noexcept;
  // False only for keys that the table does not hold.
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept { return filter_.may_hold(key); }
  // Where a filter is to be made anew, a piece of it.
  void at_rest();

 private:
  void begin(std::size_t keys);
  void go_on();

  Database& database_;
  Statement piece_;
  KeyFilter filter_{0};
  std::optional<KeyFilter> next_;  // of the keys up to `read_up_to_`, and of all that came since it was begun
  RowKey read_up_to_;
};

}  // namespace sotto::apps::live
