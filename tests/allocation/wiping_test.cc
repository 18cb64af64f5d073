// Memory that a thread frees when the thread ends contains no share, no mask and no seed
// (docs/explain/threat-model.md).
#include "apps/bandit/model/program/private_bandit.h"
#include "core/random/secret_vector.h"
#include "core/transfer/extension_set_up.h"
#include "core/transfer/ring_products.h"
#include "sotto/protocol/preprocessing/program_role.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/allocation/steps.h"

namespace sotto::testing {
namespace {

constexpr std::uint64_t session = 1;
constexpr std::size_t words_of_a_stream = 16;

void play_on_a_thread(std::size_t arms) {
  std::thread([arms] {
    const apps::bandit::BanditPlan plan = plan_of_steps(2, arms, 3);
    CountingSite site;
    protocols::SimulationOptions options;
    options.insecure_seed = session;
    (void)protocols::simulate(
        plan.parameters.topology(), [&](Party& party) { return private_bandit(party, plan, site); },
        std::move(options));
    EXPECT_EQ(site.steps(), 4 * 3u);
  }).join();
}

std::uint64_t first_word(const Seed& seed) {
  std::uint64_t word = 0;
  std::memcpy(&word, seed.expose().data(), sizeof(word));
  return word;
}

std::vector<std::uint64_t> secrets() {
  const protocols::SessionKeys keys = protocols::draw_session_keys(Topology(2), session);
  std::vector<std::uint64_t> words;
  for (const Seed& node : keys.nodes) {
    const Seed derived = node.derive(protocols::expansion_label("simulation", 0));
    words.push_back(first_word(node));
    words.push_back(first_word(derived));
    Prg prg(derived);
    for (std::size_t i = 0; i < words_of_a_stream; ++i) words.push_back(prg.next());
  }
  return words;
}

TEST(Wiping, IsSearchedForInAllThatIsFreed) {
  const std::vector<std::uint64_t> words = secrets();
  const FreedMemory freed(words);
  auto* block = static_cast<std::uint64_t*>(std::malloc(1024));
  ASSERT_NE(block, nullptr);
  block[100] = words[5];
  asm volatile("" : : "r"(block) : "memory");  // stops the compiler from removing a store that comes before a free
  std::free(block);
  EXPECT_EQ(freed.words_found(), 1u);
  EXPECT_GE(freed.bytes_searched(), 1024u);
}

TEST(Wiping, LeavesNothingOfARunInTheMemoryOfAThreadThatEnds) {
  for (const std::size_t arms : {2u, 10u}) {
    const FreedMemory freed(secrets());
    play_on_a_thread(arms);
    EXPECT_EQ(freed.words_found(), 0u) << arms << " arms";
    EXPECT_GT(freed.bytes_searched(), 10'000u);
  }
}

// The list must not grow, because growing would leave copies of the secrets in freed memory.
std::vector<std::uint64_t> room_for_secrets() {
  std::vector<std::uint64_t> room;
  room.reserve(std::size_t{1} << 14);
  return room;
}

void add_bytes(std::vector<std::uint64_t>& words, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    // Skips small words, because other data may contain the same words.
    if (word > std::uint64_t{1} << 40) words.push_back(word);
  }
}

// A test runs the transfers twice with the same set-ups: first to learn the secrets, then to look for the secrets in
// freed memory.
struct SetUps {
  SenderSetUp sender{{}, "receiver", 4};
  ReceiverSetUp receiver{{}, "sender", 4};

  template <class Use>
  void play(Use use) const {
    auto [receives, sums] = receiver.finish(sender.message());
    ExtensionSender sends = sender.finish(receiver.message(), sums);
    use(sends, receives);
  }
};

TEST(Wiping, LeavesNoChoiceOfASetUpOfTransfers) {
  auto set_ups = std::make_unique<SetUps>();
  std::vector<std::uint64_t> secrets = room_for_secrets();
  set_ups->play([&](const ExtensionSender& sends, ExtensionReceiver&) {
    const Bits128 difference = sends.difference();
    add_bytes(secrets, std::as_bytes(std::span(&difference, 1)));
    SecretVector<std::byte> choices;
    for (std::size_t i = 0; i < base_transfers; ++i) {
      choices.push_back(static_cast<std::byte>(~difference.word[i / 64] >> i % 64 & 1));
    }
    add_bytes(secrets, choices);
  });
  ASSERT_GT(secrets.size(), 5u);
  const FreedMemory freed(std::move(secrets));
  set_ups->play([](auto&, auto&) {});
  set_ups.reset();
  EXPECT_EQ(freed.words_found(), 0u);
  EXPECT_GT(freed.bytes_searched(), 10'000u);
}

TEST(Wiping, LeavesNoRowAndNoHashOfTransfers) {
  const SetUps set_ups;
  constexpr std::size_t transfers = 512;
  const std::vector<std::uint64_t> choices(transfers / 64, 0x123456789abcdef0);
  std::vector<std::byte> message(extension_bytes(4, transfers));
  std::vector<Bits128> rows(transfers);
  std::vector<std::uint64_t> zero(3 * transfers);
  std::vector<std::uint64_t> one(3 * transfers);
  const auto use = [&](ExtensionSender& sends, ExtensionReceiver& receives) {
    (void)receives.correlated(choices, rows, message);
    (void)sends.correlated(message, rows);
    receives.random(choices, 3, one, message);
    sends.random(message, 3, zero, one);
  };
  set_ups.play(use);
  std::vector<std::uint64_t> secrets = room_for_secrets();
  add_bytes(secrets, std::as_bytes(std::span(rows)));
  add_bytes(secrets, std::as_bytes(std::span(zero)));
  add_bytes(secrets, std::as_bytes(std::span(one)));
  const FreedMemory freed(std::move(secrets));
  set_ups.play(use);
  EXPECT_EQ(freed.words_found(), 0u);
  EXPECT_GT(freed.bytes_searched(), 10'000u);
}

TEST(Wiping, LeavesNoFactorsOfProducts) {
  const SetUps set_ups;
  const RingProducts products{.count = 256};
  std::vector<std::uint64_t> y(products.count);
  Prg(Seed::insecure_from_number(1)).fill(y, 64);
  const std::vector<std::uint64_t> x = y;
  std::vector<std::uint64_t> shares(products.count);
  std::vector<std::byte> request(product_request_bytes(4, products));
  std::vector<std::byte> reply(product_reply_bytes(products));
  std::vector<std::uint64_t> secrets = room_for_secrets();
  secrets.insert(secrets.end(), y.begin(), y.end());
  for (unsigned i = 0; i < 64; ++i) {
    for (std::size_t p = 0; p < y.size(); p += 64) {
      std::uint64_t bits = 0;
      for (std::size_t j = 0; j < 64; ++j) bits |= (y[p + j] >> i & 1) << j;
      secrets.push_back(bits);
    }
  }
  const FreedMemory freed(std::move(secrets));
  set_ups.play([&](ExtensionSender& sends, ExtensionReceiver& receives) {
    request_products(receives, products, y, shares, request);
    reply_products(sends, products, x, request, shares, reply);
    finish_products(products, y, reply, shares);
  });
  EXPECT_EQ(freed.words_found(), 0u);
}

}  // namespace
}  // namespace sotto::testing
