// Example 1: who has the largest value?
//
// Three firms want to know which of them pays most, and nothing else. Here all of them run in this one process, in
// lockstep and over frames in memory: simulate() is how protocols are tried out, tested and explained. Example 2 runs a
// program in processes of its own.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "sotto/core/async/when_all.h"
#include "sotto/core/sharing/public.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/simulate/simulate.h"

using namespace sotto;
using namespace sotto::protocols;

namespace {

// Salaries are whole numbers below 2^20, which everybody may know. Two of them differ by less than 2^20, and argmax
// wants differences below 2^(bits - 1) - 1.
constexpr unsigned comparison_bits = 22;

// The program. Every role runs it: each party with its own salary, and the dealer, who sees no message and provides
// randomness, with none. `salary` is what this role's owner brings.
Task<Public> who_pays_most(Party& party, std::vector<std::uint64_t> salaries) {
  // Each party shares its value, masked. The tasks run side by side, so this takes one round.
  std::vector<Task<Masked>> tasks;
  for (NodeId owner = 0; owner < party.topology().parties(); ++owner) {
    // The lambda runs at the owner alone: no other role ever touches this number.
    Input input =
        input_at(party, owner, Shape{1, 1}, 0, [&](std::span<std::uint64_t> words) { words[0] = salaries[owner]; });
    tasks.push_back(share_input(party, owner, std::move(input), "salary"));
  }
  const std::vector<Masked> masked = co_await when_all(std::move(tasks));

  // One value with a column a party; argmax turns it into shares of a one-hot, 0 .. 0 1 0 .. 0.
  Arith one_hot = co_await argmax(party, hstack(masked), ArgmaxOptions{0, comparison_bits, {}});

  // Only now does anybody learn anything.
  co_return co_await open(party, std::move(one_hot), "who pays most");
}

}  // namespace

int main() {
  const std::vector<std::uint64_t> salaries{72'000, 91'500, 64'250};
  const Topology topology(salaries.size());
  const auto run = simulate(topology, [&salaries](Party& party) { return who_pays_most(party, salaries); });

  // run.nodes[p] is what party p returned; all parties have opened the same words.
  std::size_t winner = salaries.size();
  run.nodes[0].if_known([&](const Words& one_hot) {
    for (std::size_t p = 0; p < one_hot.size(); ++p) {
      if (one_hot[p] == 1) winner = p;
    }
  });
  std::printf("party %zu pays most; what it pays, and what the others pay, nobody learned\n", winner);
  std::printf("%llu rounds; party 0 sent %llu bytes, the dealer %llu\n", static_cast<unsigned long long>(run.rounds),
              static_cast<unsigned long long>(run.sent[0]), static_cast<unsigned long long>(run.dealt));
  return winner == 1 ? 0 : 1;
}
