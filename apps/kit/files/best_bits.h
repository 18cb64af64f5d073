// The file next to a party's rows that says, in shares, in which events the played arm was the model's best.
//
// A service that archives its decisions keeps one bit per event in XOR shares (apps/live/roles/archive.h). The first
// line of the file is "best " and an id of 64 hex digits. The id is equal at all parties whose shares are of the same
// bits of the same events. Then follows one line per row: 0 or 1, the party's share of the row's bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sotto::apps {

struct BestBits {
  std::string id;
  std::vector<std::uint8_t> shares;

  friend bool operator==(const BestBits&, const BestBits&) = default;
};

// The path ROWS.best.
[[nodiscard]] std::filesystem::path best_bits_file_of(const std::filesystem::path& rows);
[[nodiscard]] std::string best_bits_text(const BestBits& bits);
// Throws InputError that names file:line if the file has another form, and the errors of TextLines.
[[nodiscard]] BestBits best_bits_in(const std::filesystem::path& file);
// Reads ROWS.best. Returns nothing if there is no such file. Throws what best_bits_in() throws.
[[nodiscard]] std::optional<BestBits> read_best_bits(const std::filesystem::path& rows);
// Also throws InputError unless the file has `count` shares.
[[nodiscard]] std::optional<BestBits> read_best_bits(const std::filesystem::path& rows, std::size_t count);

}  // namespace sotto::apps
