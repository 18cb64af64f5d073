#pragma once

#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "protocols/preprocessing/recorded/material.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "protocols/preprocessing/transfers/run_transfers.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/randomness_by.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {

inline Topology two() { return Topology::without_dealer(2, false); }

inline Topology makers(RandomnessBy by, bool outside_node = false, bool further_node = false) {
  return topology_of(by, by == RandomnessBy::replicated ? 3 : 2, outside_node, further_node);
}
inline std::string name_of_mode(const ::testing::TestParamInfo<RandomnessBy>& mode) { return name_of(mode.param); }

template <class Program>
auto on_own_randomness(RandomnessBy by, Program program) {
  return [by, program](Party& party) {
    if (by == RandomnessBy::ot) return run_transfers(party, Seed::from_os(), "test", program);
    return run_replicated(party, Seed::from_os(), "test", program);
  };
}

template <class Program>
void run_in(Topology topology, RandomnessBy by, Program program) {
  (void)simulate(topology, on_own_randomness(by, program));
}

struct CostWithoutDealer {
  Cost preprocessing;
  Cost online;
};

// Checks that all parties have opened the same words, and that the roles send the planned bytes. The program's online
// phase must take as many bytes and rounds as with a dealer.
template <class Program>
Numbers run_without_dealer(RandomnessBy by, Program program, CostWithoutDealer* cost = nullptr) {
  const Topology topology = makers(by);
  const std::size_t parties = topology.parties();
  const auto whole = on_own_randomness(by, program);
  const auto run = simulate(topology, whole);
  const Ledger planned = plan(topology, whole);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  const Ledger dealt = plan(Topology::parties_alone(parties), program);
  EXPECT_EQ(run.ledger.of("online").sent, dealt.total().sent);
  EXPECT_EQ(run.ledger.of("online").rounds, dealt.total().rounds);
  for (std::size_t party = 1; party < parties; ++party) EXPECT_EQ(run.nodes[party], run.nodes[0]);
  if (cost != nullptr) *cost = {run.ledger.of("preprocessing"), run.ledger.of("online")};
  return run.nodes[0];
}

class OnPairKeys : public ::testing::TestWithParam<RandomnessBy> {
 protected:
  template <class Program>
  [[nodiscard]] Numbers run(Program program, CostWithoutDealer* cost = nullptr) const {
    return run_without_dealer(GetParam(), program, cost);
  }
  // The number of rounds in which a helper sends its terms of products.
  [[nodiscard]] static unsigned rounds_of_terms() { return GetParam() == RandomnessBy::helper ? 1 : 0; }
};

inline Numbers random_fixed(std::size_t count, double bound, unsigned f, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-bound, bound);
  Numbers words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(fixed(uniform(random), f));
  return words;
}

inline Task<Numbers> best_of_rows(Party& party, Numbers scores, std::size_t arms, ArgmaxOptions options) {
  Numbers all;
  for (std::size_t at = 0; at < scores.size(); at += arms) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(at);
    const Numbers row(begin, begin + static_cast<std::ptrdiff_t>(arms));
    const Numbers one_hot = co_await result_on_masked(
        party, Shape{1, arms}, 40, row, [&party, options](Masked s) { return argmax(party, std::move(s), options); });
    all.insert(all.end(), one_hot.begin(), one_hot.end());
  }
  co_return all;
}

// The arm of each row; each row must be a one-hot.
inline std::vector<std::size_t> arms_of(const Numbers& one_hots, std::size_t arms) {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < one_hots.size(); at += arms) {
    const auto row = std::span(one_hots).subspan(at, arms);
    EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), 1u);
    result.push_back(static_cast<std::size_t>(std::find(row.begin(), row.end(), 1u) - row.begin()));
  }
  return result;
}

inline double chi_square(const std::vector<double>& counts, const std::vector<double>& shares) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = all * shares[i];
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

// Upper 1e-9 points of chi-square, by degrees of freedom.
inline constexpr double limit_1 = 37.4;
inline constexpr double limit_4 = 49.6;
inline constexpr double limit_9 = 62.9;

class StockInMemory final : public MaterialStock {
 public:
  [[nodiscard]] std::uint64_t stretches() const override { return made_.size(); }
  [[nodiscard]] bool is_whole() const override { return whole_; }
  [[nodiscard]] RecordedMaterial read(std::uint64_t number) override {
    auto material = decode_material(made_.at(number));
    if (!material) throw std::runtime_error("taken before");
    return std::move(*material);
  }
  [[nodiscard]] RecordedMaterial take(std::uint64_t number) override {
    RecordedMaterial material = read(number);
    made_.at(number).clear();
    return material;
  }
  void put(const RecordedMaterial& material, bool last) override {
    made_.push_back(encode(material));
    whole_ = last;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes(std::size_t number) const { return made_.at(number); }

 private:
  std::vector<std::vector<std::byte>> made_;
  bool whole_ = false;
};

using Stocks = std::vector<StockInMemory>;

inline std::size_t place_of(const Party& party) {
  for (NodeId node = 0; node < party.topology().nodes(); ++node) {
    if (party.is(node)) return node;
  }
  return party.topology().nodes();  // for the simulated dealer, which is no node
}

}  // namespace sotto::protocols::testing
