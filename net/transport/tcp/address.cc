#include "sotto/protocol/transport/tcp/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "net/transport/asio.h"
#include "net/transport/tcp/resolve.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {

std::string Address::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Address parse_address(std::string_view text, const std::string& where) {
  const auto refuse = [&] {
    throw InputError(
        where,
        fmt::format(
            "'{}' is no address: expected host:port, such as 127.0.0.1:4000 or [::1]:4000, with a port of 1 to 65535",
            text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) refuse();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']' && host.size() > 2) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[] ") != std::string_view::npos) {
    refuse();
  }
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0 || port > 65535) refuse();
  return Address{std::string(host), static_cast<std::uint16_t>(port)};
}

bool is_loopback_itself(std::string_view host) noexcept {
  if (host == "localhost") return true;
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

bool is_loopback(const std::string& host) {
  const Resolved found = resolve_now(host);
  if (found.hosts.empty()) {
    throw NetworkError(host,
                       fmt::format("the host '{}' cannot be resolved: {}; check its spelling", host, found.failure));
  }
  return std::all_of(found.hosts.begin(), found.hosts.end(), is_loopback_itself);
}

}  // namespace sotto::net
