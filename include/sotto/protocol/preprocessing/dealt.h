// Dealt: preprocessing by a trusted dealer, which runs the program on the masks.
//
// The dealer shares a seed with each node. A uniform mask is the sum (or XOR) of the expansions of the parties' seeds,
// and costs nothing. A sharing of another value costs a correction of `bits` bits per lane, which only the last party
// receives. The dealer never sees a message of the parties, and learns only the shape of the program.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::protocols {

// The kinds of requests that the planner counts.
enum class Request : std::uint8_t {
  mask,
  input_mask,
  index_mask,
  zero,
  product,
  materialize,
  cut,
  bit_product,
  truncation,
  triples,
  random_bits,
  bits_as_numbers,
  digit_tables,
  borrow_tables,
  winner_tables,
  table,
  samples,
  explored_places,
  pair_masks,
  ranked_mask,
};
inline constexpr std::size_t request_kinds = 20;

class Dealt : public Preprocessing {
 public:
  [[nodiscard]] Mask mask(std::size_t lanes, unsigned bits) final;
  [[nodiscard]] Mask mask_of_zeros(std::size_t lanes) const final;
  [[nodiscard]] InputMask input_mask(NodeId owner, std::size_t lanes) final;
  [[nodiscard]] IndexMask add_index_mask(Words& to, std::size_t lanes, unsigned bits) final;
  [[nodiscard]] Additive zero(std::size_t lanes, unsigned bits, Group group) final;

  void product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words& sum) final;
  void materialize(Words& sum, std::size_t lanes) final;
  [[nodiscard]] Additive cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g,
                             const Mask& other) final;
  [[nodiscard]] Additive bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) final;
  [[nodiscard]] TruncationPair truncation(Words& padded, std::size_t lanes, unsigned f) final;

  [[nodiscard]] Triples triples(std::size_t lanes, unsigned bits, Group group) final;
  [[nodiscard]] BitMask random_bits(std::size_t lanes, unsigned width) final;
  [[nodiscard]] Additive bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count, unsigned bit,
                                         unsigned ring_bits) final;

  void digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) final;
  void borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                     std::span<std::uint64_t> sum) final;
  void winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups, const Samples& samples,
                     std::span<std::uint64_t> sum) final;
  void table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) final;

  [[nodiscard]] Samples samples(std::size_t events, std::size_t arms, Exploration exploration) final;
  [[nodiscard]] Additive explored_places(std::size_t events, std::size_t arms, const Samples& samples) final;
  [[nodiscard]] IndexMask pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups,
                                     const Samples& samples) final;
  [[nodiscard]] Mask ranked_mask(const Mask& m, const Samples& samples, RankedWidths widths,
                                 const ValueGroups& groups) final;

 protected:
  enum class Side : std::uint8_t { dealer, party, elsewhere };
  Dealt(Ledger& ledger, Side side, bool counts = false) : ledger_(ledger), side_(side), counts_(counts) {}

  // Counts a request of `size` lanes, or of `size` pairs for a product or a cut.
  virtual void count_request(Request /*kind*/, std::size_t /*size*/) {}

  // A draw returns a share at a compute party, the value itself at the dealer, and nothing at any other role.

  // Draws words that are uniform in [0, 2^bits).
  [[nodiscard]] virtual Words uniform(std::size_t lanes, unsigned bits, Group group) = 0;
  // Adds uniform() in Z/2^bits to the `lanes` words of `to`.
  virtual void add_uniform(Words& to, std::size_t lanes, unsigned bits) = 0;
  // Draws uniform words that only `node` and the dealer know.
  [[nodiscard]] virtual Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) = 0;
  // Draws a fresh sharing of the dealer's values in Z/2^bits.
  [[nodiscard]] virtual Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) = 0;
  // Adds to `to` this party's share of a fresh sharing of the dealer's values in Z/2^64. Not called at the dealer.
  virtual void add_dealt(Words& /*to*/, std::size_t /*lanes*/) { throw std::logic_error("the dealer takes no shares"); }
  // At the dealer: deals the low `bits` bits of the values, and overwrites the values.
  virtual void distribute_bytes(std::span<std::uint8_t> /*values*/, unsigned /*bits*/) {
    throw std::logic_error("tables are computed at the dealer only");
  }
  // At all roles except the dealer: sum[lane] += (this role's share of the lane's entry) << tables.raise.
  virtual void take_entries(const Tables& /*tables*/, std::span<std::uint64_t> /*sum*/) {
    throw std::logic_error("the dealer takes no entries");
  }
  [[nodiscard]] virtual Prg& coins() { throw std::logic_error("private coins exist at the dealer only"); }

  Ledger& ledger_;

 private:
  [[nodiscard]] bool at_dealer() const noexcept { return side_ == Side::dealer; }

  void begin(Request kind, std::size_t size) {
    if (counts_) count_request(kind, size);
  }

  // A fresh sharing of the values that compute(std::span<std::uint64_t>) writes at the dealer.
  template <class Compute>
  [[nodiscard]] Words deal(std::size_t lanes, unsigned bits, Compute&& compute, Group group = Group::sum) {
    Words values;
    if (at_dealer()) {
      values.resize(lanes);
      compute(std::span<std::uint64_t>(values));
    }
    return distribute(std::move(values), lanes, bits, group);
  }

  // A fresh sharing of each table. At the dealer, write(lane, out) writes the table of a lane. `out` points to
  // std::uint8_t if bits <= 8, else to std::uint64_t.
  template <class Write>
  void deal_tables(const Tables& tables, std::span<std::uint64_t> sum, Write&& write) {
    if (!at_dealer()) return take_entries(tables, sum);
    const std::size_t step = std::max<std::size_t>(8, tile_entries >> tables.index_bits);
    const auto write_tile = [&](std::size_t first, std::size_t count, auto* out) {
      for (std::size_t lane = first; lane < first + count; ++lane, out += tables.size()) write(lane, out);
    };
    Words words(tables.bits <= 8 ? 0 : step << tables.index_bits);
    PoolVector<std::uint8_t> bytes(tables.bits <= 8 ? step << tables.index_bits : 0);
    for (std::size_t first = 0; first < tables.lanes; first += step) {
      const std::size_t count = std::min(step, tables.lanes - first);
      const std::size_t entries = count << tables.index_bits;
      if (tables.bits <= 8) {
        write_tile(first, count, bytes.data());
        distribute_bytes(std::span(bytes).first(entries), tables.bits);
      } else {
        words.resize(entries);
        write_tile(first, count, words.data());
        words = distribute(std::move(words), entries, tables.bits, Group::sum);
      }
    }
  }

  static constexpr std::size_t tile_entries = 4096;
  Side side_;
  bool counts_;
};

