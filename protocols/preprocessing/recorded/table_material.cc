#include "protocols/preprocessing/recorded/table_material.h"

#include <algorithm>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/choices.h"
#include "protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

using Comparison = TableRequests::Comparison;
using Winner = TableRequests::Winner;

template <class T>
Task<PoolVector<T>> all(PoolVector<Task<T>> tasks) {
  co_return co_await when_all(std::move(tasks));
}

NumberPieces some_bits(const NumberPieces& number, std::size_t first, std::size_t count) {
  const auto begin = number.begin() + static_cast<std::ptrdiff_t>(first);
  return NumberPieces(begin, begin + static_cast<std::ptrdiff_t>(count));
}

// Puts the lanes of an event next to each other: with P planes, lane e P + p of the result is lane `first` + e of plane
// p.
BitPieces by_event(const NumberPieces& planes, std::size_t first, std::size_t events) {
  const std::size_t lanes = events * planes.size();
  const auto woven = [&](Words BitPieces::*piece) {
    if ((planes[0].*piece).empty()) return Words{};
    Words result(plane_words(lanes), 0);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t event = first + lane / planes.size();
      const Words& plane = planes[lane % planes.size()].*piece;
      result[lane / 64] |= (plane[event / 64] >> (event % 64) & 1) << (lane % 64);
    }
    return result;
  };
  if (planes.empty()) return {0, {}, {}};
  return {lanes, woven(&BitPieces::own), woven(&BitPieces::next)};
}

Task<TableShares> as_tables(Party& party, PieceProtocols& pieces, std::size_t turn, NumberPieces entries,
                            unsigned bits) {
  RingWidths widths(entries.size(), bits);
  const PoolVector<Additive> numbers =
      co_await pieces.bits_as_shares(party, turn, std::move(entries), std::move(widths), "tables");
  co_return by_lane(numbers, bits);
}

Task<NumberPieces> greater_than_each(Party& party, PieceProtocols& pieces, NumberPieces m, std::size_t lanes) {
  NumberPieces result{pieces.zero_bits(lanes)};
  if (m.empty()) co_return result;
  const NumberPieces hot = co_await one_hot(party, pieces, std::move(m), "borrows");
  for (std::size_t d = hot.size() - 1; d > 0; --d) result.push_back(result.back() ^ hot[d]);
  std::reverse(result.begin(), result.end());
  co_return result;
}

Task<PoolVector<TableShares>> comparison_tables(Party& party, PieceProtocols& pieces, std::size_t turn,
                                                const Comparison& request, NumberPieces index, WordPieces compared,
                                                BitPieces ties) {
  const std::size_t lanes = compared.lanes;
  auto [x, greater] =
      co_await when_all(pieces.bits_of(party, turn, std::move(compared), std::move(ties), "compared masks"),
                        greater_than_each(party, pieces, some_bits(index, 0, request.index_bits), lanes));

  const BitPieces tops = x[request.top] ^ index[request.index_bits];
  for (BitPieces& entry : greater) entry = std::move(entry) ^ tops;
  PoolVector<Task<TableShares>> tasks;
  for (const auto& digit : request.digits) {
    tasks.push_back(pieces.digit_table(party, turn, some_bits(x, digit.low, digit.index_bits), digit.bits, "digits"));
  }
  tasks.push_back(as_tables(party, pieces, turn, std::move(greater), request.bits));
  co_return co_await all(std::move(tasks));
}

