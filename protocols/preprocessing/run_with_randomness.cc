#include "sotto/protocol/preprocessing/run_with_randomness.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/agree_on_pieces.h"
#include "protocols/preprocessing/recorded/run_recorded.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "protocols/preprocessing/transfers/transfer_pieces.h"
#include "sotto/protocol/preprocessing/randomness_by.h"

namespace sotto::protocols {

OwnRandomness draw_own_randomness(Party& party, std::string label, std::optional<std::uint64_t> insecure_number) {
  const Seed root = insecure_number ? Seed::insecure_from_number(*insecure_number) : Seed::from_os();
  return {root.derive(fmt::format("node {}", party.rounds().self().value_or(max_nodes))), std::move(label)};
}

Task<Unit> run_with_randomness(Party& party, RandomnessBy by, OwnRandomness own, StartProgram program,
                               StartProgram recorded, MaterialStock* stock) {
  const Topology& topology = party.topology();
  const Cast& cast = cast_of(by);
  if (topology.has_dealer() != cast.has_dealer || topology.has_helper() != cast.has_helper) {
    throw std::invalid_argument("the run's randomness and its roles do not go together");
  }
  if (cast.has_dealer) co_return co_await program(party);
  party.enter_phase("preprocessing");
  const MakePieces make = co_await agree_on_pieces(party, by, std::move(own.secret), own.label);
  const std::unique_ptr<PieceProtocols> pieces = make(own.label);
  co_return co_await run_recorded(party, *pieces, program, recorded, stock);
}

Task<std::uint64_t> fill_stock(Party& party, RandomnessBy by, OwnRandomness own, StartProgram recorded,
                               MaterialStock& stock, std::function<bool()> enough) {
  party.enter_phase("preprocessing");
  const MakePieces make = co_await agree_on_pieces(party, by, std::move(own.secret), own.label);
  const std::unique_ptr<PieceProtocols> pieces = make(own.label);
  co_return co_await fill_recorded(party, *pieces, recorded, stock, std::move(enough));
}

Task<MakePieces> agree_on_pieces(Party& party, RandomnessBy by, Seed secret, std::string label) {
  switch (by) {
    case RandomnessBy::replicated:
    case RandomnessBy::helper:
      return agree_on_pair_pieces(party, std::move(secret));
    case RandomnessBy::ot:
      return agree_on_all_transfer_pieces(party, std::move(secret), std::move(label));
    case RandomnessBy::dealer:
      break;
  }
  throw std::invalid_argument("a dealer makes all");
}

}  // namespace sotto::protocols
