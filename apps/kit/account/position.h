// The position of a party's account, which the other roles learn in a handshake: which account it is, how many entries
// it has, and the ends of its chain after the last of them. It says nothing of releases and subjects but that number.
//
// A role that remembers more entries, or other ends, has met a newer copy of the account (seen_accounts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

struct AccountPosition {
  // So many of the last entries it names: an announcement has 64 KiB.
  static constexpr std::uint64_t window = 1000;
  static constexpr std::size_t id_digits = 32;
  static constexpr std::size_t head_digits = 16;

  std::string account;  // 32 hex digits
  std::uint64_t entries = 0;
  // The end of the chain after each of the last entries, the newest first, 16 hex digits each. An entry that came from
  // a copy has two: here and in the copy.
  std::vector<std::string> heads{};

  friend bool operator==(const AccountPosition&, const AccountPosition&) = default;
};

// "ID ENTRIES HEAD,HEAD,...".
[[nodiscard]] std::string position_text(const AccountPosition& position);
// Nothing where it is no such text.
[[nodiscard]] std::optional<AccountPosition> parse_position(std::string_view text);

}  // namespace sotto::apps
