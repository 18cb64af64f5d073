#include "apps/kit/files/row_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/files/file_digest.h"
#include "apps/kit/files/input_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/session.h"
#include "sotto/protocol/wire/hex.h"

namespace sotto::apps {
namespace {

constexpr std::string_view first_line = "sotto row order 1\n";
constexpr std::string_view order_key = "order ";
constexpr std::string_view file_key = "file sha256:";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t longest_order_file = 4096;

std::string sha256_hex(std::string_view text) { return hex(net::sha256(text)); }

// The digits after the key, in a line of their own, which the text then starts after.
std::optional<std::string> take_digest(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key) || text.size() <= key.size() + digest_digits) return std::nullopt;
  const std::string_view digits = text.substr(key.size(), digest_digits);
  if (!is_order_digest(digits) || text[key.size() + digest_digits] != '\n') return std::nullopt;
  text.remove_prefix(key.size() + digest_digits + 1);
  return std::string(digits);
}

}  // namespace

std::string order_digest(std::span<const std::string_view> ids) {
  std::string text = fmt::format("{}\n", ids.size());
  for (const std::string_view id : ids) text += fmt::format("{} {}\n", id.size(), id);
  return sha256_hex(text);
}

std::filesystem::path order_file_of(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  path += ".order";
  return path;
}

std::string order_text(const std::string& digest, std::string_view contents) {
  return fmt::format("{}{}{}\n{}{}\n", first_line, order_key, digest, file_key, sha256_hex(contents));
}

std::optional<std::string> read_order(const std::filesystem::path& file) {
  const std::filesystem::path path = order_file_of(file);
  if (!file_exists(path)) return std::nullopt;
  const std::string text = read_file(path, longest_order_file);
  std::string_view rest = text;
  const bool begins = rest.starts_with(first_line);
  if (begins) rest.remove_prefix(first_line.size());
  auto order = take_digest(rest, order_key);
  const auto contents = take_digest(rest, file_key);
  if (!begins || !order || !contents || !rest.empty()) {
    throw InputError(path.string(),
                     "this is no order of rows that sotto has written; remove it, or prepare the table again");
  }
  if (file_digest(file) != "sha256:" + *contents) {
    throw InputError(path.string(),
                     fmt::format("this is the order of another file: {} was changed since; prepare the table again, or "
                                 "remove this file",
                                 file.string()));
  }
  return order;
}

std::string no_order_warning(const std::string& names, std::string_view remedy) {
  return fmt::format(
      "{}: nothing says that row t is about the same case as row t of the others: if it is not, the run learns nothing "
      "and says nothing; {}",
      names, remedy);
}

std::string keyed_order(const std::string& digest, const std::string& session) {
  return sha256_hex(fmt::format("sotto row order in a run\n{}\n{}\n", session, digest));
}

bool is_order_digest(std::string_view text) {
  return text.size() == digest_digits &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace sotto::apps
