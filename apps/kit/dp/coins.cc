#include "sotto/apps/kit/dp/coins.h"

namespace sotto::apps {

Coins Coins::from_os() { return Coins(Seed::from_os()); }

Coins Coins::insecure(std::uint64_t seed) {
  return Coins(Seed::insecure_from_number(seed).derive("coins of differential privacy"));
}

}  // namespace sotto::apps
