#include "apps/kit/store/seal.h"

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

// If a virtual machine is copied, both copies draw the same random bytes for their nonces.
TEST(SealingNonces, OfARoleThatIsResumedTwiceSealNoTwoRows) {
  const SealingKey key = key_of(1);
  SealingNonces nonces;
  (void)nonces.next();
  SealingNonces copy = nonces;
  const auto nonce_of = [](const std::vector<std::byte>& sealed) {
    return std::vector<std::byte>(sealed.begin(), sealed.begin() + 12);
  };
  for (int i = 0; i < 256; ++i) {
    const std::vector<std::byte> one = key.seal(bytes("one row"), "here", nonces);
    const std::vector<std::byte> other =
        key.seal(bytes(i % 2 == 0 ? "another" : "one row"), i % 2 == 0 ? "here" : "there", copy);
    EXPECT_NE(nonce_of(one), nonce_of(other)) << i;
    EXPECT_EQ(key.open(other, i % 2 == 0 ? "here" : "there"), bytes(i % 2 == 0 ? "another" : "one row"));
  }
  SealingNonces again = copy;
  EXPECT_EQ(key.seal(bytes("one row"), "here", copy), key.seal(bytes("one row"), "here", again)) << "they are one row";
}

// Another implementation sealed these bytes, with a nonce that consists only of fresh random bytes.
TEST(SealingKey, OpensRowsOfEarlierVersions) {
  std::vector<std::byte> sealed;
  for (const int byte :
       {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0xfd, 0x39, 0xb1, 0xb7, 0xd1,
        0x98, 0xfa, 0xbe, 0x52, 0xdf, 0xc7, 0xd1, 0x87, 0xe3, 0x05, 0xd8, 0x29, 0x76, 0x4b, 0x5a, 0x11, 0x44,
        0x2e, 0xfa, 0xee, 0x1f, 0x93, 0x2c, 0x69, 0x3a, 0x2f, 0x84, 0x80, 0x86, 0x71, 0xbf, 0x37})
    sealed.push_back(static_cast<std::byte>(byte));
  EXPECT_EQ(key_of(1).open(sealed, "here"), bytes("a row of an old store"));
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
