// A cache in memory of rows that were read or written recently. The cache helps because each step of an event reads the
// rows that the previous step wrote.
//
// The cache has two generations, each with half of the bytes. A row that is found in the older generation moves to the
// younger generation. When the younger generation is full, the older generation is dropped, and the younger generation
// becomes the older one. The cache changes only the cost of a read, never the result.
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

// The function is not noexcept, because a std::unordered_map stores the hash of each key if the hash function may
// throw. With stored hashes, a look-up does not need to hash the keys of neighbouring entries.
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

  // Reserves `bytes` more bytes in the younger generation. If the younger generation is full, it becomes the older
  // generation first.
  void make_room(std::size_t bytes);

  std::size_t most_bytes_;
  Generation young_;
  Generation old_;         // may have an old version of a row that is in the younger generation
  std::size_t bytes_ = 0;  // bytes in the younger generation
};

// A Bloom filter in memory of a store's keys, so that the store can recognise a new event without a read of the
// database. For an added key, may_hold() always returns true. For another key, may_hold() returns true in one of
// several hundred cases.
//
// Keys cannot be removed. A full filter must be made again from the current keys, because may_hold() is wrong more
// often when the filter is full.

class KeyFilter {
 public:
  // The filter uses 2 to 4 bytes of memory per key, and at least 128 KB.
  explicit KeyFilter(std::size_t keys);

  void add(const RowKey& key) noexcept;
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept;
  // The number of added keys, without keys for which may_hold() was already true.
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] bool is_full() const noexcept;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t keys_ = 0;
};

// Makes the key of a row from the values in the row's columns `kind` and `key`.
[[nodiscard]] RowKey stored_key(const Database& database, std::int64_t kind, std::span<const std::byte> key);

// A filter of all keys in a store's table. The first filter is made from the whole table at once. A full filter is made
// again in pieces, at rest, because a read of the whole table takes longer than a decision may wait. The filter uses 8
// to 16 bytes of memory per row.
//
// The functions throw InputError if a key of the table is damaged.
class StoredKeys {
 public:
  // Reads the keys in the database's table `rows` (kind, key, ...). The database must outlive this object.
  explicit StoredKeys(Database& database);

  // Call for each row that is put into the table.
  void add(const RowKey& key) noexcept;
  // Returns false only for keys that the table does not contain.
  [[nodiscard]] bool may_hold(const RowKey& key) const noexcept { return filter_.may_hold(key); }
  // If the current filter is full, adds the next keys of the table to a new filter.
  void at_rest();

 private:
  void begin(std::size_t keys);
  void proceed();

  Database& database_;
  Statement piece_;
  KeyFilter filter_{0};
  std::optional<KeyFilter> next_;  // has the keys up to `read_up_to_`, and all keys that were added meanwhile
  RowKey read_up_to_;
};

}  // namespace sotto::apps::live
