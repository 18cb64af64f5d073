#include "apps/kit/program/option_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <bit>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

// A large bound is easier to read as a power of two.
std::string bound(std::uint64_t value) {
  constexpr std::uint64_t readable = 1'000'000'000;
  if (value > readable && std::has_single_bit(value)) {
    return fmt::format("2^{}", std::countr_zero(value));
  }
  if (value > readable && std::has_single_bit(value + 1)) {
    return fmt::format("2^{} - 1", std::countr_zero(value + 1));
  }
  return std::to_string(value);
}

template <class Fits>
NumberKind real_number(const std::string& expected, const std::string& help, Fits fits) {
  return {expected, help, [fits](const std::string& text) {
            const std::optional<double> value = number_of<double>(text);
            return value && fits(*value) ? std::optional(text) : std::nullopt;
          }};
}

bool is_unspecified(const std::string& host) {
  in_addr four{};
  if (::inet_aton(host.c_str(), &four) != 0) return four.s_addr == 0;
  in6_addr six{};
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six);
}

}  // namespace

NumberKind whole(std::uint64_t least, std::uint64_t most) {
  const std::string range = fmt::format("{} to {}", bound(least), bound(most));
  const bool limited = least > 0 || most < largest_whole;
  return {"a whole number from " + range, limited ? range : "",
          [least, most](const std::string& text) -> std::optional<std::string> {
            const auto value = number_of<std::uint64_t>(text);
            if (!value || *value < least || *value > most) return std::nullopt;
            return std::to_string(*value);
          }};
}

NumberKind real() {
  return real_number("a finite number", "", [](double) { return true; });
}

NumberKind real(double least, double most) {
  const std::string range = fmt::format("{:g} to {:g}", least, most);
  return real_number("a number from " + range, range,
                     [least, most](double value) { return value >= least && value <= most; });
}

NumberKind real_from_zero() {
  return real_number("a finite number from 0 on", "from 0 on", [](double value) { return value >= 0; });
}

NumberKind real_above_zero() {
  return real_number("a finite number above 0", "above 0", [](double value) { return value > 0; });
}

net::Address parse_peer(std::string_view text, const std::string& where) {
  net::Address address = net::parse_address(text, where);
  if (!is_unspecified(address.host)) return address;
  throw InputError(where,
                   fmt::format("{} is an address to listen on, and no role can be reached there: give the name or "
                               "the address of the role's machine",
                               address.text()));
}

}  // namespace sotto::apps
