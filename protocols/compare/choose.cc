#include "sotto/protocol/compare/choose.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

// For each event that explores, the one-hot of a uniform allowed arm in Z/2^8; zeros for all other events.
Arith explored(Party& party, Shape shape, const AllowedArms& allowed, const Samples& samples) {
  const std::size_t arms = shape.columns;
  const Additive places = party.preprocessing().explored_places(shape.rows, arms, samples);
  if (!party.holds_shares()) return Arith(shape, 0, 8);
  Words shares(shape.lanes(), 0);
  for (std::size_t event = 0; event < shape.rows; ++event) {
    const auto is_allowed = [&](std::size_t arm) { return allowed.empty() || allowed[event * arms + arm] != 0; };
    std::size_t m = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) m += is_allowed(arm) ? 1 : 0;
    std::size_t place = event * (arms * (arms + 1) / 2) + m * (m - 1) / 2;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      if (is_allowed(arm)) shares[event * arms + arm] = places.words[place++];
    }
  }
  return Arith(shape, 0, std::move(shares), 8);
}

void require_choices(const Party& party, const Masked& scores, const AllowedArms& allowed) {
  const Shape shape = scores.shape();
  if (!scores.plain() || shape.lanes() == 0) throw std::invalid_argument("a choice takes scores with plain masks");
  if (!party.holds_shares() || allowed.empty()) return;
  if (allowed.size() != shape.lanes()) throw std::invalid_argument("the allowed arms need an entry a score");
  for (auto event = allowed.begin(); event != allowed.end(); event += static_cast<std::ptrdiff_t>(shape.columns)) {
    const auto end = event + static_cast<std::ptrdiff_t>(shape.columns);
    if (std::find(event, end, 1) == end) throw std::invalid_argument("an event allows no arm");
  }
}

// In an event that explores, no arm wins: the dealt place of explored() takes its place.
Samples samples_without_arms(Party& party, Shape shape, const ArgmaxOptions& options) {
  Samples samples = draw_samples(party, shape.rows, shape.columns, options.exploration);
  samples.arms.clear();
  return samples;
}

Arith with_explored(Party& party, Arith winners, const AllowedArms& allowed, const Samples& samples) {
  if (!allowed.empty() && party.holds_shares()) {
    Words& shares = ShareAccess::words(winners);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = allowed[i] != 0 ? shares[i] : 0;
  }
  return winners + explored(party, winners.shape(), allowed, samples);
}

}  // namespace

Task<Arith> choose(Party& party, Masked scores, AllowedArms allowed, ArgmaxOptions options) {
  require_choices(party, scores, allowed);
  const Samples samples = samples_without_arms(party, scores.shape(), options);
  Arith chosen = co_await winners(party, std::move(scores), allowed, samples, options.widths(), 8);
  co_return with_explored(party, std::move(chosen), allowed, samples);
}

Task<NotedChoice> choose_and_note(Party& party, Masked scores, AllowedArms allowed, ArgmaxOptions options) {
  require_choices(party, scores, allowed);
  const Samples samples = samples_without_arms(party, scores.shape(), options);
  auto [chosen, best] = co_await winners_and_best(party, std::move(scores), allowed, samples, options.widths(), 8);
  Arith choice = with_explored(party, std::move(chosen), allowed, samples);
  const Bool both = co_await bit_and(party, lowest_bits(choice), lowest_bits(best), "best arms");
  co_return NotedChoice{std::move(choice), xor_of_rows(both)};
}

}  // namespace sotto::protocols
