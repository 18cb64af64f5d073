#include "tests/privacy/statistics.h"

namespace sotto::privacy {

namespace {

constexpr std::size_t most_findings = 100;
constexpr double count_of_samples = repetitions;

std::uint64_t ring_of(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }

// For each value of the low four bits, the number of its cell (0 to 15): the four bits in reverse order.
constexpr std::array<std::uint8_t, 16> backwards{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

// The number of the cell (0 to 15) given by the top bits. Rings of fewer than four bits use every second, fourth or
// eighth cell.
unsigned high_cell(std::uint64_t word, unsigned bits) {
  return static_cast<unsigned>(bits >= 4 ? word >> (bits - 4) : word << (4 - bits));
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

std::array<std::uint32_t, 64> set_bits(const Samples& samples) {
  constexpr std::size_t at_once = 230;
  static_assert(repetitions % at_once == 0);
  std::array<std::uint32_t, 64> set{};
  for (std::size_t first = 0; first < repetitions; first += at_once) {
    // Byte j of counts[i] counts bit 8 j + i.
    std::array<std::uint64_t, 8> counts{};
    for (std::size_t k = first; k < first + at_once; ++k) {
      for (unsigned i = 0; i < 8; ++i) counts[i] += samples[k] >> i & 0x0101010101010101;
    }
    for (unsigned bit = 0; bit < 64; ++bit) set[bit] += counts[bit % 8] >> (bit / 8 * 8) & 255;
  }
  return set;
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
  const std::array<std::array<std::uint32_t, 64>, 2> set{set_bits(word.under[0]), set_bits(word.under[1])};
  for (unsigned bit = 0; bit < word.bits; ++bit) {
    const std::array<double, 2> ones{set[0][bit] / count_of_samples, set[1][bit] / count_of_samples};
    const auto found = [&](const std::string& what) { find(word.name + ", bit " + std::to_string(bit) + what); };
    if (expect == Expect::uniform_and_alike) {
      decisions_ += 2;
      for (const double share : ones) {
        if (std::abs(share - 0.5) > uniformity_limit()) found(": set in a share of " + std::to_string(share));
      }
    }
    ++decisions_;
    if (std::abs(ones[0] - ones[1]) > likeness_limit()) {
      found(": tells the secrets apart, set in " + std::to_string(ones[0]) + " and " + std::to_string(ones[1]));
    }
  }
}

template <class ValueOf>
Examination::Grid Examination::counted(unsigned bits, ValueOf value_of) {
  Grid grid;
  for (unsigned secret = 0; secret < 2; ++secret) {
    std::array<std::uint16_t, 256> both{};
    for (std::size_t i = 0; i < repetitions; ++i) {
      const std::uint64_t value = value_of(secret, i);
      ++both[high_cell(value, bits) << 4 | (value & 15)];
    }
    std::array<std::uint16_t, 16> low{};
    for (unsigned high = 0; high < 16; ++high) {
      const std::uint16_t* const row = both.data() + std::size_t{16} * high;
      for (unsigned i = 0; i < 16; ++i) low[i] = static_cast<std::uint16_t>(low[i] + row[i]);
      grid.high[secret][high] = std::accumulate(row, row + 16, 0U);
    }
    for (unsigned i = 0; i < 16; ++i) grid.low[secret][backwards[i]] = low[i];
  }
  return grid;
}

void Examination::word(const Word& word, Expect expect) {
  const Grid grid = counted(word.bits, [&](unsigned secret, std::size_t i) { return word.under[secret][i]; });
  judge(grid, word.bits, word.name, "", "", expect);
  judge_bits(word, expect);
}

template <class Combine>
void Examination::combined(const Word& a, const Word& b, const char* operation, Expect expect, Combine combine) {
  const unsigned bits = std::min(a.bits, b.bits);
  const Grid grid = counted(bits, [&, ring = ring_of(bits)](unsigned secret, std::size_t i) {
    return combine(a.under[secret][i], b.under[secret][i]) & ring;
  });
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
  if (total < 256 * 20) return;  // too few bytes for the limit distribution
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