// No AND is needed if no event explores, or if every event explores.
Task<TableShares> winner_table(Party& party, PieceProtocols& pieces, std::size_t turn, const Winner& request,
                               NumberPieces index, std::optional<Exploration> exploration, Chosen chosen) {
  const std::size_t size = std::size_t{1} << request.index_bits;
  const std::size_t events = index[0].lanes / request.columns;
  const bool always = exploration && exploration->always;
  NumberPieces entries;
  if (always) {
    entries.assign(size, request.takes_arm ? by_event(chosen.arms, 0, events) : pieces.zero_bits(index[0].lanes));
  } else {
    const NumberPieces hot = co_await one_hot(party, pieces, std::move(index), "winners");
    for (std::size_t d = 0; d < size; ++d) entries.push_back(hot[(d - (request.columns - 1)) & (size - 1)]);
  }
  if (!always && exploration && exploration->threshold != 0) {
    const NumberPieces coins_by_arm(request.columns, chosen.coin);
    const BitPieces explores = by_event(coins_by_arm, 0, events);
    NumberPieces selectors(size, pieces.complement(explores));
    if (request.takes_arm) {
      selectors.push_back(explores);
      entries.push_back(by_event(chosen.arms, 0, events));
    }
    entries = co_await and_each(party, pieces, std::move(entries), std::move(selectors), "exploration");
    if (request.takes_arm) {
      const BitPieces forced = std::move(entries.back());
      entries.pop_back();
      for (BitPieces& entry : entries) entry = std::move(entry) ^ forced;
    }
  }
  co_return co_await as_tables(party, pieces, turn, std::move(entries), request.bits);
}

constexpr unsigned place_bits = 8;

Task<TableShares> place_table(Party& party, PieceProtocols& pieces, std::size_t turn, TableRequests::Choice choice,
                              BitPieces coin) {
  const std::size_t places = choice.arms * (choice.arms + 1) / 2;
  if (!choice.exploration.always && choice.exploration.threshold == 0) {
    co_return TableShares{place_bits, Words(pieces.self() ? entry_words(choice.events * places, place_bits) : 0, 0)};
  }
  PoolVector<Task<NumberPieces>> tasks;
  for (std::size_t m = 2; m <= choice.arms; ++m) tasks.push_back(uniform_arms(party, pieces, choice.events, m));
  const PoolVector<NumberPieces> of_more = co_await all(std::move(tasks));
  NumberPieces entries{pieces.complement(pieces.zero_bits(choice.events))};
  for (const NumberPieces& hot : of_more) entries.insert(entries.end(), hot.begin(), hot.end());
  if (!choice.exploration.always) {
    NumberPieces coins(places, coin);
    entries = co_await and_each(party, pieces, std::move(entries), std::move(coins), "exploration");
  }
  co_return co_await as_tables(party, pieces, turn, std::move(entries), place_bits);
}

Task<TableShares> look_up_table(Party& party, PieceProtocols& pieces, std::size_t turn, TableRequests::LookUp request,
                                NumberPieces index, WordPieces masked) {
  if (!request.index) {
    BitPieces none = pieces.zero_bits(masked.lanes);
    index = co_await pieces.bits_of(party, turn, std::move(masked), std::move(none), "looked up masks");
  }
  co_return co_await pieces.digit_table(party, turn, std::move(index), request.bits, "look-ups");
}

Task<Additive> index_share(Party& party, PieceProtocols& pieces, std::size_t turn, NumberPieces bits) {
  RingWidths widths;
  for (std::size_t b = 0; b < bits.size(); ++b) widths.push_back(static_cast<unsigned>(bits.size() - b));
  const PoolVector<Additive> numbers =
      co_await pieces.bits_as_shares(party, turn, std::move(bits), widths, "index masks");
  Additive sum = numbers[0];
  for (std::size_t b = 1; b < numbers.size(); ++b) {
    for (std::size_t i = 0; i < sum.words.size(); ++i) sum.words[i] += numbers[b].words[i] << b;
  }
  co_return sum;
}

bool alike(const Exploration& a, const Exploration& b) { return a.always == b.always && a.threshold == b.threshold; }

bool alike(const TableRequests::Choice& a, const TableRequests::Choice& b) {
  return a.arms == b.arms && alike(a.exploration, b.exploration) && a.draws_arms == b.draws_arms;
}

bool alike(const Comparison& a, const Comparison& b) {
  const auto same = [](const TableRequests::Digit& x, const TableRequests::Digit& y) {
    return x.low == y.low && x.index_bits == y.index_bits && x.bits == y.bits;
  };
  return a.top == b.top && a.index_bits == b.index_bits && a.bits == b.bits &&
         std::equal(a.digits.begin(), a.digits.end(), b.digits.begin(), b.digits.end(), same);
}

