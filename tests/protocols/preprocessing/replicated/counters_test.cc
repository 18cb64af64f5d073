// What is seen of an owner outside over stretches and epochs: its masked inputs have no mask in common. Where an epoch
// is begun twice with the same keys, they show the difference of the inputs.
#include "sotto/protocol/preprocessing/next_stretch.h"
#include "tests/protocols/preprocessing/replicated/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

constexpr NodeId outside_owner = 3;
constexpr std::size_t input_lanes = 40;

Task<Numbers> inputs_of_stretches(Party& party, std::uint64_t first, std::uint64_t second) {
  const Shape shape{1, input_lanes};
  const Numbers of_first(input_lanes, first);
  const Input before = input_of(party, outside_owner, shape, 0, of_first);
  (void)co_await share_input(party, outside_owner, before, "input");
  co_await next_stretch(party);
  const Numbers of_second(input_lanes, second);
  const Input after = input_of(party, outside_owner, shape, 0, of_second);
  (void)co_await share_input(party, outside_owner, after, "input");
  co_return Numbers{};
}

// D of both inputs, as a party receives it. The secrets of all nodes are the same in every run.
std::vector<Numbers> masked_inputs(std::uint64_t first, std::uint64_t second, const std::string& epoch) {
  std::vector<Numbers> seen;
  SimulationOptions options;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t, const Bytes& frame) {
    if (from != outside_owner || to != 1 || frame.size() != FrameHeader::size + 8 * input_lanes) return;
    Numbers words(input_lanes);
    std::memcpy(words.data(), frame.data() + FrameHeader::size, 8 * input_lanes);
    seen.push_back(words);
  };
  const auto program = [&](Party& party) { return inputs_of_stretches(party, first, second); };
  const auto whole = [&](Party& party) {
    std::uint64_t number = 0;
    for (NodeId node = 0; node < 4; ++node) number = party.is(node) ? node : number;
    return run_replicated(party, Seed::insecure_from_number(number), epoch, program);
  };
  (void)simulate(Topology::without_dealer(3, true), whole, options);
  return seen;
}

std::size_t differences_of(const Numbers& a, const Numbers& b, std::uint64_t difference) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < input_lanes; ++i) count += a[i] - b[i] == difference ? 1 : 0;
  return count;
}

TEST(Counters, GiveEachStretchItsOwnMasks) {
  const auto seen = masked_inputs(9, 4, "epoch 1");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(differences_of(seen[0], seen[1], 5), 0u);
  std::set<std::uint64_t> words(seen[0].begin(), seen[0].end());
  words.insert(seen[1].begin(), seen[1].end());
  EXPECT_EQ(words.size(), 2 * input_lanes);
}

TEST(Counters, TellInputsApartWhereAnEpochIsRepeated) {
  const auto first = masked_inputs(9, 4, "epoch 1");
  const auto again = masked_inputs(7, 4, "epoch 1");
  const auto next = masked_inputs(7, 4, "epoch 2");
  ASSERT_EQ(again.size(), 2u);
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(differences_of(first[0], again[0], 2), input_lanes);
  EXPECT_EQ(differences_of(first[0], next[0], 2), 0u);
}

}  // namespace
}  // namespace sotto::protocols::testing
