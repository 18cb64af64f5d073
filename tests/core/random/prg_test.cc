#include "sotto/core/random/prg.h"

#include "sotto/core/random/expansion.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/wire/hex.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;

static_assert(!std::is_copy_constructible_v<Prg>);
static_assert(std::is_nothrow_move_constructible_v<Prg>);

Seed test_seed() { return Seed::insecure_from_number(7).derive("prg test"); }

std::vector<std::byte> stream_of(std::size_t count) {
  std::vector<std::byte> bytes(count);
  Prg(test_seed()).bytes(bytes);
  return bytes;
}

// What the header promises, read off the plain stream.
std::uint64_t lane_at(const std::vector<std::byte>& stream, std::size_t& position, unsigned bits) {
  std::uint64_t lane = 0;
  const std::size_t count = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  for (std::size_t i = 0; i < count; ++i) {
    lane |= std::to_integer<std::uint64_t>(stream.at(position++)) << (8 * i);
  }
  return lane & ring_mask(bits);
}

// The key of NIST SP 800-38A, appendix F, with the counter from 0. The expected blocks are AES-ECB of the counters 0,
// 1, 2 and 599 under that key, by another implementation.
TEST(Prg, IsAesInCounterMode) {
  const std::array<unsigned char, 16> key = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                             0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
  const Seed seed = Seed::from_bytes(std::as_bytes(std::span(key)));
  std::vector<std::byte> stream(600 * 16);
  const auto block = [&](std::size_t index) { return hex(std::span(stream).subspan(16 * index, 16)); };
  for (const Expansion* table : available_expansions()) {
    Prg(seed, *table).bytes(stream);
    EXPECT_EQ(block(0), "7df76b0c1ab899b33e42f047b91b546f") << table->name;
    EXPECT_EQ(block(1), "57127d4034b1bebfaef466b9c7726fc6") << table->name;
    EXPECT_EQ(block(2), "973f2ef34879e2027f1734303ff21f89") << table->name;
    EXPECT_EQ(block(599), "78a8a9f5996714a34c020a41f605ea8a") << table->name;
  }
}

// A script of random calls gives what one run over the stream gives, across all tiles.
RC_GTEST_PROP(PrgProperty, AnyCallsReadOneStream, ()) {
  const auto stream = stream_of(400000);
  Prg prg(test_seed(), **rc::gen::elementOf(available_expansions()));
  std::size_t position = 0;
  const auto calls = *rc::gen::inRange<int>(1, 40);
  for (int call = 0; call < calls; ++call) {
    const auto bits = *rc::gen::inRange<unsigned>(1, 65);
    const auto lanes = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 12), rc::gen::inRange<std::size_t>(0, 1200));
    const auto kind = *rc::gen::inRange<int>(0, 6);
    Words out(lanes);
    for (std::size_t i = 0; i < lanes; ++i) out[i] = i * 0x9e3779b97f4a7c15;
    const Words before = out;
    if (kind == 3) {
      for (auto& word : out) word = prg.next();
    } else if (kind == 4) {
      std::vector<std::byte> bytes(lanes);
      prg.bytes(bytes);
      RC_ASSERT(std::equal(bytes.begin(), bytes.end(), stream.begin() + static_cast<long>(position)));
      position += lanes;
      continue;
    } else if (kind == 5) {
      prg.xor_to(out, bits);
    } else if (kind == 2) {
      prg.subtract_from(out, bits);
    } else {
      kind == 0 ? prg.fill(out, bits) : prg.add_to(out, bits);
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint64_t lane = lane_at(stream, position, kind == 3 ? 64 : bits);
      const std::uint64_t expected = kind == 1   ? (before[i] + lane) & ring_mask(bits)
                                     : kind == 2 ? (before[i] - lane) & ring_mask(bits)
                                     : kind == 5 ? (before[i] ^ lane) & ring_mask(bits)
                                                 : lane;
      RC_ASSERT(out[i] == expected);
    }
  }
}

TEST(Prg, LargeRequestsEqualSmallOnes) {
  for (const unsigned bits : {1U, 7U, 16U, 20U, 33U, 64U}) {
    Prg whole(test_seed());
    Prg pieces(test_seed());
    Words at_once(20000);
    whole.fill(at_once, bits);
    Words one_by_one(at_once.size());
    for (std::size_t i = 0; i < at_once.size(); i += 13) {
      const std::size_t count = std::min<std::size_t>(13, at_once.size() - i);
      pieces.fill(std::span(one_by_one).subspan(i, count), bits);
    }
    EXPECT_EQ(at_once, one_by_one) << bits << " bits";
  }
}

TEST(Prg, DoesNotWriteOutsideItsSpan) {
  for (const unsigned bits : {3U, 16U, 32U, 64U}) {
    Words words(40, 0x5555);
    Prg prg(test_seed());
    prg.fill(std::span(words).subspan(1, 38), bits);
    prg.add_to(std::span(words).subspan(1, 38), bits);
    prg.xor_to(std::span(words).subspan(1, 38), bits);
    EXPECT_EQ(words.front(), 0x5555U);
    EXPECT_EQ(words.back(), 0x5555U);
  }
}

TEST(Prg, SeedsDiffer) {
  Prg a(test_seed().derive("a"));
  Prg b(test_seed().derive("b"));
  EXPECT_NE(a.next(), b.next());
}

TEST(Prg, BelowStaysBelowAndIsUniform) {
  Prg prg(test_seed());
  EXPECT_EQ(prg.below(1), 0U);
  constexpr std::uint64_t n = 7;
  constexpr std::size_t trials = 70000;
  std::array<std::size_t, n> count{};
  for (std::size_t i = 0; i < trials; ++i) ++count.at(prg.below(n));
  // Six standard deviations of a binomial count; the seed is fixed.
  const double mean = static_cast<double>(trials) / n;
  for (const std::size_t c : count) {
    EXPECT_NEAR(static_cast<double>(c), mean, 6 * std::sqrt(mean * (1 - 1.0 / n)));
  }
}

// With n = 3 * 2^62 a quarter of all words would be answered twice; taking words mod n would give the lower third of
// the answers half the time.
TEST(Prg, BelowRejectsWhatWouldBeUneven) {
  Prg prg(test_seed());
  constexpr std::uint64_t n = std::uint64_t{3} << 62;
  constexpr int trials = 30000;
  int low = 0;
  for (int i = 0; i < trials; ++i) {
    const std::uint64_t answer = prg.below(n);
    ASSERT_LT(answer, n);
    low += answer < n / 3 ? 1 : 0;
  }
  EXPECT_NEAR(low, trials / 3, 6 * std::sqrt(trials * 2 / 9.0));
}

TEST(Prg, RefusesBadArguments) {
  Prg prg(test_seed());
  Words words(3);
  EXPECT_THROW(prg.fill(words, 0), std::invalid_argument);
  EXPECT_THROW(prg.add_to(words, 65), std::invalid_argument);
  EXPECT_THROW(prg.subtract_from(words, 65), std::invalid_argument);
  EXPECT_THROW(prg.xor_to(words, 0), std::invalid_argument);
  EXPECT_THROW((void)prg.below(0), std::invalid_argument);
  Prg moved = std::move(prg);
  EXPECT_THROW((void)prg.next(), std::invalid_argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_NO_THROW((void)moved.next());
}

}  // namespace
}  // namespace sotto
