// Material that is made ahead: a program on a stock computes what it does without one, in the messages of its online phase
// alone where the stock is whole; and bytes of material.
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/preprocessing/next_stretch.h"
#include "tests/protocols/preprocessing/replicated/without_dealer.h"
#include "tests/protocols/preprocessing/stock_in_memory.h"
#include "tests/protocols/preprocessing/transfers/two_parties.h"

namespace sotto::protocols::testing {
namespace {

// Nine steps w <- trunc(w w) + x in stretches of two; the last has one.
Task<Numbers> marked_squares(Party& party, Numbers words) {
  const Shape shape{1, 2};
  const Numbers first{std::uint64_t{1} << 18, std::uint64_t{1} << 19};
  Masked w = co_await masked(party, shape, 20, first);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0 && i % 2 == 0) co_await next_stretch(party);
    const Numbers step{words[i], words[i]};
    const Masked x = co_await masked(party, shape, 20, step);
    const Masked square = co_await mask_trunc(party, elementwise(party, w, w), 20, "square");
    w = square + x;
  }
  co_return co_await opened(party, w.shares(party));
}
constexpr std::size_t all_stretches = 5;

Task<Numbers> three_masks(Party& party) {
  const Numbers words(3, 8);
  const Masked x = co_await masked(party, Shape{1, 3}, 20, words);
  co_return co_await opened(party, x.shares(party));
}

struct Mode {
  Topology topology;
  bool by_transfers;

  template <class Program>
  void fill(const Program& program, Stocks& stocks, std::size_t most) const {
    stocks.resize(topology.nodes() + 1);
    (void)simulate(topology, [&](Party& party) {
      StockInMemory& stock = stocks[place_of(party)];
      const auto enough = [&stock, most] { return stock.stretches() >= most; };
      if (by_transfers) return fill_transfers(party, Seed::from_os(), "fill", program, stock, enough);
      return fill_replicated(party, Seed::from_os(), "fill", program, stock, enough);
    });
  }
  template <class Program>
  [[nodiscard]] auto run(const Program& program, Stocks* stocks) const {
    return simulate(topology, [&](Party& party) {
      MaterialStock* stock = stocks != nullptr ? &stocks->at(place_of(party)) : nullptr;
      if (by_transfers) return run_transfers(party, Seed::from_os(), "test", program, program, stock);
      return run_replicated(party, Seed::from_os(), "test", program, program, stock);
    });
  }
};

std::vector<Mode> modes() { return {{three(), false}, {two(), true}}; }

TEST(Stock, ProgramsOnItComputeTheSameInFewerRounds) {
  const Numbers words = random_fixed(9, 0.5, 20, 8);
  std::array<double, 2> expected{0.25, 0.5};
  for (const std::uint64_t word : words) {
    for (double& w : expected) w = w * w + real(word, 20);
  }
  const auto program = [&](Party& party) { return marked_squares(party, words); };
  for (const Mode& mode : modes()) {
    const auto without = mode.run(program, nullptr);
    const std::uint64_t made_in_run = without.ledger.of("preprocessing").rounds;
    std::uint64_t rounds_before = made_in_run;
    // Whole or not, made at once or in two goes.
    for (const std::vector<std::size_t>& goes :
         {std::vector<std::size_t>{0}, {1}, {2, 4}, {all_stretches}, {3, all_stretches}, {all_stretches, 9}}) {
      Stocks stocks;
      for (const std::size_t most : goes) mode.fill(program, stocks, most);
      const std::size_t stretches = std::min(goes.back(), all_stretches);
      for (const StockInMemory& stock : stocks) {
        EXPECT_EQ(stock.stretches(), stretches);
        EXPECT_EQ(stock.is_whole(), stretches == all_stretches);
      }
      const auto run = mode.run(program, &stocks);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(real(run.nodes[0].at(i), 20), expected[i], 1e-4) << stretches;
      for (const Numbers& words_of_node : run.nodes) EXPECT_EQ(words_of_node, run.nodes[0]);
      EXPECT_EQ(run.ledger.of("online").sent, without.ledger.of("online").sent);
      EXPECT_EQ(run.ledger.of("online").rounds, without.ledger.of("online").rounds);
      EXPECT_EQ(run.sent, run.ledger.total().sent);
      EXPECT_EQ(run.rounds, run.ledger.total().rounds);
      // What is in the stock costs no message: the first stretch has one round of keys beside.
      const std::uint64_t rounds = run.ledger.of("preprocessing").rounds;
      EXPECT_LE(rounds, rounds_before);
      if (stretches > 0) {
        EXPECT_LE(rounds, made_in_run * (all_stretches - stretches) / all_stretches + 20);
      }
      rounds_before = rounds;
      // Each was given out, and is there no more.
      for (StockInMemory& stock : stocks) {
        for (std::size_t i = 0; i < stretches; ++i) EXPECT_THROW((void)stock.take(i), std::runtime_error);
      }
    }
  }
}

TEST(Stock, AProgramOfAnotherShapeIsFound) {
  const Numbers words = random_fixed(9, 0.5, 20, 9);
  const auto filled = [&](Party& party) { return marked_squares(party, words); };
  const auto other = [](Party& party) { return three_masks(party); };
  for (const Mode& mode : modes()) {
    Stocks stocks;
    mode.fill(filled, stocks, all_stretches);
    EXPECT_THROW((void)mode.run(other, &stocks), std::logic_error);
  }
}

// Changed bytes are material that encodes to them, or none: sizes never lie.
TEST(Stock, BytesAreReadBackOrRefused) {
  const Numbers words = random_fixed(1, 0.5, 20, 10);
  Stocks stocks;
  modes()[0].fill([&](Party& party) { return marked_squares(party, words); }, stocks, all_stretches);
  const std::vector<std::byte>& bytes = stocks[1].bytes(0);
  const auto material = decode_material(bytes);
  ASSERT_TRUE(material);
  EXPECT_EQ(encode(*material), bytes);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_material(std::span(bytes).first(length))) << length;
  }
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> changed = bytes;
    changed[random() % changed.size()] ^= static_cast<std::byte>(1 + random() % 255);
    const auto read = decode_material(changed);
    if (read) {
      EXPECT_EQ(encode(*read), changed);
    }
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_material(longer));
}

}  // namespace
}  // namespace sotto::protocols::testing
