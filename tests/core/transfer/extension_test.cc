#include "core/transfer/extension.h"
#include "core/transfer/extension_set_up.h"
#include "sotto/protocol/random/prg.h"
#include "tests/core/transfer/two_sides.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;
using Bytes = std::vector<std::byte>;
using Rows = std::vector<Bits128>;

static_assert(!std::is_copy_constructible_v<ExtensionSender> && !std::is_copy_constructible_v<ExtensionReceiver>);

// The expected values are the first two blocks of AES in counter mode under the key of zeros, by another
// implementation.
TEST(KeyTree, DoublesByAes) {
  const Seed root = Seed::insecure_from_number(0);
  const KeyTree tree = grow_tree(root, 1);
  EXPECT_EQ(tree.leaves[0], (Bits128{{0x3b2c8aefd44be966, 0x2e2b34ca59fa4c88}}));
  EXPECT_EQ(tree.leaves[1], (Bits128{{0x61307efacefce258, 0x5a45e7a4571d7f36}}));
  EXPECT_EQ(tree.sums[0][0], tree.leaves[0]);
  EXPECT_EQ(tree.sums[0][1], tree.leaves[1]);
  EXPECT_THROW((void)grow_tree(root, 0), std::invalid_argument);
  EXPECT_THROW((void)grow_tree(root, 9), std::invalid_argument);
}

TEST(KeyTree, PuncturedHasAllLeavesButOne) {
  for (const unsigned levels : {1U, 2U, 4U, 8U}) {
    const KeyTree tree = grow_tree(Seed::insecure_from_number(levels), levels);
    const std::uint64_t leaves = std::uint64_t{1} << levels;
    ASSERT_EQ(tree.leaves.size(), leaves);
    for (std::uint64_t missing = 0; missing < leaves; missing += levels == 8 ? 51 : 1) {
      Rows sums;
      for (unsigned level = 0; level < levels; ++level) {
        sums.push_back(tree.sums[level][1 - (missing >> (levels - 1 - level) & 1)]);
      }
      const TreeKeys punctured = grow_punctured_tree(missing, sums);
      ASSERT_EQ(punctured.size(), leaves);
      EXPECT_EQ(punctured[0], Bits128{});
      for (std::uint64_t y = 1; y < leaves; ++y)
        ASSERT_EQ(punctured[y], tree.leaves[y ^ missing]) << missing << " " << y;
    }
  }
}

TEST(LeafSums, AddTheLeavesStreams) {
  constexpr std::size_t stride = LeafSums::most_groups * LeafSums::group_words;
  for (const unsigned levels : {2U, 4U, 8U}) {
    const KeyTree tree = grow_tree(Seed::insecure_from_number(9), levels);
    for (const bool punctured : {false, true}) {
      std::vector<Prg> streams;
      for (std::size_t x = 0; x < tree.leaves.size(); ++x) {
        streams.emplace_back(Seed::from_bytes(std::as_bytes(std::span(&tree.leaves[x], 1)).first<16>()));
      }
      std::vector<LeafSums> sums;
      const auto tables = available_transfer_kernels();
      for (std::size_t table = 0; table < tables.size(); ++table) {
        sums.emplace_back(tree.leaves, punctured, *available_expansions()[table], *tables[table]);
      }
      for (const std::size_t groups : {std::size_t{1}, std::size_t{4}, std::size_t{3}}) {
        const std::size_t words = groups * LeafSums::group_words;
        Words all(words);
        Words columns(levels * stride);
        for (std::size_t x = punctured ? 1 : 0; x < streams.size(); ++x) {
          Words leaf(words);
          streams[x].fill(leaf, 64);
          for (std::size_t i = 0; i < words; ++i) {
            all[i] ^= leaf[i];
            for (unsigned b = 0; b < levels; ++b) columns[b * stride + i] ^= leaf[i] & (0 - (x >> b & 1));
          }
        }
        for (LeafSums& own : sums) {
          Words own_all(words, 1);
          Words own_columns(levels * stride, 0);
          own.next(groups, own_all.data(), own_columns.data(), stride);
          EXPECT_EQ(own_all, all) << levels;
          EXPECT_EQ(own_columns, columns) << levels;
        }
      }
    }
  }
}

