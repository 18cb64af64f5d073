// The position of a party's account, which the other roles learn in a handshake: the account, the number of its
// entries, and the last heads of its chain. The position reveals nothing about releases and subjects except the number
// of entries.
//
// If a role remembers more entries than the position names, the role has met a newer copy of the account. If a role
// remembers a head that the position lacks, the role may have met another copy (seen_accounts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

struct AccountPosition {
  // The number of last entries whose heads a position contains. The number is limited because an announcement has at
  // most 64 KiB.
  static constexpr std::uint64_t window = 1000;
  static constexpr std::size_t id_digits = 32;
  static constexpr std::size_t head_digits = 16;

  std::string account;  // 32 hex digits
  std::uint64_t entries = 0;
  // The head of the chain after each of the last entries, the newest first, with 16 hex digits each. An entry that
  // merge() added has two heads: one in this account and one in the copy.
  std::vector<std::string> heads{};

  friend bool operator==(const AccountPosition&, const AccountPosition&) = default;
};

// The position as text: "ID ENTRIES HEAD,HEAD,...".
[[nodiscard]] std::string position_text(const AccountPosition& position);
// The position from its text. Returns nothing if the text does not have the form of position_text().
[[nodiscard]] std::optional<AccountPosition> parse_position(std::string_view text);

}  // namespace sotto::apps
