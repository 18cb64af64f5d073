// A cache in memory of rows that were read or written recently. The cache changes only the cost of a read, never the
// result.
//
// The cache has two generations, each with half of the bytes. When the younger generation is full, it replaces the
// older one.
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

// The function is not noexcept on purpose: std::unordered_map stores the hash of a key, and so computes it only once,
// if the hash function may throw.
struct RowKeyHash {
  [[nodiscard]] std::size_t operator()(const RowKey& key) const noexcept(false);
};

class RowCache {
 public:
  explicit RowCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns null if the key is not in the cache. For a cached key, the result is the row, or nothing if the store has
  // no such row. The pointer is valid until the next call.
  [[nodiscard]] const std::optional<LiveRow>* find(const RowKey& key);
  void put(const RowKey& key, std::optional<LiveRow> row);
  void clear();

 private:
  using Generation = std::unordered_map<RowKey, std::optional<LiveRow>, RowKeyHash>;

  void make_room(std::size_t bytes);

  std::size_t most_bytes_;
  Generation young_;
  Generation old_;
  std::size_t bytes_ = 0;
};

// A Bloom filter of a store's keys. For an added key, may_hold() always returns true. For another key, may_hold()
// returns true in one of several hundred cases, or more often if the filter is full. Keys cannot be removed.

class KeyFilter {
 public:
  // The filter uses 2 to 4 bytes of memory per key, and at least 128 KB.
  explicit KeyFilter(std::size_t keys);

  void add(const RowKey& key) noexcept;
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept;
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] bool is_full() const noexcept;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t keys_ = 0;
};

[[nodiscard]] RowKey stored_key(const Database& database, std::int64_t kind, std::span<const std::byte> key);

// A filter of all keys in a store's table. A full filter is made again in pieces, at rest, because a read of the whole
// table takes longer than a decision may wait. The filter uses 8 to 16 bytes of memory per row. The functions throw
// InputError if a key of the table is damaged.
class StoredKeys {
 public:
  // The database must outlive this object.
  explicit StoredKeys(Database& database);

  void add(const RowKey& key) noexcept;
  // False only for keys that the table does not contain.
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept { return filter_.may_hold(key); }
  void at_rest();

 private:
  void begin(std::size_t keys);
  void proceed();

  Database& database_;
  Statement piece_;
  KeyFilter filter_{0};
  std::optional<KeyFilter> next_;  // contains the keys up to `read_up_to_`, and all keys that were added meanwhile
  RowKey read_up_to_;
};

}  // namespace sotto::apps::live