PoolVector<RequestKind> kinds_of_choices(const PoolVector<TableRequests::Choice>& choices) {
  const auto same = [](const auto& a, const auto& b) { return alike(a, b); };
  return kinds_of(choices, same, [](const auto& choice) { return choice.events; });
}

void append_number(NumberPieces& to, const NumberPieces& more, std::size_t first, std::size_t count) {
  to.resize(more.size());
  for (std::size_t b = 0; b < more.size(); ++b) append_lanes(to[b], some_lanes(more[b], first, count));
}

void append_index(NumberPieces& to, const TableRequests& requests, const MadeByKind<NumberPieces>& indices,
                  std::size_t number) {
  const auto part = indices.parts[number];
  append_number(to, indices.kinds[part.kind], part.first, requests.indices[number].lanes);
}

void append_coins(BitPieces& to, const TableRequests& requests, const MadeByKind<Chosen>& chosen, std::size_t choice) {
  const auto part = chosen.parts[choice];
  append_lanes(to, some_lanes(chosen.kinds[part.kind].coin, part.first, requests.choices[choice].events));
}

void append_words(WordPieces& to, const WordPieces& more) {
  to.lanes += more.lanes;
  to.own.insert(to.own.end(), more.own.begin(), more.own.end());
  to.next.insert(to.next.end(), more.next.begin(), more.next.end());
}

Task<Chosen> chosen_of(Party& party, PieceProtocols& pieces, TableRequests::Choice request) {
  const bool explores = request.exploration.always || request.exploration.threshold != 0;
  PoolVector<Task<NumberPieces>> numbers;
  numbers.push_back(tie_orders(party, pieces, request.events, request.arms));
  if (explores && request.draws_arms) numbers.push_back(uniform_arms(party, pieces, request.events, request.arms));
  PoolVector<Task<BitPieces>> coin;
  if (explores && !request.exploration.always) {
    coin.push_back(coins(party, pieces, request.events, request.exploration.threshold));
  }
  auto [orders, tossed] = co_await when_all(all(std::move(numbers)), all(std::move(coin)));
  Chosen result{std::move(orders[0]), {}, {}};
  result.coin = tossed.empty() ? pieces.zero_bits(request.events) : std::move(tossed[0]);
  if (orders.size() > 1) result.arms = std::move(orders[1]);
  co_return result;
}

WordPieces joined_masks(const PoolVector<std::size_t>& numbers, std::size_t lanes, unsigned bits,
                        const PoolVector<WordPieces>& masks) {
  WordPieces result{0, bits, {}, {}};
  if (masks.empty()) {
    result.lanes = lanes;
    return result;
  }
  for (const std::size_t number : numbers) append_words(result, masks.at(number));
  for (std::uint64_t& word : result.own) word &= ring_mask(bits);
  for (std::uint64_t& word : result.next) word &= ring_mask(bits);
  return result;
}

TableShares part_of(const TableShares& tables, std::size_t first, std::size_t lanes, std::size_t size) {
  return part_of(tables, first * size, lanes * size);
}

Task<void> make_comparisons(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                            const MadeByKind<NumberPieces>& indices, const MadeByKind<Chosen>& chosen,
                            PoolVector<WordPieces> compared, PoolVector<TableShares>& tables) {
  const auto same = [](const auto& a, const auto& b) { return alike(a, b); };
  const auto kinds = kinds_of(requests.comparisons, same, [](const auto& request) { return request.lanes; });
  PoolVector<Task<PoolVector<TableShares>>> tasks;
  for (const RequestKind& kind : kinds) {
    NumberPieces index;
    BitPieces ties;
    for (const std::size_t number : kind.numbers) {
      const Comparison& request = requests.comparisons[number];
      append_index(index, requests, indices, request.index);
      if (!request.choice) {
        append_lanes(ties, pieces.zero_bits(request.lanes));
        continue;
      }
      const auto part = chosen.parts[*request.choice];
      const NumberPieces& orders = chosen.kinds[part.kind].ties;
      append_lanes(ties, by_event(orders, part.first, requests.choices[*request.choice].events));
    }
    const Comparison& first = requests.comparisons[kind.numbers[0]];
    WordPieces masks = joined_masks(kind.numbers, kind.lanes, first.top + 1, compared);
    tasks.push_back(
        comparison_tables(party, pieces, tasks.size(), first, std::move(index), std::move(masks), std::move(ties)));
  }
  const auto made = co_await all(std::move(tasks));
  const auto keep = [&](const Comparison& request, std::size_t, std::size_t kind, std::size_t first) {
    for (std::size_t d = 0; d < request.digits.size(); ++d) {
      const std::size_t entries = std::size_t{1} << request.digits[d].index_bits;
      tables[request.digits[d].table] = part_of(made[kind][d], first, request.lanes, entries);
    }
    tables[request.table] = part_of(made[kind].back(), first, request.lanes, std::size_t{1} << request.index_bits);
  };
  for_each_request(kinds, requests.comparisons, keep);
}

