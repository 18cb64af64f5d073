#include "sotto/protocol/arithmetic/one_hots.h"

#include <span>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

Arith one_hot_excess(const Party& party, const MaskedBits& bits, OneHots groups, const Public& drawn,
                     std::string_view what) {
  require_argument(drawn.lanes() * sizeof(std::uint64_t) == Seed::size, "a check of one-hots takes two public words");
  const Shape one{1, 1};
  if (!party.holds_shares()) return Arith(one, 0);
  const auto [rows, columns] = bits.shape;
  Words sums(groups == OneHots::rows ? rows : columns, party.adds_constants() ? ~std::uint64_t{0} : 0);
  const Arith shares = shares_of(party, bits);
  const std::span<const std::uint64_t> own = ShareAccess::words(shares);
  for (std::size_t i = 0; i < own.size(); ++i) sums[groups == OneHots::rows ? i / columns : i % columns] += own[i];
  Words factors(sums.size());
  drawn.if_known([&](const Words& words) {
    const Seed seed = Seed::from_bytes(std::as_bytes(std::span(words)).first<Seed::size>());
    Prg(seed.derive(what)).fill(factors, 64);
  });
  std::uint64_t excess = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) excess += factors[i] * sums[i];
  return Arith(one, 0, Words(1, excess));
}

}  // namespace sotto::protocols
