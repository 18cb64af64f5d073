#include "apps/live/rows/stored_keys.h"

#include <algorithm>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

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
  while (next_) go_on();
}

void StoredKeys::add(const RowKey& key) noexcept {
  filter_.add(key);
  if (next_) next_->add(key);
}

void StoredKeys::at_rest() {
  if (!next_ && filter_.is_full()) begin(filter_.keys());
  if (next_) go_on();
}

// Three times as many can come before it is full.
void StoredKeys::begin(std::size_t keys) {
  next_.emplace(4 * keys);
  read_up_to_ = {};
}

void StoredKeys::go_on() {
  constexpr std::int64_t most_at_once = 1024;  // a millisecond
  // From the last one on, which may be gone.
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

}  // namespace sotto::apps::live