Task<void> make_winners(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                        const MadeByKind<NumberPieces>& indices, const MadeByKind<Chosen>& chosen,
                        PoolVector<TableShares>& tables) {
  const auto exploration_of = [&](const Winner& request) {
    return request.choice ? std::optional(requests.choices[*request.choice].exploration) : std::nullopt;
  };
  const auto same = [&](const Winner& a, const Winner& b) {
    return a.columns == b.columns && a.index_bits == b.index_bits && a.bits == b.bits && a.takes_arm == b.takes_arm &&
           a.choice.has_value() == b.choice.has_value() && (!a.choice || alike(*exploration_of(a), *exploration_of(b)));
  };
  const auto lanes_of = [&](const Winner& request) { return requests.indices[request.index].lanes; };
  const auto kinds = kinds_of(requests.winners, same, lanes_of);
  PoolVector<Task<TableShares>> tasks;
  for (const RequestKind& kind : kinds) {
    NumberPieces index;
    Chosen choice;
    for (const std::size_t number : kind.numbers) {
      const Winner& request = requests.winners[number];
      append_index(index, requests, indices, request.index);
      if (!request.choice) continue;
      append_coins(choice.coin, requests, chosen, *request.choice);
      if (!request.takes_arm) continue;
      const auto part = chosen.parts[*request.choice];
      append_number(choice.arms, chosen.kinds[part.kind].arms, part.first, requests.choices[*request.choice].events);
    }
    const Winner& first = requests.winners[kind.numbers[0]];
    tasks.push_back(
        winner_table(party, pieces, tasks.size(), first, std::move(index), exploration_of(first), std::move(choice)));
  }
  const auto made = co_await all(std::move(tasks));
  const auto keep = [&](const Winner& request, std::size_t, std::size_t kind, std::size_t first) {
    tables[request.table] = part_of(made[kind], first, lanes_of(request), std::size_t{1} << request.index_bits);
  };
  for_each_request(kinds, requests.winners, keep);
}

Task<void> make_look_ups(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                         const MadeByKind<NumberPieces>& indices, PoolVector<WordPieces> looked_up,
                         PoolVector<TableShares>& tables) {
  const auto same = [](const auto& a, const auto& b) {
    return a.index.has_value() == b.index.has_value() && a.index_bits == b.index_bits && a.bits == b.bits;
  };
  const auto kinds = kinds_of(requests.look_ups, same, [](const auto& request) { return request.lanes; });
  PoolVector<std::size_t> place;
  std::size_t of_masked = 0;
  for (const auto& request : requests.look_ups) place.push_back(request.index ? 0 : of_masked++);
  PoolVector<Task<TableShares>> tasks;
  for (const RequestKind& kind : kinds) {
    const auto& first = requests.look_ups[kind.numbers[0]];
    NumberPieces index;
    PoolVector<std::size_t> places;
    for (const std::size_t number : kind.numbers) {
      const auto& request = requests.look_ups[number];
      if (request.index) append_index(index, requests, indices, *request.index);
      places.push_back(place[number]);
    }
    WordPieces masks{0, first.index_bits, {}, {}};
    if (!first.index) masks = joined_masks(places, kind.lanes, first.index_bits, looked_up);
    tasks.push_back(look_up_table(party, pieces, tasks.size(), first, std::move(index), std::move(masks)));
  }
  const auto made = co_await all(std::move(tasks));
  const auto keep = [&](const auto& request, std::size_t, std::size_t kind, std::size_t first) {
    tables[request.table] = part_of(made[kind], first, request.lanes, std::size_t{1} << request.index_bits);
  };
  for_each_request(kinds, requests.look_ups, keep);
}

