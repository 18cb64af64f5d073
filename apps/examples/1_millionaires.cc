// Example 1: who is the richest? Three people learn which of them is the richest, and nothing else.
#include "apps/examples/example.h"

using namespace sotto;

// Every role runs this program. A party passes its own number as `mine`. Messages are sent only at a co_await.
static Task<Matrix> who_is_richest(Session& s, Matrix mine) {
  std::vector<Task<Secret>> inputs;
  for (std::size_t party = 0; party < s.parties(); ++party) inputs.push_back(s.input(party, {1, 1}, mine, 1e6));
  const std::vector<Secret> wealth = co_await all(std::move(inputs));
  Secret richest = co_await row_argmax(hstack(wealth));
  co_return co_await s.reveal(richest, "who is richest");
}

int main() {
  const Matrix a = Matrix::Constant(1, 1, 72'000);
  const Matrix b = Matrix::Constant(1, 1, 91'500);
  const Matrix c = Matrix::Constant(1, 1, 64'250);
  const auto run = simulate({a, b, c}, who_is_richest);  // plays all roles in this process
  Matrix plain(1, 3);
  plain << 0, 1, 0;
  return compared(run, run.result(0), plain, 0);
}