// Every row that the receiver gets equals the sender's row, plus the difference where the receiver chose 1. The numbers
// of transfers in this test are close to the sizes of a byte, a word, a group and a part.
TEST(Extension, CorrelatesRows) {
  for (const unsigned k : {2U, 4U, 8U}) {
    testing::TwoSides sides = testing::set_up(k);
    std::uint64_t tweaks = 0;
    for (const std::size_t count : {1, 7, 64, 513, 0, 2048, 2049, 8192, 8193, 20000}) {
      const Words choices = testing::random_words((count + 63) / 64, count);
      Rows q(count);
      Rows t(count);
      Bytes message(extension_bytes(k, count));
      const TweakRange of_receiver = sides.receiver.correlated(choices, t, message);
      const TweakRange of_sender = sides.sender.correlated(message, q);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(t[i], q[i] ^ masked_by(choices[i / 64] >> i % 64 & 1, sides.sender.difference())) << k << " " << i;
      }
      EXPECT_EQ(of_sender.first(), of_receiver.first());
      EXPECT_EQ(of_sender.first().word[0], tweaks);
      EXPECT_EQ(of_sender.count(), count);
      tweaks += count;
      EXPECT_EQ(message.size(), 128 / k * ((count + 7) / 8));
    }
  }
}

// The receiver gets its chosen word of each pair and never the other word.
TEST(Extension, MakesRandomTransfers) {
  for (const unsigned k : {2U, 4U, 8U}) {
    testing::TwoSides sides = testing::set_up(k);
    for (const auto& [count, width] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {100, 1}, {9000, 1}, {100, 2}, {100, 3}, {1, 20000}, {9000, 4}, {0, 1}}) {
      const Words choices = testing::random_words((count + 63) / 64, count + width);
      Words zero(count * width);
      Words one(count * width);
      Words chosen(count * width);
      Bytes message(extension_bytes(k, count));
      sides.receiver.random(choices, width, chosen, message);
      sides.sender.random(message, width, zero, one);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const bool choice = (choices[i / width / 64] >> i / width % 64 & 1) != 0;
        ASSERT_EQ(chosen[i], choice ? one[i] : zero[i]) << k << " " << width << " " << i;
        ASSERT_NE(chosen[i], choice ? zero[i] : one[i]) << k << " " << width << " " << i;
      }
    }
  }
}

TEST(Extension, RefusesWrongSizes) {
  testing::TwoSides sides = testing::set_up(4);
  Words words(10);
  Words other(10);
  Words choice(1);
  Rows rows(10);
  Bytes message(extension_bytes(4, 10));
  for (const std::size_t wrong : {std::size_t{0}, message.size() - 1, message.size() + 1}) {
    Bytes bad(wrong);
    EXPECT_THROW((void)sides.sender.correlated(bad, rows), std::invalid_argument);
    EXPECT_THROW(sides.sender.random(bad, 1, words, other), std::invalid_argument);
    EXPECT_THROW((void)sides.receiver.correlated(choice, rows, bad), std::invalid_argument);
    EXPECT_THROW(sides.receiver.random(choice, 1, words, bad), std::invalid_argument);
  }
  Words two(2);
  EXPECT_THROW((void)sides.receiver.correlated(two, rows, message), std::invalid_argument);
  EXPECT_THROW(sides.receiver.random(two, 1, words, message), std::invalid_argument);
  EXPECT_THROW(sides.receiver.random(choice, 0, words, message), std::invalid_argument);
  EXPECT_THROW(sides.receiver.random(choice, 3, words, message), std::invalid_argument);
  EXPECT_THROW(sides.sender.random(message, 3, words, other), std::invalid_argument);
  EXPECT_THROW(sides.sender.random(message, 1, words, two), std::invalid_argument);
}

