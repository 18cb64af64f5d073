#include "sotto/protocols/compare/choose.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "sotto/core/random/prg.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/compare/comparison_plan.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/lookup/table_lookup.h"

namespace sotto::protocols {
namespace {

// The candidates of each event, cut into groups of `columns` places, of which the last one of an event may be short.
struct Groups {
  std::size_t events;
  std::size_t candidates;
  std::size_t columns;

  [[nodiscard]] std::size_t an_event() const { return (candidates + columns - 1) / columns; }
  [[nodiscard]] std::size_t count() const { return events * an_event(); }
  [[nodiscard]] std::size_t lanes() const { return count() * columns; }
  [[nodiscard]] std::size_t members(std::size_t group) const {
    return std::min(columns, candidates - group % an_event() * columns);
  }
  [[nodiscard]] std::size_t lane(std::size_t event, std::size_t candidate) const {
    return event * an_event() * columns + candidate;
  }
  // f(pair, i, j) for the lanes i < j of all pairs of a group, group by group.
  template <class F>
  void for_each_pair(F f) const {
    std::size_t pair = 0;
    for (std::size_t g = 0; g < count(); ++g) {
      const std::size_t end = g * columns + members(g);
      for (std::size_t i = g * columns; i < end; ++i) {
        for (std::size_t j = i + 1; j < end; ++j) f(pair++, i, j);
      }
    }
  }
  [[nodiscard]] std::size_t pairs() const {
    std::size_t sum = 0;
    for (std::size_t g = 0; g < an_event(); ++g) sum += members(g) * (members(g) - 1) / 2;
    return events * sum;
  }
};

// What the dealer draws for each event; empty elsewhere.
struct Draws {
  PoolVector<std::size_t> ranks;     // a uniform permutation of the arms of each event
  PoolVector<std::uint8_t> explore;  // an event
};

Draws draw(Party& party, std::size_t events, std::size_t arms, Exploration exploration) {
  Draws draws;
  party.correlations().at_dealer_only([&](Prg& coins) {
    draws.ranks.resize(events * arms);
    for (std::size_t e = 0; e < events; ++e) {
      const auto ranks = std::span(draws.ranks).subspan(e * arms, arms);
      std::iota(ranks.begin(), ranks.end(), std::size_t{0});
      for (std::size_t i = arms; i > 1; --i) std::swap(ranks[i - 1], ranks[coins.below(i)]);
      const bool below = coins.next() < exploration.threshold;
      draws.explore.push_back(exploration.always || below ? 1 : 0);
    }
  });
  return draws;
}

// What a lane holds, and zero in the places that a short group lacks.
Words padded(const Words& words, const Groups& groups) {
  if (words.empty() || groups.lanes() == words.size()) return words;
  Words result(groups.lanes(), 0);
  for (std::size_t e = 0; e < groups.events; ++e) {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(e * groups.candidates), groups.candidates,
                result.begin() + static_cast<std::ptrdiff_t>(groups.lane(e, 0)));
  }
  return result;
}

// v_i - v_j for each pair; the dealer adds [rank_i < rank_j] to the mask, which takes it off the value.
MaskedIndex differences(const MaskedIndex& values, const Groups& groups, const PoolVector<std::size_t>& ranks) {
  const std::uint64_t ring = ring_mask(values.bits());
  const Words& d = ShareAccess::words(values);
  const Words& m = ShareAccess::mask(values);
  const std::size_t pairs = groups.pairs();
  Words words(d.empty() ? 0 : pairs);
  Words masks(m.empty() ? 0 : pairs);
  if (!d.empty()) {
    groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) { words[pair] = (d[i] - d[j]) & ring; });
  }
  if (!m.empty()) {
    const auto rank = [&](std::size_t lane) {
      const std::size_t an_event = groups.an_event() * groups.columns;
      return ranks[lane / an_event * groups.candidates + lane % an_event];
    };
    groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
      const bool j_wins_ties = !ranks.empty() && rank(i) < rank(j);
      masks[pair] = (m[i] - m[j] + static_cast<std::uint64_t>(j_wins_ties)) & ring;
    });
  }
  return MaskedIndex(Shape{1, pairs}, values.bits(), std::move(words), std::move(masks));
}

// How many of its group each candidate beats, given [v_i < v_j] a pair; the allowed one beats an excluded one.
Arith count_wins(const Party& party, const Groups& groups, const AllowedArms& allowed, const Arith& below) {
  const Words& lost = ShareAccess::words(below);
  Words wins(party.holds_shares() ? groups.lanes() : 0, 0);
  if (party.holds_shares()) {
    const std::uint64_t one = party.adds_constants() ? 1 : 0;
    groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
      std::uint64_t loss = lost[pair];
      if (!allowed.empty() && !(allowed[i] && allowed[j])) loss = allowed[j] ? one : 0;
      wins[i] += one - loss;
      wins[j] += loss;
    });
    const std::uint64_t ring = ring_mask(below.bits());
    for (std::uint64_t& word : wins) word &= ring;
  }
  return Arith(Shape{groups.count(), groups.columns}, 0, std::move(wins), below.bits());
}

