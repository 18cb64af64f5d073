// Tables and choices of a recorded program, made without a dealer. Comparisons, look-ups and argmax use entries of
// these tables.
//
// Functionality   For each request of tables, in the program's order, additive shares of all entries (Tables,
//                 include/sotto/protocol/party/preprocessing.h). For digits and look-ups, the table is the one-hot of
//                 the mask. Once the position is public, the parties sum up the entries with public weights.
// How             index masks   uniform bits, and the mask as a number by replicated_bits.h
//                 comparisons   the pieces of the compared mask become bits (bits_of), with the order of ties as
//                               the carry into bit 0. Digits become tables (circuits.h). The borrow's entry at d is [m
//                               > d] XOR the two top bits, as a number; [m > d] is a sum over a one-hot.
//                 winners       (1 - E) [hit = d] ^ E [arm], as numbers, with a coin E and an arm that no role knows
//                               (choices.h); without an arm (1 - E) [hit = d]
//                 look-ups      if the index is bits of a masked value: the pieces of the value become bits, as above
//                 places        for each m, the one-hot of a uniform arm among m arms (choices.h), multiplied by E, as
//                               numbers
// Rounds, bytes   as in the headers named above. Requests of one kind are made together, lane after lane.
// Views           as in the headers named above. Nobody knows an index mask, a coin, an arm or an order.
#pragma once

#include <cstddef>
#include <optional>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

// The requests for tables of a recorded program. The members `index` and `choice` are the number of a request among the
// requests of that kind. The members `table` are numbers among all tables.
struct TableRequests {
  struct Index {
    std::size_t lanes;
    unsigned bits;
  };
  struct Choice {
    std::size_t events, arms;
    Exploration exploration;
    bool draws_arms = false;  // whether arms are drawn for the events that explore
  };
  struct Digit {
    unsigned low, index_bits, bits;
    std::size_t table;
  };
  struct Comparison {
    std::size_t lanes;
    std::optional<std::size_t> choice;  // the choice that breaks ties
    PoolVector<Digit> digits;
    unsigned top = 0;
    std::size_t index = 0;
    unsigned index_bits = 0, bits = 0;
    std::size_t table = 0;
  };
  struct Winner {
    std::size_t index, columns;
    std::optional<std::size_t> choice;
    bool takes_arm;  // whether the table gives a drawn arm for an event that explores
    unsigned index_bits, bits;
    std::size_t table;
  };
  struct LookUp {
    std::optional<std::size_t> index;  // the number of the index mask; none for bits of a masked value
    std::size_t lanes;
    unsigned index_bits, bits;
    std::size_t table;
  };

  PoolVector<Index> indices;
  PoolVector<Choice> choices;
  PoolVector<Comparison> comparisons;
  PoolVector<Winner> winners;
  PoolVector<LookUp> look_ups;
  PoolVector<std::size_t> places;  // the choice of each request
  std::size_t tables = 0;
};

// The values drawn for a Choice. There is a coin only if events may explore.
struct Chosen {
  NumberPieces ties, arms;
  BitPieces coin;
};

// The results for requests that were made together by kind, and the position of each request's lanes in these results.
template <class T>
struct MadeByKind {
  struct Part {
    std::size_t kind, first;
  };
  PoolVector<T> kinds;
  PoolVector<Part> parts;
};

// The bits of each index mask, and the mask as a number in additive shares.
struct IndexMasks {
  MadeByKind<NumberPieces> bits;
  PoolVector<Additive> numbers;
};

// At parties, the masks from which tables are made; empty at a role without pieces.
struct TableMasks {
  // The mask of each comparison, in any ring of enough bits.
  PoolVector<WordPieces> compared;
  // The mask of each look-up whose index is bits of a masked value, in any ring of enough bits.
  PoolVector<WordPieces> looked_up;
};

struct MadeTables {
  PoolVector<TableShares> tables;
  PoolVector<Additive> places;
};

// `pieces` and the requests must outlive each task.

[[nodiscard]] Task<IndexMasks> make_index_masks(Party& party, PieceProtocols& pieces, const TableRequests& requests);
[[nodiscard]] Task<MadeByKind<Chosen>> make_choices(Party& party, PieceProtocols& pieces,
                                                    const TableRequests& requests);
[[nodiscard]] Task<MadeTables> make_tables(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                                           MadeByKind<NumberPieces> indices, MadeByKind<Chosen> chosen,
                                           TableMasks masks);

// Requests of one kind, which are made together, lane after lane, in the order of the requests.

struct RequestKind {
  PoolVector<std::size_t> numbers;  // the numbers of the requests
  PoolVector<std::size_t> first;    // the first lane of each request
  std::size_t lanes = 0;            // the lanes of all requests together
};

// Requests a and b are of one kind if alike(a, b) is true; lanes_of(request) gives the lanes of a request.
template <class Requests, class Alike, class LanesOf>
[[nodiscard]] PoolVector<RequestKind> kinds_of(const Requests& requests, Alike&& alike, LanesOf&& lanes_of) {
  PoolVector<RequestKind> kinds;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::size_t g = 0;
    while (g < kinds.size() && !alike(requests[kinds[g].numbers[0]], requests[i])) ++g;
    if (g == kinds.size()) kinds.push_back({});
    kinds[g].numbers.push_back(i);
    kinds[g].first.push_back(kinds[g].lanes);
    kinds[g].lanes += lanes_of(requests[i]);
  }
  return kinds;
}

// Calls part(request, its number, its kind, its first lane) for each request.
template <class Requests, class Part>
void for_each_request(const PoolVector<RequestKind>& kinds, const Requests& requests, Part&& part) {
  for (std::size_t g = 0; g < kinds.size(); ++g) {
    for (std::size_t i = 0; i < kinds[g].numbers.size(); ++i) {
      part(requests[kinds[g].numbers[i]], kinds[g].numbers[i], g, kinds[g].first[i]);
    }
  }
}

}  // namespace sotto::protocols
