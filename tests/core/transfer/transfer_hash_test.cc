#include "core/transfer/transfer_hash.h"

#include <openssl/evp.h>

#include "core/transfer/transfer_kernels.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using Rows = std::vector<Bits128>;

static_assert(!std::is_copy_constructible_v<TweakRange> && !std::is_copy_assignable_v<TweakRange>);
static_assert(!std::is_copy_constructible_v<Tweaks> && !std::is_copy_assignable_v<Tweaks>);
static_assert(!std::is_constructible_v<TweakRange, Bits128, std::uint64_t>);

std::array<std::byte, 16> counting_key() {
  std::array<std::byte, 16> key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  return key;
}

constexpr std::uint64_t domain = 0x0102030405060708;
constexpr Bits128 difference{{0x0123456789abcdef, 0xfedcba9876543210}};

Rows some_rows(std::size_t count) {
  Rows rows(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    rows[i].word = {0x9e3779b97f4a7c15 * (i + 1), 0xc2b2ae3d27d4eb4f * (i + 1)};
  }
  return rows;
}

// Another implementation of AES computed the known answers from the definition.
TEST(TransferHash, HasKnownAnswers) {
  struct Answer {
    std::size_t row;
    Bits128 zero, one;
  };
  const Answer answers[] = {
      {0, {{0xd479e1f0fd1a41fa, 0x17b379df0068781c}}, {{0x34365c2b75bc012b, 0xdeba3e4e2292cee5}}},
      {1, {{0x613986ddb67e2fb6, 0xf0f668e13b50143a}}, {{0x1229e24a3d2dc84d, 0x74028b5e7b14802c}}},
      {15, {{0x0a4951a5de6a4dfe, 0x8598e68406333e31}}, {{0xf6bb768d52599005, 0x119651025f897e75}}},
      {16, {{0xefd97abde106ab60, 0xbf0b3d98f4e0a964}}, {{0x9193699e75f46664, 0x13e2b4b398686b86}}},
      {36, {{0x6517a5a8290867f6, 0xcd42caa1a525325f}}, {{0x08fc71cc547ee349, 0x96fb94b62ae3f3ef}}},
  };
  const Rows rows = some_rows(37);
  for (const TransferKernels* table : available_transfer_kernels()) {
    const TransferHash hash(counting_key(), *table);
    Rows zero(rows.size());
    Rows one(rows.size());
    hash.both(Tweaks(domain).take(rows.size()), rows, difference, zero, one);
    for (const Answer& answer : answers) {
      EXPECT_EQ(zero[answer.row], answer.zero) << table->name << " " << answer.row;
      EXPECT_EQ(one[answer.row], answer.one) << table->name << " " << answer.row;
    }
  }
}

PROPERTY(TransferHashProperty, RowsDoNotDependOnEachOther) {
  const auto count = draw_in_range<std::size_t>(0, 200);
  const auto skipped = draw<std::uint32_t>();
  const TransferHash plain(counting_key(), *available_transfer_kernels().front());
  const TransferHash hash(counting_key(), *draw_one_of(available_transfer_kernels()));
  const auto behind = [&](std::uint64_t more, std::uint64_t taken) {
    Tweaks tweaks(domain);
    (void)tweaks.take(skipped + more);
    return tweaks.take(taken);
  };
  Rows rows = some_rows(count);
  Rows expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    plain.one(behind(i, 1), std::span(rows).subspan(i, 1), std::span(expected).subspan(i, 1));
  }
  hash.one(behind(0, count), rows, rows);
  HOLDS(rows == expected);
}

