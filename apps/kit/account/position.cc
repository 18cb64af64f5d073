#include "apps/kit/account/position.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/kit/program/option_values.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return before;
}

}  // namespace

std::string position_text(const AccountPosition& position) {
  return fmt::format("{} {} {}", position.account, position.entries, fmt::join(position.heads, ","));
}

std::optional<AccountPosition> parse_position(std::string_view text) {
  AccountPosition position;
  position.account = take_until(text, ' ');
  const auto entries = number_of<std::uint64_t>(take_until(text, ' '));
  if (!is_hex(position.account, AccountPosition::id_digits) || !entries) return std::nullopt;
  position.entries = *entries;
  while (!text.empty() && position.heads.size() < 2 * AccountPosition::window) {
    const std::string_view head = take_until(text, ',');
    if (!is_hex(head, AccountPosition::head_digits)) return std::nullopt;
    position.heads.emplace_back(head);
  }
  const std::uint64_t stated = std::min(position.entries, AccountPosition::window);
  if (!text.empty() || position.heads.size() < stated || (stated == 0 && !position.heads.empty())) return std::nullopt;
  return position;
}

}  // namespace sotto::apps
