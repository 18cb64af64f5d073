// The position of a party's account, which other roles learn in a handshake. A position reveals nothing about releases
// and subjects except the number of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

struct AccountPosition {
  // A position contains the heads of the newest `window` entries. More heads would not fit into an announcement, which
  // has at most 64 KiB.
  static constexpr std::uint64_t window = 1000;
  static constexpr std::size_t id_digits = 32;
  static constexpr std::size_t head_digits = 16;

  std::string account;  // 32 hex digits
  std::uint64_t entries = 0;
  // The first 16 hex digits of each entry's head (AccountEntry::head), the newest entry first. For an entry that
  // merge() added, `heads` lists two heads: the entry's head in this account, and its head in the copy.
  std::vector<std::string> heads{};

  friend bool operator==(const AccountPosition&, const AccountPosition&) = default;
};

[[nodiscard]] std::string position_text(const AccountPosition& position);
[[nodiscard]] std::optional<AccountPosition> parse_position(std::string_view text);

}  // namespace sotto::apps
