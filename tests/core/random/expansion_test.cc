#include "sotto/protocol/random/expansion.h"

#include <openssl/evp.h>

#include <algorithm>
#include <string_view>

#include "core/ring/kernels.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/framework.h"

namespace sotto {
namespace {

using Word = Expansion::Word;
using Bytes = std::vector<unsigned char>;

constexpr std::array combines = {Combine::store, Combine::add, Combine::subtract, Combine::exclusive_or};

Bytes from_hex(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

Bytes reference_stream(const Bytes& key, std::uint64_t first_block, std::size_t count) {
  Bytes counter(16);
  for (std::size_t i = 0; i < 8; ++i) counter[15 - i] = static_cast<unsigned char>(first_block >> (8 * i));
  const std::unique_ptr<EVP_CIPHER_CTX, FreeCipher> context(EVP_CIPHER_CTX_new());
  Bytes out(count);
  const Bytes zeros(count);
  int written = 0;
  if (EVP_EncryptInit_ex2(context.get(), EVP_aes_128_ctr(), key.data(), counter.data(), nullptr) != 1 ||
      EVP_EncryptUpdate(context.get(), out.data(), &written, zeros.data(), static_cast<int>(count)) != 1) {
    ADD_FAILURE() << "OpenSSL does not run AES-128-CTR";
  }
  return out;
}

Bytes some_key(unsigned which) {
  Bytes key(16);
  for (std::size_t i = 0; i < 16; ++i) key[i] = static_cast<unsigned char>(which * 131 + i * i * 17 + (which >> 3) * i);
  return key;
}

Word some_word(std::size_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

Word combined(Combine how, Word old, Word fresh) {
  switch (how) {
    case Combine::add:
      return old + fresh;
    case Combine::subtract:
      return old - fresh;
    case Combine::exclusive_or:
      return old ^ fresh;
    case Combine::store:
      break;
  }
  return fresh;
}

class EveryExpansion : public ::testing::TestWithParam<const Expansion*> {
 protected:
  const Expansion& table_ = *GetParam();
};

class EveryCipher : public EveryExpansion {};

std::vector<const Expansion*> all_tables() {
  std::vector<const Expansion*> tables = available_expansions();
#if defined(__x86_64__)
  const auto chosen =
      std::find_if(tables.begin(), tables.end(), [](auto* table) { return std::string_view(table->name) == "avx2"; });
  if (chosen != tables.end() && *chosen != &kernel::avx2_expansion) tables.push_back(&kernel::avx2_expansion);
#endif
  return tables;
}

std::string name_of(const ::testing::TestParamInfo<const Expansion*>& instance) {
  const auto available = available_expansions();
  const bool chosen = std::find(available.begin(), available.end(), instance.param) != available.end();
  return std::string(instance.param->name) + (chosen ? "" : "_without_vaes");
}

std::vector<const Expansion*> ciphers() {
  auto tables = all_tables();
  std::erase_if(tables, [](const Expansion* table) { return table->schedule == nullptr; });
  return tables;
}

// The key and its schedule are those of FIPS 197, appendix A.1.
TEST_P(EveryCipher, SchedulesTheKeysOfTheStandard) {
  const Bytes key = from_hex("2b7e151628aed2a6abf7158809cf4f3c");
  Bytes keys(Expansion::round_key_bytes);
  table_.schedule(keys.data(), key.data());
  EXPECT_EQ(keys, from_hex("2b7e151628aed2a6abf7158809cf4f3ca0fafe1788542cb123a339392a6c7605f2c295f27a96b9435935807a735"
                           "9f67f3d80477d4716fe3e1e237e446d7a883bef44a541a8525b7fb671253bdb0bad00d4d1c6f87c839d87caf2b8"
                           "bc11f915bc6d88a37a110b3efddbf98641ca0093fd4e54f70e5f5fc9f384a64fb24ea6dc4fead27321b58dbad23"
                           "12bf5607f8d292fac7766f319fadc2128d12941575c006ed014f9a8c9ee2589e13f0cc8b6630ca6"));
}

// OpenSSL is the reference for the streams. The vectors of SP 800-38A cannot test the streams directly, because their
// counters fill the upper half of the block, and the counters of the streams never reach it.
TEST_P(EveryCipher, EqualsOpensslFromAnyGroup) {
  for (unsigned which = 0; which < 20; ++which) {
    const Bytes key = some_key(which);
    Bytes keys(Expansion::round_key_bytes);
    table_.schedule(keys.data(), key.data());
    for (const std::uint64_t first :
         {0ULL, 1ULL, 15ULL, 16ULL, 4095ULL, 0x0fffffffULL, 0xffffffffULL, 0x123456789abULL, 0xffffffffffff00ULL}) {
      const std::size_t groups = which % 5;
      Bytes out(groups * Expansion::group_bytes + 8, 0xEE);
      table_.write_stream(out.data(), keys.data(), first, groups);
      Bytes expected = reference_stream(key, first * 16, groups * Expansion::group_bytes);
      expected.insert(expected.end(), 8, 0xEE);
      ASSERT_EQ(out, expected) << "key " << which << ", group " << first;
    }
  }
}

TEST_P(EveryCipher, CombinesItsStream) {
  const Bytes key = some_key(3);
  Bytes keys(Expansion::round_key_bytes);
  table_.schedule(keys.data(), key.data());
  for (const Combine how : combines) {
    for (const unsigned bits : {33U, 43U, 63U, 64U}) {
      for (std::size_t groups = 0; groups < 4; ++groups) {
        const std::size_t count = groups * Expansion::group_words;
        const Bytes stream = reference_stream(key, 7 * 16, groups * Expansion::group_bytes);
        std::vector<Word> out(count + 1);
        for (std::size_t i = 0; i <= count; ++i) out[i] = some_word(i);
        table_.combine_stream[static_cast<std::size_t>(how)](out.data(), keys.data(), 7, groups, ring_mask(bits));
        for (std::size_t i = 0; i < count; ++i) {
          Word fresh;
          std::memcpy(&fresh, stream.data() + 8 * i, sizeof(fresh));
          ASSERT_EQ(out[i], combined(how, some_word(i), fresh) & ring_mask(bits));
        }
        ASSERT_EQ(out[count], some_word(count));
      }
    }
  }
}

TEST_P(EveryExpansion, CombinesLanesOfAnyWidth) {
  for (std::size_t log = 0; log < 4; ++log) {
    const std::size_t lane_bytes = std::size_t{1} << log;
    for (const Combine how : combines) {
      for (std::size_t lanes = 0; lanes < 70; ++lanes) {
        const auto bits = static_cast<unsigned>(1 + (lanes * 7) % (8 * lane_bytes));
        const Bytes stream = reference_stream(some_key(1), 0, lanes * lane_bytes + 1);
        // A sanitizer sees every access beyond the end of this buffer.
        const auto in = std::make_unique<unsigned char[]>(lanes * lane_bytes);
        std::copy(stream.begin(), stream.end() - 1, in.get());
        const auto out = std::make_unique<Word[]>(lanes + 1);
        for (std::size_t i = 0; i <= lanes; ++i) out[i] = some_word(i);
        table_.combine_lanes[static_cast<std::size_t>(how)][log](out.get(), in.get(), lanes, ring_mask(bits));
        for (std::size_t i = 0; i < lanes; ++i) {
          Word fresh = 0;
          std::memcpy(&fresh, stream.data() + i * lane_bytes, lane_bytes);
          ASSERT_EQ(out[i], combined(how, some_word(i), fresh) & ring_mask(bits))
              << lanes << " lanes of " << lane_bytes << " bytes, lane " << i;
        }
        ASSERT_EQ(out[lanes], some_word(lanes));
      }
    }
  }
}

TEST_P(EveryExpansion, KeyStreamGoesOnWhereItWas) {
  const Bytes key = some_key(5);
  KeyStream stream(std::as_bytes(std::span<const unsigned char, 16>(key.data(), 16)), table_);
  std::size_t position = 0;
  const Bytes expected = reference_stream(key, 0, 150 * Expansion::group_bytes);
  for (std::size_t groups = 0; groups < 12; ++groups) {
    Bytes out(groups * Expansion::group_bytes);
    stream.write(out);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin() + static_cast<long>(position)));
    position += out.size();
    if (!stream.combines()) continue;
    std::vector<Word> words(groups * Expansion::group_words);
    stream.combine(words, Combine::add, ~Word{0});
    for (const Word word : words) {
      Word fresh;
      std::memcpy(&fresh, expected.data() + position, sizeof(fresh));
      ASSERT_EQ(word, fresh);
      position += sizeof(fresh);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Expansion, EveryExpansion, ::testing::ValuesIn(all_tables()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryCipher);
INSTANTIATE_TEST_SUITE_P(Expansion, EveryCipher, ::testing::ValuesIn(ciphers()), name_of);

TEST(Expansion, FollowsTheKernels) {
  const auto tables = available_expansions();
  EXPECT_STREQ(tables.front()->name, "baseline");
  EXPECT_EQ(&expansion(), &table_up_to(kernels().companion, tables));
  for (const Expansion* table : tables) EXPECT_EQ(&table_up_to(table->name, tables), table);
  EXPECT_EQ(&table_up_to("a later CPU", tables), tables.back());
  const std::vector<const Expansion*> slowest = {tables.front()};
  EXPECT_EQ(&table_up_to("avx512", slowest), tables.front());
}

}  // namespace
}  // namespace sotto
