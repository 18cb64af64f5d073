#include "protocols/preprocessing/recorded/run_recorded.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "tests/protocols/preprocessing/replicated/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

// Nine steps w <- trunc(w w) + x in stretches of two; the last stretch has one step.
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
    return run(program, program, stocks);
  }
  template <class Program, class Recorded>
  [[nodiscard]] auto run(const Program& program, const Recorded& recorded, Stocks* stocks) const {
    return simulate(topology, [&](Party& party) {
      MaterialStock* stock = stocks != nullptr ? &stocks->at(place_of(party)) : nullptr;
      if (by_transfers) return run_transfers(party, Seed::from_os(), "test", program, recorded, stock);
      return run_replicated(party, Seed::from_os(), "test", program, recorded, stock);
    });
  }
};

std::vector<Mode> modes() { return {{three(), false}, {two(), true}, {Topology::with_helper(false, false), false}}; }

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
      for (NodeId party = 1; party < mode.topology.parties(); ++party) EXPECT_EQ(run.nodes[party], run.nodes[0]);
      EXPECT_EQ(run.ledger.of("online").sent, without.ledger.of("online").sent);
      EXPECT_EQ(run.ledger.of("online").rounds, without.ledger.of("online").rounds);
      EXPECT_EQ(run.sent, run.ledger.total().sent);
      EXPECT_EQ(run.rounds, run.ledger.total().rounds);
      // Material in the stock costs no message: the first stretch only adds one round of keys.
      const std::uint64_t rounds = run.ledger.of("preprocessing").rounds;
      EXPECT_LE(rounds, rounds_before);
      if (stretches > 0) {
        EXPECT_LE(rounds, made_in_run * (all_stretches - stretches) / all_stretches + 20);
      }
      rounds_before = rounds;
      for (StockInMemory& stock : stocks) {
        for (std::size_t i = 0; i < stretches; ++i) EXPECT_THROW((void)stock.take(i), std::runtime_error);
      }
    }
  }
}

// Opens a word. During the run, the role `astray` draws one more sharing of zero than was recorded.
Task<Numbers> one_opened(Party& party, NodeId astray) {
  Numbers words = co_await three_masks(party);
  if (party.is(astray)) (void)party.preprocessing().zero(1, 64, Group::sum);
  co_return words;
}

// No later stretch can show the fault, so the end of the run must show it. With a whole stock, no stretch is made at
// all.
TEST(EndOfARun, FindsARoleThatFellOutOfStepSinceTheLastStretch) {
  for (const Mode& mode :
       {Mode{Topology::without_dealer(3, true), false}, Mode{Topology::without_dealer(2, true), true},
        Mode{Topology::with_helper(true, false), false}}) {
    for (NodeId astray = 0; astray <= mode.topology.nodes(); ++astray) {
      const auto program = [astray](Party& party) { return one_opened(party, astray); };
      const auto in_step = [](Party& party) { return three_masks(party); };
      for (const bool stocked : {false, true}) {
        Stocks stocks;
        if (stocked) mode.fill(in_step, stocks, 1);
        const auto run = [&] { (void)mode.run(program, in_step, stocked ? &stocks : nullptr); };
        if (astray == mode.topology.nodes()) {
          EXPECT_NO_THROW(run());
        } else {
          EXPECT_THAT(error_of<ProtocolError>(run), ::testing::HasSubstr("drew other correlations")) << astray;
        }
      }
    }
  }
}

