// How far a party's account has come, as the other roles are told of it in a handshake: which account, how many
// entries, and the ends of its chain after the last of them. It says nothing of releases and subjects but that number.
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
  // So many of the last entries are told of: an announcement has 64 KiB.
  static constexpr std::uint64_t window = 1000;
  static constexpr std::size_t id_digits = 32;
  static constexpr std::size_t head_digits = 16;

  std::string account;  // 32 hex digits
  std::uint64_t entries = 0;
  // After each of the last entries, the newest first: 16 hex digits. Of an entry that came from a copy, also the one
  // that it had there.
  std::vector<std::string> heads{};

  friend bool operator==(const AccountPosition&, const AccountPosition&) = default;
};

// "ID ENTRIES HEAD,HEAD,...".
[[nodiscard]] std::string position_text(const AccountPosition& position);
// Nothing where it is no such text.
[[nodiscard]] std::optional<AccountPosition> parse_position(std::string_view text);

}  // namespace sotto::apps
