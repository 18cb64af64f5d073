// Tests of the transcripts: is a word of a view uniform, and does it look alike for two secrets?
//
// Every decision compares a Kolmogorov-Smirnov distance on a grid of 16 cells with a bound that is proven for every
// sample size and every distribution:
//
//   comparison                      bound                        source
//   sample and uniform              P(D > d) <= 2 exp(-2 N d^2)  Dvoretzky, Kiefer, Wolfowitz; Massart 1990
//   two samples, each of N >= 458   P(D > d) <= 2 exp(-N d^2)    Wei and Dudley 2012
//
// D is the measured distance, d is the limit, and N is the size of a sample.
//
// Each word is placed on the grid twice: by its top four bits, and by its low four bits in reverse order. The top bits
// show a mask that is too short, and the low bits show a mask that begins too high. For a single bit, the distribution
// has two points. In addition, one chi-square is computed over all bytes of a view. The chi-square is compared with the
// tail bound of Laurent and Massart 2000 for its limit distribution, which needs thousands of bytes.
//
// The class Examination counts the decisions that it makes. Each decision is a false alarm with a probability of at
// most a fixed level. The level times the number of decisions bounds the probability of any false alarm in a test.
#pragma once

#include "tests/framework.h"

namespace sotto::privacy {

inline constexpr std::size_t repetitions = 460;
inline constexpr double level = 1e-13;

// A value above one of these limits is a finding.
[[nodiscard]] double uniformity_limit();
[[nodiscard]] double likeness_limit();
[[nodiscard]] double bytes_limit();

// The samples of one word of a view, which is an element of Z/2^bits. For each of the two secrets, every repetition
// gives one sample.
using Samples = std::array<std::uint64_t, repetitions>;
struct Word {
  std::string name;
  unsigned bits = 64;
  std::array<Samples, 2> under{};
};

enum class Expect { uniform_and_alike, alike };

class Examination {
 public:
  // Examines the top, low and single bits of a word.
  void word(const Word& word, Expect expect);
  // Examines the difference, sum and XOR of two words, in the smaller ring of the two.
  void pair(const Word& a, const Word& b, Expect expect);
  // Examines how often each value of a byte occurs among all counted bytes.
  void bytes(const std::string& name, const std::array<std::uint64_t, 256>& counts);

  [[nodiscard]] std::uint64_t decisions() const { return decisions_; }
  // The findings, at most the first hundred; empty if there are none.
  [[nodiscard]] const std::vector<std::string>& findings() const { return findings_; }

 private:
  struct Grid {
    std::array<std::array<std::uint32_t, 16>, 2> high{}, low{};
  };
  template <class ValueOf>
  static Grid counted(unsigned bits, ValueOf value_of);
  template <class Combine>
  void combined(const Word& a, const Word& b, const char* operation, Expect expect, Combine combine);
  void judge(const Grid& grid, unsigned bits, const std::string& a, const char* operation, const std::string& b,
             Expect expect);
  void judge_bits(const Word& word, Expect expect);
  void find(std::string finding);

  std::uint64_t decisions_ = 0;
  std::vector<std::string> findings_;
};

}  // namespace sotto::privacy
