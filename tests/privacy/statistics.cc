#include "tests/privacy/statistics.h"

namespace sotto::privacy {
namespace {

constexpr std::size_t most_findings = 100;
constexpr double count_of_samples = repetitions;

std::uint64_t ring_of(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }

// Which cell of 16 by the top bits; rings of fewer cells use every second, fourth or eighth.
unsigned high_cell(std::uint64_t word, unsigned bits) {
  return static_cast<unsigned>(bits >= 4 ? word >> (bits - 4) : word << (4 - bits));
}
unsigned low_cell(std::uint64_t word) {
  constexpr std::array<std::uint8_t, 16> backwards{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  return backwards[word & 15];
}

// The distance of the empirical distribution from the uniform one on 2^bits values, bits <= 4.
double from_uniform(const std::array<std::uint32_t, 16>& counts, unsigned bits) {
  const unsigned step = 16u >> std::min(bits, 4u);
  double distance = 0;
  std::uint32_t sum = 0;
  for (unsigned cell = 0; cell < 16; ++cell) {
    sum += counts[cell];
    const double expected = (cell / step + 1) * step / 16.0;
    distance = std::max(distance, std::abs(sum / count_of_samples - expected));
  }
  return distance;
}

double from_each_other(const std::array<std::array<std::uint32_t, 16>, 2>& counts) {
  double distance = 0;
  std::int64_t difference = 0;
  for (unsigned cell = 0; cell < 16; ++cell) {
    difference += static_cast<std::int64_t>(counts[0][cell]) - counts[1][cell];
    distance = std::max(distance, std::abs(static_cast<double>(difference)) / count_of_samples);
  }
  return distance;
}

}  // namespace

double uniformity_limit() { return std::sqrt(std::log(2 / level) / (2 * count_of_samples)); }
double likeness_limit() { return std::sqrt(std::log(2 / level) / count_of_samples); }
double bytes_limit() {
  const double x = std::log(1 / level);
  return 255 + 2 * std::sqrt(255 * x) + 2 * x;
}

void Examination::find(std::string finding) {
  if (findings_.size() < most_findings) findings_.push_back(std::move(finding));
}

void Examination::judge(const Grid& grid, unsigned bits, const std::string& a, const char* operation,
                        const std::string& b, Expect expect) {
  const auto look = [&](const std::array<std::array<std::uint32_t, 16>, 2>& counts, const char* which) {
    if (expect == Expect::uniform_and_alike) {
      for (const auto& under : counts) {
        ++decisions_;
        const double distance = from_uniform(under, bits);
        if (distance > uniformity_limit()) {
          find(a + operation + b + ", " + which + " bits: not uniform, distance " + std::to_string(distance));
        }
      }
    }
    ++decisions_;
    const double distance = from_each_other(counts);
    if (distance > likeness_limit()) {
      find(a + operation + b + ", " + which + " bits: tells the secrets apart, distance " + std::to_string(distance));
    }
  };
  look(grid.high, "top");
  if (bits >= 4) look(grid.low, "low");
}

void Examination::judge_bits(const Word& word, Expect expect) {
  for (unsigned bit = 0; bit < word.bits; ++bit) {
    std::array<double, 2> ones{};
    for (unsigned secret = 0; secret < 2; ++secret) {
      std::uint64_t sum = 0;
      for (const std::uint64_t value : word.under[secret]) sum += (value >> bit) & 1;
      ones[secret] = static_cast<double>(sum) / count_of_samples;
    }
    const std::string name = word.name + ", bit " + std::to_string(bit);
    if (expect == Expect::uniform_and_alike) {
      decisions_ += 2;
      for (const double share : ones) {
        if (std::abs(share - 0.5) > uniformity_limit()) find(name + ": set in a share of " + std::to_string(share));
      }
    }
    ++decisions_;
    if (std::abs(ones[0] - ones[1]) > likeness_limit()) {
      find(name + ": tells the secrets apart, set in " + std::to_string(ones[0]) + " and " + std::to_string(ones[1]));
    }
  }
}

void Examination::word(const Word& word, Expect expect) {
  Grid grid;
  for (unsigned secret = 0; secret < 2; ++secret) {
    for (const std::uint64_t value : word.under[secret]) {
      ++grid.high[secret][high_cell(value, word.bits)];
      ++grid.low[secret][low_cell(value)];
    }
  }
  judge(grid, word.bits, word.name, "", "", expect);
  judge_bits(word, expect);
}

template <class Combine>
void Examination::combined(const Word& a, const Word& b, const char* operation, Expect expect, Combine combine) {
  const unsigned bits = std::min(a.bits, b.bits);
  const std::uint64_t ring = ring_of(bits);
  Grid grid;
  for (unsigned secret = 0; secret < 2; ++secret) {
    const Samples& x = a.under[secret];
    const Samples& y = b.under[secret];
    for (std::size_t i = 0; i < repetitions; ++i) {
      const std::uint64_t value = combine(x[i], y[i]) & ring;
      ++grid.high[secret][high_cell(value, bits)];
      ++grid.low[secret][low_cell(value)];
    }
  }
  judge(grid, bits, a.name, operation, b.name, expect);
}

void Examination::pair(const Word& a, const Word& b, Expect expect) {
  combined(a, b, " - ", expect, [](std::uint64_t x, std::uint64_t y) { return x - y; });
  combined(a, b, " + ", expect, [](std::uint64_t x, std::uint64_t y) { return x + y; });
  combined(a, b, " xor ", expect, [](std::uint64_t x, std::uint64_t y) { return x ^ y; });
}

void Examination::bytes(const std::string& name, const std::array<std::uint64_t, 256>& counts) {
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  if (total < 256 * 20) return;  // too few for the limit distribution
  double sum = 0;
  const double expected = total / 256;
  for (const std::uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  ++decisions_;
  if (sum > bytes_limit()) find(name + ": chi-square of all bytes " + std::to_string(sum));
}

}  // namespace sotto::privacy
