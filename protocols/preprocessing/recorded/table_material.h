// Tables and choices of a recorded program: what comparisons, look-ups and argmax take entries of, made without a
// dealer.
//
// Functionality   For each request of tables, in the program's order, additive shares of all entries (Tables,
//                 include/sotto/protocol/party/preprocessing.h), but of digits and look-ups shares of the one-hot of
//                 the mask: the parties sum up its entries with public weights, once the position is public.
// How             index masks   uniform bits, and as a number by replicated_bits.h
//                 comparisons   the compared mask's pieces become bits (bits_of), with the order of ties as
//                               the carry into bit 0; digits become tables (circuits.h). The borrow's entry at d is
//                               [m > d], a sum over a one-hot, XOR the two top bits, as a number.
//                 winners       (1 - E) [hit = d] ^ E [arm], with a coin E and an arm of nobody (choices.h), as
//                               numbers; without an arm (1 - E) [hit = d]
//                 look-ups      at bits of a masked value: its pieces become bits, as above
//                 places        for each m the one-hot of a uniform one of m arms (choices.h), times E, as numbers
// Rounds, bytes   as in the headers named. Requests of one kind are made as one, lane after lane.
// Who sees what   as in the headers named. Nobody knows an index mask, a coin, an arm or an order.
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

// What of a recorded program asks for tables. Numbers count requests of a kind; `table` counts all tables.
struct TableRequests {
  struct Index {
    std::size_t lanes;
    unsigned bits;
  };
  struct Choice {
    std::size_t events, arms;
    Exploration exploration;
    bool draws_arms = false;  // which those who explore take
  };
  struct Digit {
    unsigned low, index_bits, bits;
    std::size_t table;
  };
  struct Comparison {
    std::size_t lanes;
    std::optional<std::size_t> choice;  // whose ties are broken
    PoolVector<Digit> digits;
    unsigned top = 0;
    std::size_t index = 0;
    unsigned index_bits = 0, bits = 0;
    std::size_t table = 0;
  };
  struct Winner {
    std::size_t index, columns;
    std::optional<std::size_t> choice;
    bool takes_arm;  // where an event explores
    unsigned index_bits, bits;
    std::size_t table;
  };
  struct LookUp {
    std::optional<std::size_t> index;  // else bits of a masked value
    std::size_t lanes;
    unsigned index_bits, bits;
    std::size_t table;
  };

  PoolVector<Index> indices;
  PoolVector<Choice> choices;
  PoolVector<Comparison> comparisons;
  PoolVector<Winner> winners;
  PoolVector<LookUp> look_ups;
  PoolVector<std::size_t> places;  // the choice of each
  std::size_t tables = 0;
};

// What Choice asks for: a coin only where events may explore.
struct Chosen {
  NumberPieces ties, arms;
  BitPieces coin;
};

// What was made of requests of a kind as one, and where each request's lanes are in it.
template <class T>
struct MadeByKind {
  struct Part {
    std::size_t kind, first;
  };
  PoolVector<T> kinds;
  PoolVector<Part> parts;
};

// The bits of each index mask, and as a number in additive shares.
struct IndexMasks {
  MadeByKind<NumberPieces> bits;
  PoolVector<Additive> numbers;
};

// What of masks at parties tables are made of: nothing at a role that holds nothing.
struct TableMasks {
  PoolVector<WordPieces> compared;   // of each comparison, in any ring of enough bits
  PoolVector<WordPieces> looked_up;  // of each look-up at bits of a masked value, likewise
};

struct MadeTables {
  PoolVector<TableShares> tables;
  PoolVector<Additive> places;
};

// `pieces` and the requests outlive each task.

[[nodiscard]] Task<IndexMasks> make_index_masks(Party& party, PieceProtocols& pieces, const TableRequests& requests);
[[nodiscard]] Task<MadeByKind<Chosen>> make_choices(Party& party, PieceProtocols& pieces,
                                                    const TableRequests& requests);
[[nodiscard]] Task<MadeTables> make_tables(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                                           MadeByKind<NumberPieces> indices, MadeByKind<Chosen> chosen,
                                           TableMasks masks);

// Requests of one kind, which are made as one: lane after lane, in their order.

struct RequestKind {
  PoolVector<std::size_t> numbers;  // of the requests
  PoolVector<std::size_t> first;    // the first lane of each
  std::size_t lanes = 0;            // of all
};

// alike(a, b) tells the kinds, lanes_of(request) the sizes.
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

// part(request, its number, its kind, its first lane) for each request.
template <class Requests, class Part>
void for_each_request(const PoolVector<RequestKind>& kinds, const Requests& requests, Part&& part) {
  for (std::size_t g = 0; g < kinds.size(); ++g) {
    for (std::size_t i = 0; i < kinds[g].numbers.size(); ++i) {
      part(requests[kinds[g].numbers[i]], kinds[g].numbers[i], g, kinds[g].first[i]);
    }
  }
}

}  // namespace sotto::protocols
