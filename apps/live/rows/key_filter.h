// Which keys a store may hold, in memory: a Bloom filter, so that to find out that an event is new takes no look into
// the database. Of keys that were added it says so always; of others, in one case of some hundreds.
//
// Keys cannot be taken out. A filter that is full is to be made anew from the keys that there are; until then it errs
// more often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

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

}  // namespace sotto::apps::live
