#include "sotto/protocol/random/prg.h"

#include "sotto/protocol/random/expansion.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/wire/hash.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using Numbers = std::vector<std::uint64_t>;

static_assert(!std::is_copy_constructible_v<Prg>);
static_assert(std::is_nothrow_move_constructible_v<Prg>);

Seed test_seed() { return Seed::insecure_from_number(7).derive("prg test"); }

std::vector<std::byte> stream_of(std::size_t count) {
  std::vector<std::byte> bytes(count);
  Prg(test_seed()).bytes(bytes);
  return bytes;
}

std::uint64_t lane_at(const std::vector<std::byte>& stream, std::size_t& position, unsigned bits) {
  std::uint64_t lane = 0;
  const std::size_t count = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  for (std::size_t i = 0; i < count; ++i) lane |= std::to_integer<std::uint64_t>(stream.at(position++)) << (8 * i);
  return lane & ring_mask(bits);
}

// Uses the key of NIST SP 800-38A, appendix F, with the counter from 0. The expected blocks are the counters 0, 1, 2
// and 599, encrypted under that key by another implementation of AES-ECB.
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

PROPERTY(PrgProperty, AnyCallsReadOneStream) {
  const auto stream = stream_of(400000);
  Prg prg(test_seed(), *draw_one_of(available_expansions()));
  std::size_t position = 0;
  const auto calls = draw_in_range<int>(1, 40);
  for (int call = 0; call < calls; ++call) {
    const auto bits = draw_in_range<unsigned>(1, 65);
    const auto lanes = draw_in_range<std::size_t>(0, draw_one_of<std::size_t>({12, 1200}));
    const auto kind = draw_in_range<int>(0, 6);
    Numbers out(lanes);
    for (std::size_t i = 0; i < lanes; ++i) out[i] = i * 0x9e3779b97f4a7c15;
    const Numbers before = out;
    if (kind == 3) {
      for (auto& word : out) word = prg.next();
    } else if (kind == 4) {
      std::vector<std::byte> bytes(lanes);
      prg.bytes(bytes);
      HOLDS(std::equal(bytes.begin(), bytes.end(), stream.begin() + static_cast<long>(position)));
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
      HOLDS(out[i] == expected);
    }
  }
}

TEST(Prg, LargeRequestsEqualSmallOnes) {
  for (const unsigned bits : {1U, 7U, 16U, 20U, 33U, 64U}) {
    Prg whole(test_seed());
    Prg pieces(test_seed());
    Numbers at_once(20000);
    whole.fill(at_once, bits);
    Numbers one_by_one(at_once.size());
    for (std::size_t i = 0; i < at_once.size(); i += 13) {
      const std::size_t count = std::min<std::size_t>(13, at_once.size() - i);
      pieces.fill(std::span(one_by_one).subspan(i, count), bits);
    }
    EXPECT_EQ(at_once, one_by_one) << bits << " bits";
  }
}