Task<PoolVector<Additive>> make_places(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                                       const MadeByKind<Chosen>& chosen) {
  PoolVector<TableRequests::Choice> choices;
  for (const std::size_t choice : requests.places) choices.push_back(requests.choices[choice]);
  const auto kinds = kinds_of_choices(choices);
  PoolVector<Task<TableShares>> tasks;
  for (const RequestKind& kind : kinds) {
    BitPieces coin;
    for (const std::size_t number : kind.numbers) append_coins(coin, requests, chosen, requests.places[number]);
    TableRequests::Choice all_events = choices[kind.numbers[0]];
    all_events.events = kind.lanes;
    tasks.push_back(place_table(party, pieces, tasks.size(), all_events, std::move(coin)));
  }
  const auto made = co_await all(std::move(tasks));
  PoolVector<Additive> result(choices.size());
  const auto keep = [&](const auto& choice, std::size_t number, std::size_t kind, std::size_t first) {
    const std::size_t places = choice.arms * (choice.arms + 1) / 2;
    result[number] = as_words(part_of(made[kind], first, choice.events, places), choice.events * places);
  };
  for_each_request(kinds, choices, keep);
  co_return result;
}

}  // namespace

Task<IndexMasks> make_index_masks(Party& party, PieceProtocols& pieces, const TableRequests& requests) {
  const auto same = [](const auto& a, const auto& b) { return a.bits == b.bits; };
  const auto kinds = kinds_of(requests.indices, same, [](const auto& index) { return index.lanes; });
  IndexMasks result;
  result.bits.parts.resize(requests.indices.size());
  result.numbers.resize(requests.indices.size());
  PoolVector<Task<Additive>> tasks;
  for (const RequestKind& kind : kinds) {
    NumberPieces planes;
    for (unsigned b = 0; b < requests.indices[kind.numbers[0]].bits; ++b) {
      planes.push_back(pieces.uniform_bits(kind.lanes));
    }
    result.bits.kinds.push_back(planes);
    tasks.push_back(index_share(party, pieces, tasks.size(), std::move(planes)));
  }
  const auto numbers = co_await all(std::move(tasks));
  const auto keep = [&](const auto& index, std::size_t number, std::size_t kind, std::size_t first) {
    result.bits.parts[number] = {kind, first};
    result.numbers[number] = Additive{slice(numbers[kind].words, first, index.lanes)};
  };
  for_each_request(kinds, requests.indices, keep);
  co_return result;
}

Task<MadeByKind<Chosen>> make_choices(Party& party, PieceProtocols& pieces, const TableRequests& requests) {
  const auto kinds = kinds_of_choices(requests.choices);
  PoolVector<Task<Chosen>> tasks;
  for (const RequestKind& kind : kinds) {
    TableRequests::Choice all_events = requests.choices[kind.numbers[0]];
    all_events.events = kind.lanes;
    tasks.push_back(chosen_of(party, pieces, all_events));
  }
  MadeByKind<Chosen> result;
  result.kinds = co_await all(std::move(tasks));
  result.parts.resize(requests.choices.size());
  const auto keep = [&](const auto&, std::size_t number, std::size_t kind, std::size_t first) {
    result.parts[number] = {kind, first};
  };
  for_each_request(kinds, requests.choices, keep);
  co_return result;
}

Task<MadeTables> make_tables(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                             MadeByKind<NumberPieces> indices, MadeByKind<Chosen> chosen, TableMasks masks) {
  MadeTables made{PoolVector<TableShares>(requests.tables), {}};
  auto [compared, won, looked_up, places] = co_await when_all(
      make_comparisons(party, pieces, requests, indices, chosen, std::move(masks.compared), made.tables),
      make_winners(party, pieces, requests, indices, chosen, made.tables),
      make_look_ups(party, pieces, requests, indices, std::move(masks.looked_up), made.tables),
      make_places(party, pieces, requests, chosen));
  made.places = std::move(places);
  co_return made;
}

}  // namespace sotto::protocols
