#include "sotto/protocol/mesh/driver/run_program.h"

#include "sotto/protocol/io/open.h"
#include "sotto/protocol/io/share_input.h"
#include "tests/net/roles.h"

namespace sotto::net {
namespace {

Task<Public> opened_number(Party& party) {
  const auto fill = [](std::span<std::uint64_t> words) { words[0] = 42; };
  protocols::Input input = protocols::input_at(party, 0, Shape{1, 1}, 0, fill);
  const Masked shared = co_await protocols::share_input(party, 0, std::move(input), "number");
  co_return co_await protocols::open(party, shared.shares(party), "number");
}

TEST(RunProgram, GivesEveryNodeItsResultAndTheDealerNone) {
  for (const bool further : {false, true}) {
    const Topology topology(3, further);
    std::mutex mutex;
    std::map<NodeId, std::size_t> words;
    const auto outcomes = testing::run_roles(testing::tcp_configs(topology), [&](NodeId role, MeshConfig config) {
      Mesh mesh = set_up_mesh(std::move(config));
      const auto run = run_program(mesh, opened_number);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(run.result.has_value(), role != dealer_id);
      EXPECT_EQ(run.ledger.total().rounds, role == dealer_id ? run.dealer.rounds : run.node.rounds);
      if (role == dealer_id) return;
      EXPECT_EQ(run.node.total_bytes_sent(), run.ledger.total().sent[role]);
      run.result->if_known([&](const Words& known) {
        EXPECT_EQ(known[0], 42u);
        words[role] = known.size();
      });
    });
    testing::expect_all(outcomes, 0);
    EXPECT_EQ(words, (std::map<NodeId, std::size_t>{{0, 1}, {1, 1}, {2, 1}}));
  }
}

TEST(RunProgram, TellsAllWhatAProgramThrowsBeforeItsFirstRound) {
  const auto outcomes = testing::run_roles(testing::tcp_configs(Topology(2)), [](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    (void)run_program(mesh, [role](Party& party) {
      if (role == 1) throw InputError("no data");
      return opened_number(party);
    });
  });
  testing::expect_all(outcomes, 2);
}

}  // namespace
}  // namespace sotto::net
