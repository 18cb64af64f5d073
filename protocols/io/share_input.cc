#include "sotto/protocols/io/share_input.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sotto::protocols {
namespace {

// The parties' shares of a mask that `owner` knows, or the mask itself at the dealer.
Words share_mask(Party& party, NodeId owner, std::size_t lanes, const Words& known) {
  if (!party.topology().is_party(owner)) {
    return party.correlations().deal(
        lanes, 64, [&](std::span<std::uint64_t> out) { std::copy(known.begin(), known.end(), out.begin()); });
  }
  if (party.holds_shares() && known.empty()) return Words(lanes, 0);
  return known;
}

}  // namespace

Task<Masked> share_input(Party& party, NodeId owner, Input input, Label label) {
  const std::size_t lanes = input.shape.lanes();
  const Words known = party.correlations().uniform_known_to(owner, lanes, 64);
  Words mask = share_mask(party, owner, lanes, known);

  Words words;
  if (party.is(owner)) {
    if (input.words.size() != lanes) throw std::invalid_argument("the owner's input needs a word a lane");
    words = std::move(input.words);
    for (std::size_t i = 0; i < lanes; ++i) words[i] += known[i];
  } else if (party.holds_shares()) {
    words.assign(lanes, 0);
  }
  const Slot slot{label, SlotKind::broadcast, 64, lanes, owner};
  co_await Exchange(party.rounds(), slot, words, words);
  if (!party.holds_shares()) words.clear();
  co_return Masked(input.shape, input.scale, std::move(words), std::move(mask));
}

}  // namespace sotto::protocols
