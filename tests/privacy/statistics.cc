#include "tests/privacy/statistics.h"

namespace sotto::privacy {
namespace {

constexpr std::size_t most_findings = 100;
constexpr double count_of_samples = repetitions;

std::uint64_t ring_of(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }

// The cell of 16 of each low nibble, read backwards.
constexpr std::array<std::uint8_t, 16> backwards{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

// Which cell of 16 by the top bits; rings of fewer cells use every second, fourth or eighth.
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

// How many samples have each bit set.
std::array<std::uint32_t, 64> set_bits(const Samples& samples) {
  constexpr std::size_t at_once = 230;  // a byte counts them
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

// How often a - b, a + b and a ^ b are each of 0 to 15, from how often each pair is.
struct Folded {
  using Cells = std::array<std::uint8_t, repetitions>;
  using Counts = std::array<std::uint16_t, 16>;
  Counts difference{}, sum{}, exclusive{};

  Folded(const Cells& a, const Cells& b) {
    std::array<Counts, 16> pairs{};
    for (std::size_t i = 0; i < repetitions; ++i) ++pairs[a[i]][b[i]];
    Counts negative{};  // b - a
    for (unsigned x = 0; x < 16; ++x) {
      std::array<std::uint16_t, 32> twice;
      std::copy(pairs[x].begin(), pairs[x].end(), twice.begin());
      std::copy(pairs[x].begin(), pairs[x].end(), twice.begin() + 16);
      for (unsigned k = 0; k < 16; ++k) sum[k] = static_cast<std::uint16_t>(sum[k] + twice[16 - x + k]);
      for (unsigned k = 0; k < 16; ++k) negative[k] = static_cast<std::uint16_t>(negative[k] + twice[x + k]);
    }
    for (unsigned k = 0; k < 16; ++k) difference[k] = negative[(16 - k) % 16];
    // Rows x and x + half become one, with the columns of one of them exchanged.
    exchange<8>(pairs);
    exchange<4>(pairs);
    exchange<2>(pairs);
    exchange<1>(pairs);
    exclusive = pairs[0];
  }

 private:
  template <unsigned half>
  static void exchange(std::array<Counts, 16>& rows) {
    for (unsigned x = 0; x < half; ++x) {
      for (unsigned y = 0; y < 16; ++y) rows[x][y] = static_cast<std::uint16_t>(rows[x][y] + rows[x + half][y ^ half]);
    }
  }
};

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

void Examination::word(const Word& word, Expect expect) {
  Grid grid;
  for (unsigned secret = 0; secret < 2; ++secret) {
    for (const std::uint64_t value : word.under[secret]) {
      ++grid.high[secret][high_cell(value, word.bits)];
      ++grid.low[secret][backwards[value & 15]];
    }
  }
  judge(grid, word.bits, word.name, "", "", expect);
  judge_bits(word, expect);
}

std::array<PairedWord::Cells, 2> PairedWord::cells(unsigned bits) const {
  std::array<Cells, 2> result;
  for (unsigned secret = 0; secret < 2; ++secret) {
    for (std::size_t i = 0; i < repetitions; ++i) {
      const std::uint64_t value = word->under[secret][i] & ring_of(bits);
      result[secret].top[i] = static_cast<std::uint8_t>(high_cell(value, bits));
      result[secret].low[i] = value & 15;
    }
  }
  return result;
}

void Examination::pair(const PairedWord& a, const PairedWord& b, Expect expect) {
  const unsigned bits = std::min(a.word->bits, b.word->bits);
  if (bits < a.word->bits || bits < b.word->bits) {
    const PairedWord& wide = bits < a.word->bits ? a : b;
    PairedWord cut = wide;
    cut.under = wide.cells(bits);
    return &wide == &a ? pair_cells(cut, b, bits, expect) : pair_cells(a, cut, bits, expect);
  }
  pair_cells(a, b, bits, expect);
}

void Examination::pair_cells(const PairedWord& a, const PairedWord& b, unsigned bits, Expect expect) {
  Grid difference, sum, exclusive;
  for (unsigned secret = 0; secret < 2; ++secret) {
    const Folded top(a.under[secret].top, b.under[secret].top);
    const Folded low(a.under[secret].low, b.under[secret].low);
    for (unsigned cell = 0; cell < 16; ++cell) {
      difference.high[secret][cell] = top.difference[cell];
      sum.high[secret][cell] = top.sum[cell];
      exclusive.high[secret][cell] = top.exclusive[cell];
      difference.low[secret][backwards[cell]] = low.difference[cell];
      sum.low[secret][backwards[cell]] = low.sum[cell];
      exclusive.low[secret][backwards[cell]] = low.exclusive[cell];
    }
  }
  judge(difference, bits, a.word->name, " - ", b.word->name, expect);
  judge(sum, bits, a.word->name, " + ", b.word->name, expect);
  judge(exclusive, bits, a.word->name, " xor ", b.word->name, expect);
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
