#include "apps/kit/files/best_bits.h"

#include <fmt/format.h>

#include <string_view>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/row_order.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::string_view first_word = "best ";
constexpr std::size_t longest_line = 128;

}  // namespace

std::filesystem::path best_bits_file_of(const std::filesystem::path& rows) {
  std::filesystem::path path = rows;
  path += ".best";
  return path;
}

std::string best_bits_text(const BestBits& bits) {
  std::string text = fmt::format("{}{}\n", first_word, bits.id);
  text.reserve(text.size() + 2 * bits.shares.size());
  for (const std::uint8_t share : bits.shares) text += share == 0 ? "0\n" : "1\n";
  return text;
}

BestBits best_bits_in(const std::filesystem::path& file) {
  TextLines lines(file, "a file of best arms", longest_line, most_text_bytes);
  const bool begins =
      lines.next() && lines.text().starts_with(first_word) && is_order_digest(lines.text().substr(first_word.size()));
  if (!begins) {
    throw InputError(line_place(file.string(), 1),
                     "expected \"best\" and an id of 64 hex digits: `sotto archive` writes this file");
  }
  BestBits bits{std::string(lines.text().substr(first_word.size())), {}};
  while (lines.next()) {
    if (lines.text() != "0" && lines.text() != "1") throw InputError(lines.place(), "expected 0 or 1");
    bits.shares.push_back(lines.text() == "1" ? 1 : 0);
  }
  return bits;
}

std::optional<BestBits> read_best_bits(const std::filesystem::path& rows) {
  const std::filesystem::path file = best_bits_file_of(rows);
  if (!file_exists(file)) return std::nullopt;
  return best_bits_in(file);
}

std::optional<BestBits> read_best_bits(const std::filesystem::path& rows, std::size_t count) {
  std::optional<BestBits> bits = read_best_bits(rows);
  if (!bits || bits->shares.size() == count) return bits;
  throw InputError(best_bits_file_of(rows).string(),
                   fmt::format("{}, but the data has {}: take both files from the same export",
                               counted(bits->shares.size(), "share"), counted(count, "row")));
}

}  // namespace sotto::apps
