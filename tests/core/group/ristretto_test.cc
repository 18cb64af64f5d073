#include "sotto/protocol/group/ristretto.h"

#include <algorithm>
#include <string>

#include "sotto/protocol/wire/hash.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto {
namespace {

std::array<std::byte, 32> bytes32(const std::string& hex_digits) {
  std::array<std::byte, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::stoul(hex_digits.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

const std::string oprf_domain = [] {
  std::string domain = "HashToGroup-OPRFV1-";
  domain += '\0';
  return domain + "-ristretto255-SHA512";
}();
const std::string oprf_blind = "64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706";
const std::string oprf_key = "5ebcea5ee37023ccb9fc2d2019f9d7737be85591ae8652ffa9ef0f4d37063b0e";

// The vectors are those of RFC 9497, appendix A.1.1: the input, the blinded element and the evaluated element. They
// also cover the mapping of 64 bytes to elements, which this library uses only as the last step of hash_to_group.
TEST(Ristretto, HashesAndRaisesAsRfc9497Has) {
  struct Vector {
    std::string input, blinded, evaluated;
  };
  const Vector vectors[] = {
      {std::string(1, '\0'), "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c",
       "7ec6578ae5120958eb2db1745758ff379e77cb64fe77b0b2d8cc917ea0869c7e"},
      {std::string(17, '\x5a'), "da27ef466870f5f15296299850aa088629945a17d1f5b7f5ff043f76b3c06418",
       "b4cbf5a4f1eeda5a63ce7b77c7d23f461db3fcab0dd28e4e17cecb5c90d02c25"},
  };
  const auto blind = GroupScalar::from_bytes(bytes32(oprf_blind));
  const auto key = GroupScalar::from_bytes(bytes32(oprf_key));
  ASSERT_TRUE(blind && key);
  for (const Vector& v : vectors) {
    const auto blinded = power(hash_to_group(v.input, oprf_domain), *blind);
    ASSERT_TRUE(blinded);
    EXPECT_EQ(hex(*blinded), v.blinded);
    EXPECT_EQ(hex(power(*blinded, *key).value()), v.evaluated);
  }
}

// The vectors are those of RFC 9496, appendix A.1: multiples of the generator.
TEST(Ristretto, EncodesAsRfc9496Has) {
  const GroupElement generator = bytes32("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76");
  const std::string multiples[] = {"6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
                                   "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
                                   "da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57",
                                   "e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e",
                                   "f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403",
                                   "44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d",
                                   "903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c",
                                   "02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031",
                                   "20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f",
                                   "bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42",
                                   "e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460",
                                   "aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f",
                                   "46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e",
                                   "e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e"};
  std::array<std::byte, 32> n{};
  GroupElement last = generator;
  for (std::size_t i = 0; i < std::size(multiples); ++i) {
    n[0] = static_cast<std::byte>(i + 2);
    const auto scalar = GroupScalar::from_bytes(n);
    EXPECT_EQ(hex(power(generator, *scalar).value()), multiples[i]) << i + 2;
    EXPECT_EQ(hex(power_of_generator(*scalar)), multiples[i]) << i + 2;
    const GroupElement next = group_product(last, generator).value();
    EXPECT_EQ(hex(next), multiples[i]) << i + 2;
    EXPECT_EQ(group_quotient(next, generator), last) << i + 2;
    last = next;
  }
}

// The refused encodings are those of RFC 9496, appendix A.2.
TEST(Ristretto, RefusesWhatEncodesNothing) {
  const GroupElement good = random_element();
  const std::string bad[] = {"00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                             "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                             "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                             "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                             "0100000000000000000000000000000000000000000000000000000000000000",
                             "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                             "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
                             "c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562",
                             "c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78",
                             "47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24",
                             "f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72",
                             "87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309",
                             "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
                             "4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f",
                             "de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b",
                             "bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042",
                             "2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08",
                             "f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22",
                             "8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731",
                             "2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b",
                             "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
                             "a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220",
                             "d483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e",
                             "8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32",
                             "32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b",
                             "227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165",
                             "5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e",
                             "445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b",
                             "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"};
  for (const std::string& encoding : bad) {
    const GroupElement element = bytes32(encoding);
    EXPECT_FALSE(power(element, GroupScalar::from_os())) << encoding;
    EXPECT_FALSE(group_product(element, good)) << encoding;
    EXPECT_FALSE(group_product(good, element)) << encoding;
    EXPECT_FALSE(group_quotient(element, good)) << encoding;
    EXPECT_FALSE(group_quotient(good, element)) << encoding;
  }
  const GroupElement neutral{};
  EXPECT_FALSE(power(neutral, GroupScalar::from_os()));
  EXPECT_EQ(group_product(neutral, good), good);
  EXPECT_EQ(group_quotient(good, good), neutral);
}

TEST(Ristretto, RefusesScalarsThatAreNone) {
  std::array<std::byte, 32> zero{};
  EXPECT_FALSE(GroupScalar::from_bytes(zero));
  const std::string order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
  EXPECT_FALSE(GroupScalar::from_bytes(bytes32(order)));
  std::array<std::byte, 32> largest = bytes32(order);
  largest[0] = std::byte{0xec};
  EXPECT_TRUE(GroupScalar::from_bytes(largest));
  std::array<std::byte, 32> all_ones;
  all_ones.fill(std::byte{0xff});
  EXPECT_FALSE(GroupScalar::from_bytes(all_ones));
}

PROPERTY(RistrettoProperty, PowersCommuteAndInvert) {
  const auto text = draw<std::string>();
  const GroupScalar a = GroupScalar::from_os();
  const GroupScalar b = GroupScalar::from_os();
  const GroupElement element = hash_to_group(text, "test");
  const GroupElement ab = power(power(element, a).value(), b).value();
  HOLDS(ab == power(power(element, b).value(), a).value());
  HOLDS(ab == power(element, a.times(b)).value());
  HOLDS(power(power(ab, a.inverse()).value(), b.inverse()).value() == element);
}

TEST(Ristretto, DomainsAreKeptApart) {
  EXPECT_NE(hash_to_group("a", "one"), hash_to_group("a", "two"));
  EXPECT_THROW((void)hash_to_group("a", ""), std::invalid_argument);
  EXPECT_THROW((void)hash_to_group("a", std::string(256, 'x')), std::invalid_argument);
}

TEST(Ristretto, AScalarThatWasMovedAwayHoldsNothing) {
  GroupScalar from = GroupScalar::from_os();
  const GroupScalar to = std::move(from);
  EXPECT_TRUE(std::all_of(from.expose().begin(), from.expose().end(), [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_THROW((void)from.inverse(), std::invalid_argument);
  EXPECT_FALSE(GroupScalar::from_bytes(from.expose()));
  EXPECT_TRUE(GroupScalar::from_bytes(to.expose()));
}

}  // namespace
}  // namespace sotto
