#include "sotto/core/random/seed.h"
#include "tests/framework.h"

namespace sotto {
namespace {

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

// Known answers: the first 16 bytes of HMAC-SHA256(key, label || 0x01), as RFC 5869 says, by another implementation.
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
  // Read the storage itself: no byte of the secret may be left in it.
  const volatile std::byte* left = storage.data();
  for (std::size_t i = 0; i < Seed::size; ++i) {
    EXPECT_EQ(std::to_integer<int>(left[i]) & 0xa0, 0) << "byte " << i;
  }
}

}  // namespace
}  // namespace sotto