// [beats all others of its group] for each place, zeros in the groups of events of which `silent` says so.
Arith won_them_all(Party& party, const Groups& groups, const MaskedIndex& count, const PoolVector<std::uint8_t>& silent,
                   unsigned result_bits) {
  const Words& masks = ShareAccess::mask(count);
  const std::size_t size = std::size_t{1} << count.bits();
  const auto write = [&](std::size_t first, std::size_t lanes, auto* out) {
    using Entry = std::remove_reference_t<decltype(*out)>;
    for (std::size_t lane = first; lane < first + lanes; ++lane, out += size) {
      const std::size_t group = lane / groups.columns;
      const std::size_t members = groups.members(group);
      const bool speaks = silent.empty() || silent[group / groups.an_event()] == 0;
      const auto win = static_cast<std::uint64_t>(lane % groups.columns < members && speaks);
      const std::uint64_t hit = (masks[lane] + members - 1) & (size - 1);
      for (std::size_t d = 0; d < size; ++d) out[d] = static_cast<Entry>(win & static_cast<std::uint64_t>(d == hit));
    }
  };
  return fill_tables(party, count, count.bits(), result_bits, write);
}

// The one-hot of the largest of each group. 2 rounds.
struct Contest {
  Groups groups;
  unsigned bits;                    // of the values that are compared
  unsigned result_bits;             // of the ring of the one-hot
  PoolVector<std::size_t> ranks;    // at the dealer, by event and candidate: the higher one wins ties; empty: no ties
  PoolVector<std::uint8_t> silent;  // at the dealer: events in which nobody wins
  AllowedArms allowed;              // a lane
};

Task<Arith> winners_of(Party& party, MaskedIndex values, Contest contest) {
  const Groups& groups = contest.groups;
  const auto count_bits = static_cast<unsigned>(groups.columns < 2 ? 1 : std::bit_width(groups.columns - 1));
  MaskedIndex pairs = differences(values, groups, contest.ranks);
  const ComparisonPlan plan = plan_comparison(contest.bits, count_bits);
  const Arith below = co_await below_zero(party, std::move(pairs), plan, count_bits, "compare pairs");
  Arith wins = count_wins(party, groups, contest.allowed, below);
  const MaskedIndex count = co_await mask_index(party, std::move(wins), "count wins");
  co_return won_them_all(party, groups, count, contest.silent, contest.result_bits);
}

// A uniform one-hot among the allowed arms of each event that explores, zeros in the others, in Z/2^8.
Arith explored(Party& party, Shape shape, const AllowedArms& allowed, const Draws& draws) {
  const std::size_t arms = shape.columns;
  const std::size_t places = arms * (arms + 1) / 2;
  Words uniform_arms;
  party.correlations().at_dealer_only([&](Prg& coins) {
    uniform_arms.resize(shape.rows * arms);
    for (std::size_t i = 0; i < uniform_arms.size(); ++i) uniform_arms[i] = coins.below(i % arms + 1);
  });
  const Words dealt = party.correlations().deal(shape.rows * places, 8, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = 0; e < shape.rows; ++e) {
      for (std::size_t m = 1; m <= arms; ++m) {
        out[e * places + m * (m - 1) / 2 + uniform_arms[e * arms + m - 1]] = draws.explore[e];
      }
    }
  });
  if (!party.holds_shares()) return Arith(shape, 0, 8);
  Words shares(shape.lanes(), 0);
  for (std::size_t e = 0; e < shape.rows; ++e) {
    const auto is_allowed = [&](std::size_t arm) { return allowed.empty() || allowed[e * arms + arm] != 0; };
    std::size_t m = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) m += is_allowed(arm) ? 1 : 0;
    std::size_t place = e * places + m * (m - 1) / 2;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      if (is_allowed(arm)) shares[e * arms + arm] = dealt[place++];
    }
  }
  return Arith(shape, 0, std::move(shares), 8);
}

Task<Arith> pairwise(Party& party, Masked scores, const AllowedArms& allowed, const Draws& draws,
                     ArgmaxOptions options) {
  const Groups groups{scores.shape().rows, scores.shape().columns, scores.shape().columns};
  MaskedIndex values = MaskedIndex::bit_range(scores, options.shift, 64 - options.shift);
  Contest contest{groups, options.comparison_bits, 8, draws.ranks, draws.explore, allowed};
  co_return co_await winners_of(party, std::move(values), std::move(contest));
}