PROPERTY(ExtensionProperty, AnyMessageGivesRows) {
  testing::TwoSides sides = testing::set_up(8);
  const auto count = draw_in_range<std::size_t>(1, 600);
  const Bytes message(extension_bytes(8, count), static_cast<std::byte>(draw<std::uint8_t>()));
  Words zero(count);
  Words one(count);
  sides.sender.random(message, 1, zero, one);
  HOLDS(zero != one);
}

// The streams of the trees must continue from one message to the next. If a second extension begins again from the same
// trees, the XOR of the two messages is the XOR of their choices. The XOR of two successive messages of one extension
// shows nothing about the choices.
TEST(Extension, ARepeatedStreamShowsChoices) {
  const auto begin = [] {
    std::vector<LeafSums> trees;
    for (std::uint64_t tree = 0; tree < 32; ++tree) {
      trees.emplace_back(grow_tree(Seed::insecure_from_number(tree), 4).leaves, false);
    }
    return ExtensionReceiver(4, std::move(trees), TransferHash(TransferLabel{}.session), Tweaks(0));
  };
  const auto message_of = [](ExtensionReceiver& receiver, Word choices) {
    Rows rows(64);
    Bytes message(extension_bytes(4, 64));
    (void)receiver.correlated(Words{choices}, rows, message);
    Word first = 0;
    std::memcpy(&first, message.data(), sizeof(first));
    return first;
  };
  constexpr Word choices = 0x0123456789abcdef;
  ExtensionReceiver receiver = begin();
  ExtensionReceiver again = begin();
  const Word first = message_of(receiver, choices);
  EXPECT_EQ(first ^ message_of(again, 0), choices);
  EXPECT_NE(first ^ message_of(receiver, 0), choices);
}

TEST(ExtensionSetUp, DeclaresItsBytesAndRefusesOthers) {
  const TransferLabel label;
  const SenderSetUp sender(label, "party 1", 4);
  const ReceiverSetUp receiver(label, "party 0", 4);
  EXPECT_EQ(sender.message().size(), 8192);
  EXPECT_EQ(receiver.message().size(), 4096);
  std::vector<std::byte> sums = receiver.finish(sender.message()).second;
  EXPECT_EQ(sums.size(), 4096);
  sums.pop_back();
  EXPECT_EQ(error_of<ProtocolError>([&] { (void)sender.finish(receiver.message(), sums); }),
            "party 1 sent 4095 bytes of trees' sums where 4096 were expected");
  EXPECT_THROW((void)sender.finish({}, sums), ProtocolError);
  EXPECT_THROW((void)receiver.finish({}), ProtocolError);
  for (const unsigned k : {0U, 1U, 3U, 16U}) {
    EXPECT_THROW(SenderSetUp(label, "party 1", k), std::invalid_argument);
    EXPECT_THROW(ReceiverSetUp(label, "party 0", k), std::invalid_argument);
  }
}

// The request hides the choices: its bits are fair coins for choices of zeros and of ones. All counts are within 5
// standard deviations.
TEST(ExtensionStatistical, MessagesAndRowsAreBalanced) {
  constexpr std::size_t count = 1 << 16;
  testing::TwoSides sides = testing::set_up(4);
  for (const Word choice : {Word{0}, ~Word{0}}) {
    Rows q(count);
    Rows t(count);
    Bytes message(extension_bytes(4, count));
    (void)sides.receiver.correlated(Words(count / 64, choice), t, message);
    (void)sides.sender.correlated(message, q);
    std::int64_t ones = 0;
    for (const std::byte b : message) ones += std::popcount(std::to_integer<unsigned>(b));
    const auto bits = static_cast<std::int64_t>(8 * message.size());
    EXPECT_LT(std::abs(2 * ones - bits), 5 * std::sqrt(static_cast<double>(bits)));
    for (const Rows& rows : {q, t}) {
      for (std::size_t bit = 0; bit < 128; ++bit) {
        std::int64_t set = 0;
        for (const Bits128& row : rows) set += static_cast<std::int64_t>(row.word[bit / 64] >> bit % 64 & 1);
        EXPECT_LT(std::abs(2 * set - static_cast<std::int64_t>(count)), 5 * 256) << bit;
      }
    }
  }
  EXPECT_NE(sides.sender.difference(), testing::set_up(4).sender.difference());
}

