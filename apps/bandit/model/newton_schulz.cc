#include "apps/bandit/model/newton_schulz.h"

#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"

namespace sotto::apps::bandit {

Task<InverseResidual> inverse_residual(Party& party, const SymmetricLanes& lanes, const Masked& A, const Masked& W,
                                       unsigned residual_bits) {
  PendingProduct AW = protocols::pending_product<protocols::BlockMatMul>(party, A, lanes.whole(W));
  const unsigned cut = AW.scale() - residual_bits;
  auto [P, plain] = co_await when_all(protocols::mask_trunc(party, std::move(AW), cut, "P = A W"),
                                      protocols::mask(party, W.shares(party), "W again"));
  co_return InverseResidual{std::move(P), std::move(plain)};
}

Task<Masked> iterated(Party& party, const SymmetricLanes& lanes, const Masked& W, const InverseResidual& residual,
                      unsigned bits) {
  const unsigned more = residual.P.scale() + 1;
  PendingProduct whole =
      protocols::pending_product<protocols::BlockMatMul>(party, lanes.whole(residual.plain), residual.P);
  PendingProduct halves = lanes.both_halves(whole).times(~std::uint64_t{0}, 1);
  PendingProduct next = protocols::plus_multiple(party, std::move(halves), W, std::uint64_t{1} << (more + 1), more);
  const unsigned cut = next.scale() - bits;
  co_return co_await protocols::mask_trunc(party, std::move(next), cut, "W");
}

}  // namespace sotto::apps::bandit
