// The Preprocessing of a run without a dealer and without shares: every request throws std::logic_error.
#pragma once

#include <stdexcept>

#include "sotto/protocol/party/preprocessing.h"

namespace sotto {

class NoPreprocessing final : public Preprocessing {
 public:
  [[nodiscard]] Mask mask(std::size_t, unsigned) override { refuse(); }
  [[nodiscard]] Mask mask_of_zeros(std::size_t) const override { refuse(); }
  [[nodiscard]] InputMask input_mask(NodeId, std::size_t) override { refuse(); }
  [[nodiscard]] IndexMask add_index_mask(Words&, std::size_t, unsigned) override { refuse(); }
  [[nodiscard]] Additive zero(std::size_t, unsigned, Group) override { refuse(); }
  void product(const BilinearMap&, const Mask&, const Mask&, unsigned, Words&) override { refuse(); }
  void materialize(Words&, std::size_t) override { refuse(); }
  [[nodiscard]] Additive cut(const BilinearMap&, Operand, unsigned, const CarryMask&, const Mask&) override {
    refuse();
  }
  [[nodiscard]] Additive bit_product(const BilinearMap&, const BitMask&, const Mask&) override { refuse(); }
  [[nodiscard]] TruncationPair truncation(Words&, std::size_t, unsigned) override { refuse(); }
  [[nodiscard]] Triples triples(std::size_t, unsigned, Group) override { refuse(); }
  [[nodiscard]] BitMask random_bits(std::size_t, unsigned) override { refuse(); }
  [[nodiscard]] Additive bits_as_numbers(const BitMask&, std::size_t, std::size_t, unsigned, unsigned) override {
    refuse();
  }
  void digit_tables(const Tables&, bool, const IndexMask&, std::span<std::uint64_t>) override { refuse(); }
  void borrow_tables(const Tables&, const IndexMask&, unsigned, const IndexMask&, std::span<std::uint64_t>) override {
    refuse();
  }
  void winner_tables(const Tables&, const IndexMask&, const ValueGroups&, const Samples&,
                     std::span<std::uint64_t>) override {
    refuse();
  }
  void table(const Tables&, const IndexMask&, const TableFunction&, std::span<std::uint64_t>) override { refuse(); }
  [[nodiscard]] Samples samples(std::size_t, std::size_t, Exploration) override { refuse(); }
  [[nodiscard]] Additive explored_places(std::size_t, std::size_t, const Samples&) override { refuse(); }
  [[nodiscard]] IndexMask pair_masks(const IndexMask&, unsigned, const ValueGroups&, const Samples&) override {
    refuse();
  }
  [[nodiscard]] Mask ranked_mask(const Mask&, const Samples&, RankedWidths, const ValueGroups&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("nobody deals in this run"); }
};

}  // namespace sotto
