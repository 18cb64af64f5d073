// Tables and choices of a recorded program, made without a dealer.
//
// Functionality   For each request of tables, in the program's order, additive shares of all entries (Tables,
//                 include/sotto/protocol/party/preprocessing.h). For digits and look-ups, the table is the one-hot of
//                 the mask. The parties later add up the entries with public weights.
// How             index masks   uniform bits, also as numbers (bits_as_shares)
//                 comparisons   the pieces of the compared mask become bits (bits_of), with the order of ties as the
//                               carry into bit 0. The digits become tables. Let m be the low index_bits bits of the
//                               index mask. Entry d of the last table is, as a number, [m > d] XOR bit `top` of the
//                               compared mask XOR bit index_bits of the index mask. [m > d] is the XOR of entries of
//                               the one-hot of m.
//                 winners       entry d is (1 - E) [d = hit] ^ E [arm], as a number. The coin E is 1 if the event
//                               explores. `hit` is the entry for a value that wins all pairs. [arm] is 1 for the
//                               uniform arm of the event. No role knows the coin and the arm (choices.h).
//                 look-ups      if the index is made of bits of a masked value, the pieces of the mask become bits, as
//                               for comparisons
//                 places        for each m, the one-hot of a uniform arm among m arms, multiplied by E, as numbers
// Rounds, bytes   As in the headers of the PieceProtocols. Requests of one kind share their rounds.
// Views           Nobody knows an index mask, a coin, an arm or an order.
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

// A program's requests for tables. `index` is a position in `indices`, and `choice` is a position in `choices`. `table`
// is the position of a table among all requested tables.
struct TableRequests {
  struct Index {
    std::size_t lanes;
    unsigned bits;
  };
  struct Choice {
    std::size_t events, arms;
    Exploration exploration;
    bool draws_arms = false;
  };
  struct Digit {
    unsigned low, index_bits, bits;
    std::size_t table;
  };
  struct Comparison {
    std::size_t lanes;
    std::optional<std::size_t> choice;  // breaks ties
    PoolVector<Digit> digits;
    unsigned top = 0;
    std::size_t index = 0;
    unsigned index_bits = 0, bits = 0;
    std::size_t table = 0;
  };
  struct Winner {
    std::size_t index, columns;
    std::optional<std::size_t> choice;
    bool takes_arm;
    unsigned index_bits, bits;
    std::size_t table;
  };
  struct LookUp {
    std::optional<std::size_t> index;  // empty for an index from bit_range()
    std::size_t lanes;
    unsigned index_bits, bits;
    std::size_t table;
  };

  PoolVector<Index> indices;
  PoolVector<Choice> choices;
  PoolVector<Comparison> comparisons;
  PoolVector<Winner> winners;
  PoolVector<LookUp> look_ups;
  PoolVector<std::size_t> places;
  std::size_t tables = 0;
};

// The values that are drawn for a Choice. `coin` is empty unless events may explore.
struct Chosen {
  NumberPieces ties, arms;
  BitPieces coin;
};

template <class T>
struct MadeByKind {
  struct Part {
    std::size_t kind, first;
  };
  PoolVector<T> kinds;
  PoolVector<Part> parts;
};

struct IndexMasks {
  MadeByKind<NumberPieces> bits;
  PoolVector<Additive> numbers;
};

// At parties, the pieces of the masks from which tables are made. A piece has at least as many bits as the tables use.
struct TableMasks {
  // The masks of each comparison.
  PoolVector<WordPieces> compared;
  // The masks of each look-up by bits of a masked value.
  PoolVector<WordPieces> looked_up;
};

struct MadeTables {
  PoolVector<TableShares> tables;
  PoolVector<Additive> places;
};

[[nodiscard]] Task<IndexMasks> make_index_masks(Party& party, PieceProtocols& pieces, const TableRequests& requests);
[[nodiscard]] Task<MadeByKind<Chosen>> make_choices(Party& party, PieceProtocols& pieces,
                                                    const TableRequests& requests);
[[nodiscard]] Task<MadeTables> make_tables(Party& party, PieceProtocols& pieces, const TableRequests& requests,
                                           MadeByKind<NumberPieces> indices, MadeByKind<Chosen> chosen,
                                           TableMasks masks);

struct RequestKind {
  PoolVector<std::size_t> numbers;
  PoolVector<std::size_t> first;
  std::size_t lanes = 0;
};

// Sorts the requests into kinds: requests a and b are of one kind if alike(a, b) is true.
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

template <class Requests, class Part>
void for_each_request(const PoolVector<RequestKind>& kinds, const Requests& requests, Part&& part) {
  for (std::size_t g = 0; g < kinds.size(); ++g) {
    for (std::size_t i = 0; i < kinds[g].numbers.size(); ++i) {
      part(requests[kinds[g].numbers[i]], kinds[g].numbers[i], g, kinds[g].first[i]);
    }
  }
}

}  // namespace sotto::protocols