TEST(EndOfARun, IsOneRound) {
  for (const Mode& mode : modes()) {
    Stocks stocks;
    mode.fill(three_masks, stocks, 1);
    const auto run = mode.run(three_masks, three_masks, &stocks);
    const std::uint64_t keys = mode.by_transfers ? 2 : 1;
    EXPECT_EQ(run.ledger.of("preprocessing").rounds, keys + 1);
    EXPECT_EQ(run.rounds, run.ledger.total().rounds);
    EXPECT_EQ(run.sent, run.ledger.total().sent);
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

struct PieceMode {
  Topology topology;
  bool by_transfers;

  [[nodiscard]] Task<MakePieces> agree(Party& party) const {
    if (by_transfers) return agree_on_all_transfer_pieces(party, Seed::from_os(), "test");
    return agree_on_pair_pieces(party, Seed::from_os());
  }
};

std::vector<PieceMode> piece_modes() {
  return {{three(), false}, {two(), true}, {Topology::with_helper(false, false), false}};
}

Task<Numbers> squared(Party& party, std::uint64_t word, unsigned times, bool draws_more) {
  const Numbers words{word, word};
  Masked w = co_await masked(party, Shape{1, 2}, 20, words);
  for (unsigned i = 0; i < times; ++i) w = co_await mask_trunc(party, elementwise(party, w, w), 20, "square");
  if (draws_more) (void)party.preprocessing().zero(1, 64, Group::sum);
  co_return co_await opened(party, w.shares(party));
}

struct Ran {
  Numbers opened;
  std::uint64_t drawn = 0;
};

Task<Ran> run_one(Party& party, PreparedProgram prepared, std::uint64_t word, unsigned times, bool draws_more = false) {
  const auto program = [=](Party& at) { return squared(at, word, times, draws_more); };
  PreparedRun<Numbers> run = co_await run_prepared(party, std::move(prepared), program);
  co_return Ran{std::move(run.result), run.drawn};
}

constexpr std::array<std::uint64_t, 4> some_words{1 << 18, 1 << 19, 3 << 18, 1 << 20};

// Prepares and runs programs k = 1 to 3. Two programs are prepared concurrently, or one after the other if they share
// transfers.
Task<std::vector<Ran>> prepared_and_run(Party& party, const PieceMode& mode, bool odd_draws_more) {
  const MakePieces make = co_await mode.agree(party);
  const auto prepared = [&](unsigned k) {
    const auto recorded = [k](Party& at) { return squared(at, 0, k, false); };
    return prepare_program(party, make(std::to_string(k)), recorded);
  };
  auto [one, two] = co_await when_all(prepared(1), prepared(2));
  auto [ran_two, three] = co_await when_all(run_one(party, std::move(two), some_words[2], 2), prepared(3));
  const bool more = odd_draws_more && party.is(1);
  auto [ran_three, ran_one] = co_await when_all(run_one(party, std::move(three), some_words[3], 3),
                                                run_one(party, std::move(one), some_words[1], 1, more));
  std::vector<Ran> all;
  all.push_back(std::move(ran_one));
  all.push_back(std::move(ran_two));
  all.push_back(std::move(ran_three));
  co_return all;
}

TEST(PreparedPrograms, ComputeTheSameInAnyOrder) {
  for (const PieceMode& mode : piece_modes()) {
    const auto program = [&](Party& party) { return prepared_and_run(party, mode, false); };
    const auto run = simulate(mode.topology, program);
    const Ledger planned = plan(mode.topology, program);
    EXPECT_EQ(planned.total().sent, run.sent);
    EXPECT_EQ(planned.total().rounds, run.rounds);
    for (unsigned k = 1; k <= 3; ++k) {
      double expected = real(some_words[k], 20);
      for (unsigned i = 0; i < k; ++i) expected *= expected;
      const Ran& of_first = run.nodes[0].at(k - 1);
      EXPECT_NEAR(real(of_first.opened.at(0), 20), expected, 1e-4) << k;
      for (NodeId party = 1; party < mode.topology.parties(); ++party) {
        EXPECT_EQ(run.nodes[party].at(k - 1).opened, of_first.opened);
        EXPECT_EQ(run.nodes[party].at(k - 1).drawn, of_first.drawn);
      }
    }
  }
}

TEST(PreparedPrograms, WhatWasDrawnTellsWhoIsOutOfStep) {
  for (const PieceMode& mode : piece_modes()) {
    const auto run = simulate(mode.topology, [&](Party& party) { return prepared_and_run(party, mode, true); });
    EXPECT_NE(run.nodes[1].at(0).drawn, run.nodes[0].at(0).drawn);
    EXPECT_EQ(run.nodes[1].at(1).drawn, run.nodes[0].at(1).drawn);
    EXPECT_EQ(run.nodes[1].at(2).drawn, run.nodes[0].at(2).drawn);
  }
}

Task<std::vector<Numbers>> draws_of(Party& party, const PieceMode& mode, std::vector<std::string> labels) {
  const MakePieces make = co_await mode.agree(party);
  std::vector<Numbers> draws;
  for (const std::string& label : labels) {
    const auto pieces = make(label);
    const WordPieces uniform = pieces->uniform(32, 64);
    const Words zero = pieces->zero(32, 64, Group::exclusive_or);
    const InputPieces input = pieces->input(0, 32);
    Numbers all(uniform.own.begin(), uniform.own.end());
    all.insert(all.end(), zero.begin(), zero.end());
    if (party.is(0)) all.insert(all.end(), input.known.begin(), input.known.end());
    draws.push_back(std::move(all));
  }
  co_return draws;
}

TEST(PreparedPrograms, HaveStreamsOfTheirOwn) {
  for (const PieceMode& mode : piece_modes()) {
    const std::vector<std::string> labels{"1", "2", "11", "1"};
    const auto run = simulate(mode.topology, [&](Party& party) { return draws_of(party, mode, labels); });
    const std::vector<Numbers>& draws = run.nodes[0];
    std::set<std::uint64_t> words;
    for (std::size_t i = 0; i < 3; ++i) words.insert(draws[i].begin(), draws[i].end());
    EXPECT_EQ(words.size(), 3u * 96);
    EXPECT_EQ(draws[3], draws[0]) << "a label that is used again: the control";
  }
}

Task<Numbers> with_a_mark(Party& party) {
  const Numbers words(2, 8);
  (void)co_await masked(party, Shape{1, 2}, 20, words);
  co_await next_stretch(party);
  co_return co_await opened(party, (co_await masked(party, Shape{1, 2}, 20, words)).shares(party));
}

Task<Numbers> run_marked(Party& party, const PieceMode& mode) {
  const MakePieces make = co_await mode.agree(party);
  const auto program = [](Party& at) { return with_a_mark(at); };
  PreparedProgram prepared = co_await prepare_program(party, make("marked"), program);
  co_return (co_await run_prepared(party, std::move(prepared), program)).result;
}

TEST(PreparedPrograms, AreOfOneStretch) {
  for (const PieceMode& mode : piece_modes()) {
    EXPECT_THROW((void)simulate(mode.topology, [&](Party& party) { return run_marked(party, mode); }),
                 std::logic_error);
  }
}

}  // namespace
}  // namespace sotto::protocols::testing
