// Where a role listens: a host (name, IPv4 or IPv6 address) and a port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto::net {

struct Address {
  std::string host;
  std::uint16_t port = 0;

  // "127.0.0.1:4000", "[::1]:4000".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// Reads "host:port" or "[ipv6]:port". Throws InputError that says what was expected; `where` names the flag or the
// line.
[[nodiscard]] Address parse_address(std::string_view text, const std::string& where);

// True of "localhost" and of numeric loopback addresses. Asks nobody, so the answer holds whenever one connects.
[[nodiscard]] bool is_loopback_itself(std::string_view host) noexcept;

// True if every address that `host` stands for is one of this machine's loopback addresses. Throws NetworkError if the
// name cannot be resolved; asks the system's resolver, and so may take up to ten seconds.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace sotto::net
