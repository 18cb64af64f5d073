#include "apps/live/rows/row_cache.h"

#include <functional>
#include <string_view>
#include <utility>

namespace sotto::apps::live {
namespace {

constexpr std::size_t bytes_of_place = 96;  // of a row in a map, beside its own

}  // namespace

std::size_t RowKeyHash::operator()(const RowKey& key) const noexcept {
  const std::string_view bytes(reinterpret_cast<const char*>(key.key.data()), key.key.size());
  constexpr std::size_t odd = 0x9e3779b97f4a7c15;  // so that each bit differs between the tables
  return std::hash<std::string_view>()(bytes) + odd * static_cast<std::size_t>(key.table);
}

const std::optional<LiveRow>* RowCache::find(const RowKey& key) {
  const auto young = young_.find(key);
  if (young != young_.end()) return &young->second;
  const auto old = old_.find(key);
  if (old == old_.end()) return nullptr;
  put(key, std::move(old->second));
  return &young_.at(key);
}

void RowCache::put(const RowKey& key, std::optional<LiveRow> row) {
  const std::size_t added = bytes_of_place + (row ? row->size() : 0);
  old_.erase(key);
  if (2 * (bytes_ + added) > most_bytes_ && !young_.empty()) {
    old_ = std::exchange(young_, {});
    old_.erase(key);
    bytes_ = 0;
  }
  const auto [place, is_new] = young_.try_emplace(key);
  if (!is_new) bytes_ -= bytes_of_place + (place->second ? place->second->size() : 0);
  bytes_ += added;
  place->second = std::move(row);
}

void RowCache::clear() {
  young_.clear();
  old_.clear();
  bytes_ = 0;
}

}  // namespace sotto::apps::live
