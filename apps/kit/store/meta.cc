#include "apps/kit/store/meta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::string_view seal_name = "seal";

std::span<const std::byte> words_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void put(Database& database, std::string_view name, std::span<const std::byte> value) {
  Statement(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

std::vector<std::byte> take(Database& database, std::string_view name) {
  Statement query(database, "SELECT value FROM meta WHERE name = ?");
  query.bind(name);
  return query.next() ? query.bytes(0) : std::vector<std::byte>{};
}

}  // namespace

void put_meta(Database& database, std::string_view name, std::string_view text) { put(database, name, words_of(text)); }

std::string take_meta(Database& database, std::string_view name) {
  const std::vector<std::byte> value = take(database, name);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

void put_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place) {
  put(database, seal_name, key.seal(words_of(text), place));
}

void require_role(Database& database, const std::string& role) {
  const std::string found = take_meta(database, "role");
  if (found == role) return;
  throw InputError(database.path().string(),
                   fmt::format("is the store of {}, not of {}: give each role a folder of its own",
                               found.empty() ? "nobody" : found, role));
}

void require_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place,
                  const std::string& role) {
  const auto seal = key.open(take(database, seal_name), place);
  if (seal && std::ranges::equal(*seal, words_of(text))) return;
  throw InputError(
      database.path().string(),
      fmt::format("does not open with the key of {}: it was made with another key, or is damaged; nothing was changed",
                  role));
}

}  // namespace sotto::apps