TEST(TransferHash, TakesTweaksOnce) {
  const TransferHash hash(counting_key());
  Tweaks tweaks(domain);
  Rows rows = some_rows(3);
  TweakRange range = tweaks.take(3);
  hash.one(std::move(range), rows, rows);
  EXPECT_THROW(hash.one(std::move(range), rows, rows), std::invalid_argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(hash.one(tweaks.take(2), rows, rows), std::invalid_argument);
  Rows few(2);
  EXPECT_THROW(hash.both(tweaks.take(3), rows, difference, rows, few), std::invalid_argument);
}

TEST(Tweaks, FollowEachOtherAndEnd) {
  Tweaks tweaks(domain);
  EXPECT_EQ(tweaks.take(5).first(), (Bits128{{0, domain}}));
  EXPECT_EQ(tweaks.take(0).first(), (Bits128{{5, domain}}));
  EXPECT_EQ(tweaks.take(1).first(), (Bits128{{5, domain}}));
  Tweaks moved = std::move(tweaks);
  EXPECT_EQ(moved.take(1).first(), (Bits128{{6, domain}}));
  EXPECT_THROW((void)tweaks.take(1), ResourceError);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)moved.take(std::numeric_limits<std::uint64_t>::max()), ResourceError);
  EXPECT_EQ(moved.take(std::numeric_limits<std::uint64_t>::max() - 7).first(), (Bits128{{7, domain}}));
  EXPECT_THROW((void)moved.take(1), ResourceError);
}

// Two transfers may have equal rows, for example if a stream ran twice. If two such transfers had the same tweak, the
// messages would show the difference of the words that were sent. Only a second Tweaks object can give the same tweak
// twice.
TEST(TransferHash, ARepeatedTweakShowsWhatWasSent) {
  const TransferHash hash(counting_key());
  const std::array<std::uint64_t, 2> secrets = {17, 1000};
  const auto sent_under = [&](std::array<TweakRange, 2> ranges) {
    std::array<std::uint64_t, 2> sent{};
    for (std::size_t i = 0; i < 2; ++i) {
      Rows zero = some_rows(1);
      Rows one(1);
      hash.both(std::move(ranges[i]), some_rows(1), difference, zero, one);
      sent[i] = secrets[i] + zero[0].word[0] - one[0].word[0];
    }
    return sent[1] - sent[0];
  };
  Tweaks fresh(domain);
  EXPECT_NE(sent_under({fresh.take(1), fresh.take(1)}), secrets[1] - secrets[0]);
  EXPECT_EQ(sent_under({Tweaks(domain).take(1), Tweaks(domain).take(1)}), secrets[1] - secrets[0]);
}

// Over many tweaks, each bit of the hash is a fair coin for any row, within 5 standard deviations.
TEST(TransferHashStatistical, BitsAreBalanced) {
  constexpr std::size_t count = 1 << 16;
  const TransferHash hash(counting_key());
  Rows hashed(count);
  hash.one(Tweaks(domain).take(count), Rows(count), hashed);
  for (std::size_t bit = 0; bit < 128; ++bit) {
    std::int64_t ones = 0;
    for (const Bits128& row : hashed) ones += static_cast<std::int64_t>(row.word[bit / 64] >> bit % 64 & 1);
    EXPECT_LT(std::abs(2 * ones - static_cast<std::int64_t>(count)), 5 * 256) << bit;
  }
}

TEST(TransferKernels, TransposeAndJoin) {
  using Word = TransferKernels::Word;
  constexpr std::size_t groups = 3;
  constexpr std::size_t stride = groups * TransferKernels::group / 64 + 1;
  std::mt19937_64 random(1);
  std::vector<Word> columns(TransferKernels::columns * stride);
  for (Word& word : columns) word = random();
  for (const TransferKernels* table : available_transfer_kernels()) {
    std::vector<unsigned char> rows(16 * groups * TransferKernels::group + 1);
    table->transpose(rows.data() + 1, columns.data(), stride, groups);
    for (std::size_t i = 0; i < groups * TransferKernels::group; ++i) {
      for (std::size_t j = 0; j < TransferKernels::columns; ++j) {
        const unsigned bit = rows[1 + 16 * i + j / 8] >> j % 8 & 1U;
        ASSERT_EQ(bit, columns[j * stride + i / 64] >> i % 64 & 1) << table->name << " " << i << " " << j;
      }
    }
    std::vector<Word> left(columns.begin(), columns.begin() + 32);
    std::vector<Word> odd(columns.begin() + 32, columns.begin() + 64);
    const Word* right = columns.data() + 64;
    table->join(left.data(), odd.data(), right, 32);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(left[i], columns[i] ^ right[i]) << table->name;
      EXPECT_EQ(odd[i], columns[32 + i] ^ right[i]) << table->name;
    }
    table->add(left.data(), right, 32);
    EXPECT_TRUE(std::equal(left.begin(), left.end(), columns.begin())) << table->name;
  }
}

}  // namespace
}  // namespace sotto
