// Which keys a store holds, by a filter of them all: made of its table at once, and anew in pieces, at rest, once it is
// full, as a whole table takes longer to read than a decision may wait. 8 to 16 bytes a row.
//
// InputError where a key of the table is damaged.
#pragma once

#include <optional>
#include <span>

#include "apps/kit/store/database.h"
#include "apps/live/rows/key_filter.h"

namespace sotto::apps::live {

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
