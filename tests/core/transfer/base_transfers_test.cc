#include "core/transfer/extension_set_up.h"

#include "sotto/protocol/wire/hash.h"
#include "tests/framework.h"

namespace sotto {
namespace {

using Bytes = std::vector<std::byte>;

TransferLabel some_label() {
  TransferLabel label;
  label.session.fill(std::byte{7});
  label.sender = 1;
  label.number = 3;
  return label;
}

std::string text_of(const Seed& key) { return hex(key.expose()); }

TEST(BaseTransfers, GiveTheChosenKeyOfEachPair) {
  const SecretVector<std::uint8_t> choices = {0, 1, 1, 0, 1};
  const BaseReceiver receiver(some_label(), "sender", choices);
  const BaseSender sender(some_label(), "receiver", choices.size());
  EXPECT_EQ(receiver.message().size(), choices.size() * base_receiver_bytes);
  EXPECT_EQ(sender.message().size(), choices.size() * base_sender_bytes);
  const auto both = sender.keys(receiver.message());
  const auto chosen = receiver.keys(sender.message());
  std::set<std::string> all;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    EXPECT_EQ(text_of(chosen[i]), text_of(both[i][choices[i]])) << i;
    for (const Seed& key : both[i]) all.insert(text_of(key));
  }
  EXPECT_EQ(all.size(), 2 * choices.size());
}

TEST(BaseTransfers, OfNoneAreEmpty) {
  const BaseReceiver receiver(some_label(), "sender", {});
  const BaseSender sender(some_label(), "receiver", 0);
  EXPECT_TRUE(sender.keys(receiver.message()).empty());
  EXPECT_TRUE(receiver.keys(sender.message()).empty());
}

TEST(BaseTransfers, OfOtherLabelsAgreeOnNothing) {
  std::vector<TransferLabel> others(3, some_label());
  others[0].session[15] = std::byte{8};
  others[1].sender = 2;
  others[2].number = 4;
  const BaseReceiver receiver(some_label(), "sender", {0, 1});
  for (const TransferLabel& other : others) {
    const BaseSender sender(other, "receiver", 2);
    const auto both = sender.keys(receiver.message());
    const auto chosen = receiver.keys(sender.message());
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NE(text_of(chosen[i]), text_of(both[i][0]));
      EXPECT_NE(text_of(chosen[i]), text_of(both[i][1]));
    }
  }
  const BaseSender sender(some_label(), "receiver", 2);
  Bytes exchanged = receiver.message();
  std::rotate(exchanged.begin(), exchanged.begin() + base_receiver_bytes, exchanged.end());
  Bytes answer = sender.message();
  const auto both = sender.keys(exchanged);
  std::rotate(answer.begin(), answer.begin() + base_sender_bytes, answer.end());
  const auto chosen = receiver.keys(answer);
  EXPECT_NE(text_of(chosen[0]), text_of(both[1][0]));
  EXPECT_NE(text_of(chosen[1]), text_of(both[0][1]));
}

// One flipped bit in a peer's message changes the key, even if the message is still a valid element, because the
// transcript is hashed.
TEST(BaseTransfers, HashTheTranscript) {
  const BaseReceiver receiver(some_label(), "sender", {0});
  const BaseSender sender(some_label(), "receiver", 1);
  Bytes changed = receiver.message();
  const GroupElement other = random_element();
  std::copy(other.begin(), other.end(), changed.begin() + 32);
  const auto both = sender.keys(receiver.message());
  const auto after = sender.keys(changed);
  EXPECT_NE(text_of(both[0][0]), text_of(after[0][0]));
  EXPECT_NE(text_of(both[0][1]), text_of(after[0][1]));
}

TEST(BaseTransfers, RefuseWhatIsNoElement) {
  const BaseReceiver receiver(some_label(), "party 0", {0, 1});
  const BaseSender sender(some_label(), "party 1", 2);
  GroupElement no_element;
  no_element.fill(std::byte{0xff});
  const GroupElement neutral{};
  for (std::size_t at = 0; at < 4; ++at) {
    Bytes message = receiver.message();
    std::copy(no_element.begin(), no_element.end(), message.begin() + static_cast<std::ptrdiff_t>(32 * at));
    EXPECT_EQ(error_of<ProtocolError>([&] { (void)sender.keys(message); }),
              "party 1 sent no element of the group in the set-up of oblivious transfers")
        << at;
  }
  for (const GroupElement& bad : {no_element, neutral}) {
    for (std::size_t at = 0; at < 2; ++at) {
      Bytes message = sender.message();
      std::copy(bad.begin(), bad.end(), message.begin() + static_cast<std::ptrdiff_t>(32 * at));
      EXPECT_EQ(error_of<ProtocolError>([&] { (void)receiver.keys(message); }),
                "party 0 sent no element of the group in the set-up of oblivious transfers");
    }
  }
}

TEST(BaseTransfers, RefuseOtherLengths) {
  const BaseReceiver receiver(some_label(), "party 0", {0, 1});
  const BaseSender sender(some_label(), "party 1", 2);
  for (const int change : {-1, 1, 32, -64}) {
    Bytes to_sender = receiver.message();
    to_sender.resize(static_cast<std::size_t>(static_cast<int>(to_sender.size()) + change));
    EXPECT_THROW((void)sender.keys(to_sender), ProtocolError);
    Bytes to_receiver = sender.message();
    to_receiver.resize(static_cast<std::size_t>(std::max(0, static_cast<int>(to_receiver.size()) + change)));
    EXPECT_THROW((void)receiver.keys(to_receiver), ProtocolError);
  }
  EXPECT_THROW((void)receiver.keys({}), ProtocolError);
  EXPECT_THROW(BaseReceiver(some_label(), "party 0", {2}), std::invalid_argument);
}

// The low bits of both elements are fair coins for either choice of the receiver.
TEST(BaseTransfersStatistical, MessagesLookAlikeForBothChoices) {
  constexpr int count = 2000;
  for (const std::uint8_t choice : {std::uint8_t{0}, std::uint8_t{1}}) {
    const Bytes message = BaseReceiver(some_label(), "sender", SecretVector<std::uint8_t>(count, choice)).message();
    std::array<int, 2> ones{};
    for (std::size_t i = 0; i < 2 * count; ++i) ones[i % 2] += std::to_integer<int>(message[32 * i] >> 1) & 1;
    for (const int seen : ones) EXPECT_LT(std::abs(2 * seen - count), 5 * 45);
  }
}

}  // namespace
}  // namespace sotto