TEST(Prg, DoesNotWriteOutsideItsSpan) {
  for (const unsigned bits : {3U, 16U, 32U, 64U}) {
    Numbers words(40, 0x5555);
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
  // The allowed deviation is six standard deviations of a binomial count. The seed is fixed.
  const double mean = static_cast<double>(trials) / n;
  for (const std::size_t c : count) {
    EXPECT_NEAR(static_cast<double>(c), mean, 6 * std::sqrt(mean * (1 - 1.0 / n)));
  }
}

// With n = 3 * 2^62, a quarter of all words is at least n. With words mod n, half of the answers would be in the lower
// third.
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
  Numbers words(3);
  EXPECT_THROW(prg.fill(words, 0), std::invalid_argument);
  EXPECT_THROW(prg.add_to(words, 65), std::invalid_argument);
  EXPECT_THROW(prg.subtract_from(words, 65), std::invalid_argument);
  EXPECT_THROW(prg.xor_to(words, 0), std::invalid_argument);
  EXPECT_THROW((void)prg.below(0), std::invalid_argument);
  Prg moved = std::move(prg);
  EXPECT_THROW((void)prg.next(), std::invalid_argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_NO_THROW((void)moved.next());
}

using SeedBytes = std::array<std::byte, Seed::size>;

SeedBytes bytes_of(const Seed& seed) {
  SeedBytes bytes{};
  std::copy(seed.expose().begin(), seed.expose().end(), bytes.begin());
  return bytes;
}

SeedBytes seed_from_hex(const std::string& hex) {
  SeedBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

Seed counting_seed() { return Seed::from_bytes(seed_from_hex("000102030405060708090a0b0c0d0e0f")); }

template <class T>
concept Comparable = requires(const T& a) {
  a == a;
};

static_assert(!std::is_copy_constructible_v<Seed>);
static_assert(!std::is_copy_assignable_v<Seed>);
static_assert(std::is_nothrow_move_constructible_v<Seed>);
static_assert(!std::is_default_constructible_v<Seed>);
static_assert(!Comparable<Seed>);

TEST(Seed, GivesBackTheBytesItWasMadeOf) {
  const SeedBytes bytes = seed_from_hex("ff00112233445566778899aabbccddee");
  EXPECT_EQ(bytes_of(Seed::from_bytes(bytes)), bytes);
}

TEST(Seed, OfTheOperatingSystemIsFreshEachTime) {
  EXPECT_NE(bytes_of(Seed::from_os()), bytes_of(Seed::from_os()));
  EXPECT_NE(bytes_of(Seed::from_os()), SeedBytes{});
}

TEST(Seed, OfANumberIsTheNumber) {
  EXPECT_EQ(bytes_of(Seed::insecure_from_number(0x0102030405060708)),
            seed_from_hex("08070605040302010000000000000000"));
}

// The known answers are the first 16 bytes of HMAC-SHA256(key, label || 0x01), as in RFC 5869, computed by another
// implementation.
TEST(Seed, DerivesByHkdfExpand) {
  EXPECT_EQ(bytes_of(counting_seed().derive("")), seed_from_hex("38cda64b5181f979de628d25f58f5d92"));
  EXPECT_EQ(bytes_of(counting_seed().derive("masks")), seed_from_hex("3791951366ecffae67ed359e2b813a37"));
  EXPECT_EQ(bytes_of(counting_seed().derive(std::string(1000, 'x'))),
            seed_from_hex("22cb8c8f772744684c7305d7c6ccb053"));
}

TEST(Seed, DerivesFromLabelsUpToALimit) {
  EXPECT_NO_THROW((void)counting_seed().derive(std::string(1024, 'x')));
  EXPECT_THROW((void)counting_seed().derive(std::string(1025, 'x')), std::invalid_argument);
}

TEST(Seed, MovesAndLeavesNothing) {
  Seed from = counting_seed();
  const std::byte* storage = from.expose().data();
  Seed to = std::move(from);
  EXPECT_EQ(bytes_of(to), bytes_of(counting_seed()));
  EXPECT_TRUE(std::all_of(storage, storage + Seed::size, [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_THROW((void)from.expose(), std::invalid_argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)from.derive("label"), std::invalid_argument);
  from = std::move(to);
  EXPECT_EQ(bytes_of(from), bytes_of(counting_seed()));
  EXPECT_THROW((void)to.expose(), std::invalid_argument);  // NOLINT(bugprone-use-after-move)
}

TEST(Seed, IsWipedWhenDestroyed) {
  alignas(Seed) std::array<std::byte, sizeof(Seed)> storage{};
  Seed* seed = new (storage.data()) Seed(Seed::from_bytes(seed_from_hex("a1a2a3a4a5a6a7a8a9aaabacadaeafb0")));
  seed->~Seed();
  // The test reads the storage of the destroyed seed. No byte of the secret may be left.
  const volatile std::byte* left = storage.data();
  for (std::size_t i = 0; i < Seed::size; ++i) {
    EXPECT_EQ(std::to_integer<int>(left[i]) & 0xa0, 0) << "byte " << i;
  }
}

}  // namespace
}  // namespace sotto
