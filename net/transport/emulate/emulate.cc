#include "sotto/net/transport/emulate/emulate.h"

#include <sys/prctl.h>

#include "sotto/net/transport/emulate/emulated_link.h"

namespace sotto::net {

MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed) {
  return [conditions, seed, links = std::uint64_t{0}](
             std::unique_ptr<ByteStream> stream, bool accepted, std::optional<NodeId>) mutable {
    constexpr unsigned long least_slack = 1;  // nanoseconds
    prctl(PR_SET_TIMERSLACK, least_slack);
    std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(links++)};
    std::uint32_t halves[2];
    mixed.generate(halves, halves + 2);
    return std::make_unique<EmulatedLink>(std::move(stream), conditions, accepted,
                                          std::uint64_t{halves[0]} << 32 | halves[1]);
  };
}

}  // namespace sotto::net
