#include "sotto/net/transport/tcp/eviction.h"

#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <unordered_map>

namespace sotto::net {
namespace {

constexpr rlim_t other_descriptors = 64;

std::size_t random_below(std::size_t count) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace

std::size_t who_gives_way(std::span<const std::string_view> networks) {
  std::unordered_map<std::string_view, std::size_t> counts;
  std::size_t most = 0;
  for (const std::string_view network : networks) most = std::max(most, ++counts[network]);
  // Of several that have as many, each is as likely.
  const auto is_of_most = [&](std::string_view network) { return counts[network] == most; };
  const auto candidates = std::count_if(networks.begin(), networks.end(), is_of_most);
  std::size_t left = random_below(static_cast<std::size_t>(candidates));
  for (std::size_t i = 0;; ++i) {
    if (is_of_most(networks[i]) && left-- == 0) return i;
  }
}

std::size_t connections_within_limit(std::size_t wanted) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = wanted + other_descriptors;
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const rlim_t kept = std::min(other_descriptors, limit.rlim_cur / 2);
  return static_cast<std::size_t>(std::min<rlim_t>(wanted, limit.rlim_cur - kept));
}

}  // namespace sotto::net