using Words = std::vector<std::uint64_t>;

struct Bits {
  Words choices, chosen, zero, one;
};

Bits play(testing::TwoSides& sides, std::size_t words, std::uint64_t seed) {
  Bits bits{testing::random_words(words, seed), Words(words), Words(words), Words(words)};
  Bytes message(extension_bytes(sides.sender.k(), bits_in_words(words)));
  receive_bits(sides.receiver, bits.choices, bits.chosen, message);
  send_bits(sides.sender, message, bits.zero, bits.one);
  return bits;
}

TEST(RandomBits, AreTheChosenOnes) {
  for (const unsigned k : {2U, 4U, 8U}) {
    testing::TwoSides sides = testing::set_up(k);
    for (const std::size_t words : {0, 1, 127, 128, 129, 300}) {
      const Bits bits = play(sides, words, words);
      for (std::size_t i = 0; i < words; ++i) {
        EXPECT_EQ(bits.chosen[i], (bits.zero[i] & ~bits.choices[i]) | (bits.one[i] & bits.choices[i])) << k << " " << i;
      }
    }
  }
}

TEST(RandomBits, OfBothWaysMakeTriples) {
  testing::TwoSides there = testing::set_up(4);
  testing::TwoSides back = testing::set_up(4);
  const Bits from_0 = play(there, 100, 1);
  const Bits from_1 = play(back, 100, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    const std::uint64_t c0 = triple_share(from_1.choices[i], from_1.chosen[i], from_0.zero[i], from_0.one[i]);
    const std::uint64_t c1 = triple_share(from_0.choices[i], from_0.chosen[i], from_1.zero[i], from_1.one[i]);
    const std::uint64_t a = from_0.choices[i] ^ from_1.choices[i];
    const std::uint64_t b = from_0.zero[i] ^ from_0.one[i] ^ from_1.zero[i] ^ from_1.one[i];
    ASSERT_EQ(c0 ^ c1, a & b) << i;
  }
}

TEST(RandomBits, RefuseWhatDoesNotFit) {
  testing::TwoSides sides = testing::set_up(4);
  Words two(2);
  Words three(3);
  Bytes message(extension_bytes(4, 128));
  Bytes longer(message.size() + 1);
  EXPECT_THROW(receive_bits(sides.receiver, two, three, message), std::invalid_argument);
  EXPECT_THROW(receive_bits(sides.receiver, two, two, longer), std::invalid_argument);
  EXPECT_THROW(send_bits(sides.sender, message, two, three), std::invalid_argument);
  EXPECT_THROW(send_bits(sides.sender, longer, two, two), std::invalid_argument);
}

// Each bit that one side does not know is a fair coin, within 5 standard deviations.
TEST(RandomBitsStatistical, AreBalanced) {
  testing::TwoSides sides = testing::set_up(8);
  constexpr std::size_t words = 1 << 12;
  const Bits bits = play(sides, words, 3);
  std::int64_t chosen = 0;
  std::int64_t other = 0;
  for (std::size_t i = 0; i < words; ++i) {
    chosen += std::popcount(bits.chosen[i]);
    other += std::popcount(bits.chosen[i] ^ bits.zero[i] ^ bits.one[i]);
  }
  for (const std::int64_t ones : {chosen, other}) {
    EXPECT_LT(std::abs(2 * ones - static_cast<std::int64_t>(64 * words)), 5 * 512);
  }
}

}  // namespace
}  // namespace sotto
