#include "sotto/protocol/preprocessing/run_with_randomness.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/replicated/run_replicated.h"
#include "protocols/preprocessing/transfers/run_transfers.h"

namespace sotto::protocols {

OwnRandomness draw_own_randomness(Party& party, std::string label, std::optional<std::uint64_t> insecure_number) {
  const Seed root = insecure_number ? Seed::insecure_from_number(*insecure_number) : Seed::from_os();
  return {root.derive(fmt::format("node {}", party.rounds().self().value_or(max_nodes))), std::move(label)};
}

Task<Unit> run_with_randomness(Party& party, RandomnessBy by, OwnRandomness own, StartProgram program,
                               StartProgram recorded, MaterialStock* stock) {
  const Topology& topology = party.topology();
  if (topology.has_dealer() != (by == RandomnessBy::dealer) || topology.has_helper() != (by == RandomnessBy::helper)) {
    throw std::invalid_argument("the run's randomness and its roles do not go together");
  }
  if (by == RandomnessBy::dealer) co_return co_await program(party);
  if (by == RandomnessBy::ot) {
    co_return co_await run_transfers(party, std::move(own.secret), std::move(own.label), std::move(program),
                                     std::move(recorded), stock);
  }
  co_return co_await run_replicated(party, std::move(own.secret), std::move(own.label), std::move(program),
                                    std::move(recorded), stock);
}

}  // namespace sotto::protocols
