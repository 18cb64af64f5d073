#include "sotto/apps/kit/store/seal.h"

#include <random>
#include <set>

#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::vector<std::byte> bytes(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

SealingKey key_of(unsigned char fill, const std::string& purpose = "rows of party 0") {
  return SealingKey::derive(std::vector<std::byte>(32, std::byte{fill}), purpose);
}

TEST(SealingKey, OpensWhatItSealed) {
  const SealingKey key = key_of(1);
  for (const std::string& text : {std::string(), std::string("a"), std::string(10'000, 'x')}) {
    const std::vector<std::byte> sealed = key.seal(bytes(text), "here");
    EXPECT_EQ(sealed.size(), text.size() + SealingKey::overhead);
    const auto opened = key.open(sealed, "here");
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(*opened, bytes(text));
  }
}

TEST(SealingKey, OpensNothingElse) {
  const SealingKey key = key_of(1);
  const std::vector<std::byte> sealed = key.seal(bytes("a row of a store"), "here");
  EXPECT_FALSE(key.open(sealed, "there").has_value());
  EXPECT_FALSE(key_of(2).open(sealed, "here").has_value());
  EXPECT_FALSE(key_of(1, "rows of party 1").open(sealed, "here").has_value());
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::vector<std::byte> changed = sealed;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(key.open(changed, "here").has_value()) << i;
    EXPECT_FALSE(key.open(std::span(sealed).first(i), "here").has_value()) << i;
  }
}

// However many are drawn ahead, and when.
TEST(SealingNonces, AreGivenOnce) {
  const SealingKey key = key_of(1);
  SealingNonces nonces;
  std::mt19937 random(7);
  std::set<std::vector<std::byte>> seen;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 40 == 0) nonces.top_up();
    const std::vector<std::byte> sealed = key.seal(bytes("the same"), "here", nonces);
    seen.insert({sealed.begin(), sealed.begin() + 12});
    ASSERT_EQ(key.open(sealed, "here"), bytes("the same"));
  }
  EXPECT_EQ(seen.size(), 5000u);
}

TEST(SealingKey, TakesAFreshNonceEveryTime) {
  const SealingKey key = key_of(1);
  std::set<std::vector<std::byte>> seen;
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::byte> sealed = key.seal(bytes("the same"), "here");
    seen.insert({sealed.begin(), sealed.begin() + 12});
  }
  EXPECT_EQ(seen.size(), 200u);
}

TEST(SealingKey, TakesNoShortSecret) {
  EXPECT_THROW((void)SealingKey::derive(std::vector<std::byte>(15), "x"), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
