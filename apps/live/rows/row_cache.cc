#include "apps/live/rows/row_cache.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

constexpr std::size_t bytes_of_place = 104;

std::size_t bytes_of(const std::optional<LiveRow>& row) { return bytes_of_place + (row ? row->size() : 0); }

}  // namespace

std::size_t RowKeyHash::operator()(const RowKey& key) const noexcept(false) {
  const std::string_view bytes(reinterpret_cast<const char*>(key.key.data()), key.key.size());
  constexpr std::size_t odd = 0x9e3779b97f4a7c15;
  return std::hash<std::string_view>()(bytes) + odd * static_cast<std::size_t>(key.table);
}

const std::optional<LiveRow>* RowCache::find(const RowKey& key) {
  const auto young = young_.find(key);
  if (young != young_.end()) return &young->second;
  const auto old = old_.find(key);
  if (old == old_.end()) return nullptr;
  Generation::node_type found = old_.extract(old);
  make_room(bytes_of(found.mapped()));
  return &young_.insert(std::move(found)).position->second;
}

void RowCache::put(const RowKey& key, std::optional<LiveRow> row) {
  make_room(bytes_of(row));
  const auto [place, is_new] = young_.try_emplace(key);
  if (!is_new) bytes_ -= bytes_of(place->second);
  place->second = std::move(row);
}

void RowCache::make_room(std::size_t bytes) {
  if (2 * (bytes_ + bytes) > most_bytes_ && !young_.empty()) {
    old_ = std::exchange(young_, {});
    young_.reserve(old_.size());
    bytes_ = 0;
  }
  bytes_ += bytes;
}

void RowCache::clear() {
  young_.clear();
  old_.clear();
  bytes_ = 0;
}

RowKey stored_key(const Database& database, std::int64_t kind, std::span<const std::byte> key) {
  RowKey found{static_cast<LiveTable>(kind), {}};
  if (key.size() != found.key.size()) {
    throw InputError(database.path().string(), "the store is damaged (a key): bring back a copy of the folder");
  }
  std::copy(key.begin(), key.end(), found.key.begin());
  return found;
}

StoredKeys::StoredKeys(Database& database)
    : database_(database),
      piece_(database, "SELECT kind, key FROM rows WHERE (kind, key) >= (?, ?) ORDER BY kind, key LIMIT ?") {
  begin(static_cast<std::size_t>(database.number("SELECT count(*) FROM rows")));
  while (next_) proceed();
}

void StoredKeys::add(const RowKey& key) noexcept {
  filter_.add(key);
  if (next_) next_->add(key);
}

void StoredKeys::at_rest() {
  if (!next_ && filter_.is_full()) begin(filter_.keys());
  if (next_) proceed();
}

void StoredKeys::begin(std::size_t keys) {
  next_.emplace(4 * keys);
  read_up_to_ = {};
}

void StoredKeys::proceed() {
  constexpr std::int64_t most_at_once = 1024;  // a read of this many rows takes about a millisecond
  // The next read continues after the last key that was read, even if the row of that key has been deleted.
  const std::span<const std::byte> from(read_up_to_.key);
  piece_.again().bind(static_cast<std::int64_t>(read_up_to_.table)).bind(from).bind(most_at_once);
  std::int64_t read = 0;
  for (; piece_.next(); ++read) {
    read_up_to_ = stored_key(database_, piece_.number(0), piece_.bytes(1));
    next_->add(read_up_to_);
  }
  piece_.again();
  if (read == most_at_once) return;
  filter_ = *std::exchange(next_, std::nullopt);
}

namespace {

constexpr std::size_t bits_a_key = 16;
constexpr std::size_t fewest_keys = std::size_t{1} << 16;
constexpr unsigned bits_of_word = 64;

// A key sets four bits of one word, so that a look-up needs only one cache line.
std::uint64_t bits_of(std::uint64_t hash) noexcept {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) bits |= std::uint64_t{1} << (hash >> (6 * i) & (bits_of_word - 1));
  return bits;
}

std::size_t word_of(std::uint64_t hash, std::size_t words) noexcept { return (hash >> 24) & (words - 1); }

}  // namespace

KeyFilter::KeyFilter(std::size_t keys)
    : words_(std::bit_ceil(bits_a_key * std::max(keys, fewest_keys)) / bits_of_word) {}

void KeyFilter::add(const RowKey& key) noexcept {
  const std::uint64_t hash = RowKeyHash()(key);
  const std::uint64_t bits = bits_of(hash);
  std::uint64_t& word = words_[word_of(hash, words_.size())];
  if ((word & bits) != bits) ++keys_;
  word |= bits;
}

bool KeyFilter::may_hold(const RowKey& key) const noexcept {
  const std::uint64_t hash = RowKeyHash()(key);
  const std::uint64_t bits = bits_of(hash);
  return (words_[word_of(hash, words_.size())] & bits) == bits;
}

bool KeyFilter::is_full() const noexcept { return keys_ * bits_a_key >= words_.size() * bits_of_word; }

}  // namespace sotto::apps::live
