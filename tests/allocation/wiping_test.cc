// What a thread gives back when it ends holds no share, no mask and no seed (SECURITY.md).
#include "sotto/core/random/prg.h"
#include "sotto/protocols/preprocessing/session_keys.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/allocation/steps.h"

namespace sotto::testing {
namespace {

constexpr std::uint64_t session = 1;
constexpr std::size_t words_of_a_stream = 16;

// A run of all roles on a thread of its own, which ends.
void play_on_a_thread(std::size_t arms) {
  std::thread([arms] {
    const apps::BanditPlan plan = plan_of_steps(2, arms, 3);
    CountingSite site;
    protocols::SimulationOptions options;
    options.insecure_seed = session;
    (void)protocols::simulate(
        plan.parameters.topology(), [&](Party& party) { return private_bandit(party, plan, site); },
        std::move(options));
    EXPECT_EQ(site.steps(), 4 * 3u);  // of two parties, the actor and the dealer
  }).join();
}

std::uint64_t first_word(const Seed& seed) {
  std::uint64_t word = 0;
  std::memcpy(&word, seed.expose().data(), sizeof(word));
  return word;
}

// The seeds of that run, and the first words of the parties' shares: the masks of their inputs and their shares of what
// is opened first.
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
  asm volatile("" : : "r"(block) : "memory");  // a store before a free is one that may be left out
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

}  // namespace
}  // namespace sotto::testing
