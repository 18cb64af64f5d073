// Examines transcripts by a rank over GF(2): is the sum of some words of a view always even, or always odd?
// docs/explain/privacy.md says what is examined and why. Some words of a view follow from the other words by the
// structure of the program. The examination leaves out these words:
//
//   Members' messages       follow from the members' inputs and from the rest of the members' view.
//   One word per output     The shares that open an output, in the slots that the experiment names, add up to the
//                           output. So the last share from outside follows from the other
//                           shares, whatever the output is.
//   Padding                 Boolean messages are packed into whole words. Bits that carry no lane are padding.
//   An owner's own input    is fixed, and is no word of the view, because only the masked form of the input was sent.
//
// Each view is examined three times:
// - by the lowest bit of each word as received;
// - by the same bits, where each opening (the sum of all its shares) replaces the last share from outside. A share
//   contains products of masks and opened words, but an opening does not, so relations between masks stay linear;
// - by some higher bit of each word, because no carry may reveal anything about another word.
// Every bit of a Boolean word is examined.
#pragma once

#include "tests/framework.h"
#include "tests/privacy/experiment.h"

namespace sotto::privacy {

struct RankOutcome {
  std::size_t views = 0;
  std::size_t runs = 0;
  std::size_t most_words = 0;
  std::vector<std::string> findings;
};

// Examines all groups of n-1 of the n parties, with and without the actor or the rewarder. Also examines the actor, the
// rewarder and the dealer, each by itself.
[[nodiscard]] RankOutcome examine_rank(const Experiment& experiment, std::size_t parties);

// Rows of bits, all zero at first; 64 to a word.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t columns)
      : columns_(columns), words_((columns + 63) / 64), bits_(rows * words_, 0) {}

  [[nodiscard]] std::size_t rows() const { return words_ == 0 ? 0 : bits_.size() / words_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::span<std::uint64_t> row(std::size_t i) { return std::span(bits_).subspan(i * words_, words_); }
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t i) const {
    return std::span(bits_).subspan(i * words_, words_);
  }
  void put(std::size_t i, std::size_t column, std::uint64_t bit) { row(i)[column / 64] |= (bit & 1) << (column % 64); }
  [[nodiscard]] bool at(std::size_t i, std::size_t column) const {
    return (row(i)[column / 64] >> (column % 64) & 1) != 0;
  }

 private:
  std::size_t columns_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Returns the numbers of some rows that add up to zero, in ascending order; nothing if the rows are linearly
// independent. R rows of uniform bits in R + 63 columns are dependent with a probability below 2^-63.
[[nodiscard]] std::optional<std::vector<std::size_t>> relation(const BitRows& rows);

}  // namespace sotto::privacy
