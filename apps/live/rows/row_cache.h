// Rows of a store that were read or written recently, kept in memory: an event's next step reads what its last step
// wrote.
//
// The cache has two generations of half the bytes each. A row that is found in the older generation moves to the
// younger one. When the younger generation is full, the older one is dropped, and the younger one becomes the older
// one. The cache changes the cost of a read, and never its result.
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

// Not noexcept, because maps of the standard library then store the hash of each key next to the key. To look into a
// bucket, the map then needs no keys of neighbouring entries.
struct RowKeyHash {
  [[nodiscard]] std::size_t operator()(const RowKey& key) const noexcept(false);
};

class RowCache {
 public:
  explicit RowCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Null if the key is not in the cache. Otherwise the row, or nothing if the store has no such row. Valid until the
  // next call.
  [[nodiscard]] const std::optional<LiveRow>* find(const RowKey& key);
  void put(const RowKey& key, std::optional<LiveRow> row);
  void clear();

 private:
  using Generation = std::unordered_map<RowKey, std::optional<LiveRow>, RowKeyHash>;

  // Takes `bytes` more bytes of the younger generation. If it is full, it first becomes the older generation.
  void make_room(std::size_t bytes);

  std::size_t most_bytes_;
  Generation young_;
  Generation old_;         // may hold outdated content of a row that is in the younger generation
  std::size_t bytes_ = 0;  // bytes in the younger generation
};

// The keys that a store may hold, in memory, as a Bloom filter: a store knows that an event is new without a look into
// the database. The filter always says yes for an added key. For other keys it says yes in one case of some hundreds.
//
// Keys cannot be taken out. A full filter must be made again from the current keys; until then it errs more often.

class KeyFilter {
 public:
  // 2 to 4 bytes a key, and at least 128 KB.
  explicit KeyFilter(std::size_t keys);

  void add(const RowKey& key) noexcept;
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept;
  // How many keys were added, not counting keys that the filter seemed to hold already.
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] bool is_full() const noexcept;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t keys_ = 0;
};

// The key of a row whose columns kind and key hold these values.
[[nodiscard]] RowKey stored_key(const Database& database, std::int64_t kind, std::span<const std::byte> key);

// The keys that a store holds, as a filter of all of them. The first filter is made from the whole table at once. A
// full filter is made again in pieces, at rest, because reading a whole table takes longer than a decision may wait.
// The filter takes 8 to 16 bytes a row.
//
// InputError if a key of the table is damaged.
class StoredKeys {
 public:
  // Reads the table rows (kind, key, ...). The database must outlive this object.
  explicit StoredKeys(Database& database);

  // Call for each row that is put into the table.
  void add(const RowKey& key) noexcept;
  // False only for keys that the table does not hold.
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept { return filter_.may_hold(key); }
  // Makes a piece of a new filter if the current filter is full.
  void at_rest();

 private:
  void begin(std::size_t keys);
  void go_on();

  Database& database_;
  Statement piece_;
  KeyFilter filter_{0};
  std::optional<KeyFilter> next_;  // has the keys up to `read_up_to_`, and all keys that were added since it was begun
  RowKey read_up_to_;
};

}  // namespace sotto::apps::live