// (score >> shift) 2^l + rank for each arm, zero in the places that a short group lacks.
Masked ranked(Party& party, const Masked& scores, const Groups& groups, const Draws& draws, unsigned shift,
              unsigned rank_bits) {
  const auto lifted = [&](const Words& words) {
    Words result = words;
    for (std::uint64_t& word : result) word = (word >> shift) << rank_bits;
    return padded(result, groups);
  };
  Words mask = party.correlations().deal(groups.lanes(), 64, [&](std::span<std::uint64_t> out) {
    Words values = ShareAccess::mask(scores);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = ((values[i] >> shift) << rank_bits) - draws.ranks[i];
    const Words all = padded(values, groups);
    std::copy(all.begin(), all.end(), out.begin());
  });
  Words words = party.holds_shares() ? lifted(ShareAccess::words(scores)) : Words{};
  return Masked(Shape{groups.count(), groups.columns}, 0, std::move(words), std::move(mask));
}

// Which groups have an allowed arm.
AllowedArms allowed_groups(const Groups& groups, const AllowedArms& lanes) {
  AllowedArms result(lanes.empty() ? 0 : groups.count(), 0);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) result[lane / groups.columns] |= lanes[lane];
  return result;
}

AllowedArms allowed_lanes(const Groups& groups, const AllowedArms& allowed) {
  AllowedArms result(allowed.empty() ? 0 : groups.lanes(), 0);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    result[groups.lane(i / groups.candidates, i % groups.candidates)] = allowed[i];
  }
  return result;
}

Task<Arith> tournament(Party& party, Masked scores, const AllowedArms& allowed, const Draws& draws,
                       ArgmaxOptions options) {
  const std::size_t arms = scores.shape().columns;
  const Groups groups{scores.shape().rows, arms, tournament_group(arms, options.comparison_bits)};
  const Groups finals{groups.events, groups.an_event(), groups.an_event()};
  const auto rank_bits = static_cast<unsigned>(std::bit_width(arms - 1));
  const unsigned final_bits = options.comparison_bits + rank_bits + 1;  // rounding takes another bit
  if (final_bits > 62 || options.comparison_bits + 1 + options.shift > 64) {
    throw std::invalid_argument("too many arms for scores of this width: compare fewer bits");
  }
  const Masked values = ranked(party, scores, groups, draws, options.shift, rank_bits);

  // 1. The best of each group.
  const Masked lanes(Shape{groups.count(), groups.columns}, scores.scale(), padded(ShareAccess::words(scores), groups),
                     padded(ShareAccess::mask(scores), groups));
  MaskedIndex group_values = MaskedIndex::bit_range(lanes, options.shift, 64 - options.shift);
  Contest in_groups{groups, options.comparison_bits, 64, draws.ranks, {}, allowed_lanes(groups, allowed)};
  const AllowedArms open_groups = allowed_groups(groups, in_groups.allowed);
  Arith best = co_await winners_of(party, std::move(group_values), std::move(in_groups));

  // 2. Its value, with the rank.
  const Masked best_in_group = co_await mask(party, std::move(best), "best of groups");
  Arith best_value = row_dot(party, best_in_group, values);
  const Masked finalists = co_await mask(party, std::move(best_value), "finalists");

  // 3. The best of those, and the arm it stands for.
  MaskedIndex final_values = MaskedIndex::bit_range(finalists, 0, final_bits);
  Contest among_groups{finals, final_bits, 64, {}, draws.explore, open_groups};
  Arith winner = co_await winners_of(party, std::move(final_values), std::move(among_groups));
  const Masked best_group = co_await mask(party, winner.reshaped(Shape{groups.count(), 1}), "best group");
  const Arith one_hot = row_scale(party, best_group, best_in_group);

  const Words& all = ShareAccess::words(one_hot);
  Words shares(all.empty() ? 0 : scores.lanes());
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = all[groups.lane(i / arms, i % arms)];
  co_return Arith(scores.shape(), 0, std::move(shares)).in_ring(8);
}

void require_choices(const Party& party, Shape shape, const AllowedArms& allowed) {
  if (!party.holds_shares() || allowed.empty()) return;
  if (allowed.size() != shape.lanes()) throw std::invalid_argument("the allowed arms need an entry a score");
  for (auto event = allowed.begin(); event != allowed.end(); event += static_cast<std::ptrdiff_t>(shape.columns)) {
    const auto end = event + static_cast<std::ptrdiff_t>(shape.columns);
    if (std::find(event, end, 1) == end) throw std::invalid_argument("an event allows no arm");
  }
}

}  // namespace

Task<Arith> choose(Party& party, Masked scores, AllowedArms allowed, ArgmaxOptions options) {
  const Shape shape = scores.shape();
  if (!scores.plain() || shape.lanes() == 0) throw std::invalid_argument("a choice takes scores with plain masks");
  require_choices(party, shape, allowed);
  const Draws draws = draw(party, shape.rows, shape.columns, options.exploration);
  Task<Arith> contest = shape.columns <= max_pairwise ? pairwise(party, std::move(scores), allowed, draws, options)
                                                      : tournament(party, std::move(scores), allowed, draws, options);
  Arith chosen = co_await std::move(contest);
  if (!allowed.empty() && party.holds_shares()) {
    Words& shares = ShareAccess::words(chosen);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = allowed[i] != 0 ? shares[i] : 0;
  }
  co_return chosen + explored(party, shape, allowed, draws);
}

}  // namespace sotto::protocols
