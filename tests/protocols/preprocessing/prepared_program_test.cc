// Programs that are prepared one by one: whatever the order in which they are prepared and run, each computes what it
// would alone, and no two of them have a word in common.
#include "protocols/preprocessing/recorded/prepared_program.h"

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/preprocessing/next_stretch.h"
#include "tests/protocols/preprocessing/replicated/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

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

// w^(2^times), with a sharing of zero more where it is asked for.
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

// Of program k: two are prepared at once, one after the other where they share transfers.
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

// A party that draws more than the others is told by what all of them drew, and by that program alone.
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
