#include "apps/kit/program/peer_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

bool is_unspecified(const std::string& host) {
  in_addr four{};
  if (::inet_aton(host.c_str(), &four) != 0) return four.s_addr == 0;
  in6_addr six{};
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six);
}

}  // namespace

net::Address parse_peer(std::string_view text, const std::string& where) {
  net::Address address = net::parse_address(text, where);
  if (!is_unspecified(address.host)) return address;
  throw InputError(where,
                   fmt::format("{} is an address to listen on, and no role can be reached there: give the name or "
                               "the address of the role's machine",
                               address.text()));
}

}  // namespace sotto::apps