// Planned: counts the dealt bytes and the requests of a program, without any words.

struct RequestCount {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  // for product, cut and bit_product: number of pairs
  std::uint64_t dealt = 0;  // bytes, without the headers of chunks

  RequestCount& operator+=(const RequestCount& other);
  friend bool operator==(const RequestCount&, const RequestCount&) = default;
};

// Counts by phase of the ledger and by kind of request.
struct RequestCounts {
  std::vector<std::array<RequestCount, request_kinds>> phases;

  [[nodiscard]] RequestCount total(Request kind) const;
  // The counts of a phase and a kind; zero if there is no phase with this name.
  [[nodiscard]] RequestCount of(const Ledger& ledger, std::string_view phase, Request kind) const;
};

class Planned final : public Dealt {
 public:
  explicit Planned(Ledger& ledger) : Dealt(ledger, Side::elsewhere, true) {}
  [[nodiscard]] const RequestCounts& requests() const noexcept { return requests_; }

 private:
  void count_request(Request kind, std::size_t size) override;
  [[nodiscard]] Words uniform(std::size_t, unsigned, Group) override { return {}; }
  void add_uniform(Words&, std::size_t, unsigned) override {}
  [[nodiscard]] Words uniform_known_to(NodeId, std::size_t, unsigned) override { return {}; }
  [[nodiscard]] Words distribute(Words, std::size_t lanes, unsigned bits, Group) override {
    count(lanes, bits);
    return {};
  }
  void add_dealt(Words&, std::size_t lanes) override { count(lanes, 64); }
  void take_entries(const Tables& tables, std::span<std::uint64_t>) override { count(tables.entries(), tables.bits); }
  void count(std::size_t lanes, unsigned bits);

  RequestCounts requests_;
  RequestCount* current_ = nullptr;
};

}  // namespace sotto::protocols
