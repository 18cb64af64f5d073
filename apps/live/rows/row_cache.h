// Rows of a store that were read or written of late, in memory: an event's next step reads what its last one wrote.
//
// Two generations of half the bytes each; what is found in the older one is of the younger one again, and when that is
// full the older one goes. Which rows are here changes what a read costs, and never what it gives.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

struct RowKeyHash {
  [[nodiscard]] std::size_t operator()(const RowKey& key) const noexcept;
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

  std::size_t most_bytes_;
  Generation young_;
  Generation old_;
  std::size_t bytes_ = 0;  // of the younger one
};

}  // namespace sotto::apps::live
