// Session: one role's side of a program. Every role runs the same program, each on its own session; the dealer and the
// planner too, which hold no numbers.
//
//     Task<Matrix> average(Session& s, Matrix mine) {
//       auto [x, y] = co_await all(s.input(0, {5, 1}, mine), s.input(1, {5, 1}, mine));
//       co_return co_await s.reveal(mean(x + y), "average");
//     }
//     auto run = simulate({first, second}, average);         include/sotto/simulate.h: in this process
//     auto cost = plan(2, average);                               on shapes alone
//     auto result = run(config, average, mine);                   include/sotto/run.h: over the network
//
// A program is a coroutine. It awaits what this library gives and nothing else, side by side with all(). Its control
// flow depends on run parameters alone, never on what was opened. docs/engine.md has the rules of awaits.
//
// It is called more than once at a role: by plan, by run for its plan, and without a dealer some times more, for what
// it asks of randomness. Each call must ask for the same. Only one of them is the run: the others have inputs that are
// made of nothing and NaN for all that is opened, as the dealer has. So a program takes what it needs as its input,
// gives what it found by its result, and acts on nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/matrix.h"
#include "sotto/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/randomness_by.h"
#include "sotto/secret.h"

namespace sotto {

struct SessionOptions {
  unsigned bits = 20;         // fraction bits of products and functions, 8 to 24
  double bound = 16;          // of inputs that state none
  bool has_receiver = false;  // a node outside the parties takes part, to which values may be revealed
  // Who makes the randomness (sotto/protocol/preprocessing/randomness_by.h).
  RandomnessBy preprocessing = RandomnessBy::dealer;
};

// A value that left the computation.
struct Opened {
  std::string name;
  Shape shape;
  std::optional<std::size_t> to;  // the one node that learned it; nothing: all compute parties
  // Of all that the value was computed from, the fewest fraction bits that something was rounded to: large bounds leave
  // few. 64 where nothing was rounded. Public factors, which keep 12 significant bits at least, and the errors of
  // functions (include/sotto/functions.h) come beside.
  unsigned bits = 64;
};

namespace detail {
class Trace;
inline constexpr unsigned exact_bits = 64;
inline constexpr std::string_view phase_ahead = "preprocessing";  // of the ledger
}  // namespace detail

class Session {
 public:
  // For who runs programs; who plans them has a trace. Throws std::invalid_argument where options are out of range.
  Session(Party& party, SessionOptions options, detail::Trace* trace = nullptr);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] std::size_t parties() const { return party_.topology().parties(); }
  // The number of the node outside the parties, for input and reveal_to. Throws std::invalid_argument if there is none.
  [[nodiscard]] std::size_t receiver() const;
  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }

  // The owner's matrix, in secret. `mine` is looked at by the owner alone: others may give anything. Throws InputError
  // at the owner where it has another shape, or an entry that is not finite or larger than `bound`;
  // std::invalid_argument where nobody has that number. The fraction bits are as many as the bound leaves room for, up
  // to those of the session. 1 round, 8 bytes an entry from the owner to each party.
  [[nodiscard]] Task<Secret> input(std::size_t owner, Shape shape, const Matrix& mine,
                                   std::optional<double> bound = {});

  // Public numbers as a secret that can be computed with: the same at all roles. Without messages.
  [[nodiscard]] Secret constant(const Matrix& values);
  [[nodiscard]] Secret constant(double value);
  [[nodiscard]] Secret zeros(Shape shape);

  // All compute parties learn the entries, and the name is entered in opened(). NaN at all others. 1 round, 8 bytes an
  // entry from each party to each other; a product that is not rounded yet is opened without an error.
  [[nodiscard]] Task<Matrix> reveal(Secret x, std::string name = "result");
  [[nodiscard]] Task<Matrix> reveal(Product x, std::string name = "result");
  // One party, or the receiver, learns them and nobody else. NaN at all others.
  [[nodiscard]] Task<Matrix> reveal_to(std::size_t node, Secret x, std::string name = "result");
  [[nodiscard]] Task<Matrix> reveal_to(std::size_t node, Product x, std::string name = "result");
  // In order.
  [[nodiscard]] const std::vector<Opened>& opened() const noexcept { return opened_; }

  // From here on the account goes to this phase. Throws std::invalid_argument for "preprocessing", which is what is
  // made ahead of a program.
  void phase(std::string_view name);

  // What the protocols of docs/engine.md take.
  [[nodiscard]] Party& party() noexcept { return party_; }
  // What such a protocol has beside its rounds and bytes, such as public numbers: run() refuses roles with other text.
  void agree(std::string_view text);

 private:
  friend struct detail::SecretAccess;
  // Its place in opened_.
  [[nodiscard]] std::size_t entered(std::string name, Shape shape, std::optional<std::size_t> to);
  [[nodiscard]] Task<Matrix> open(Secret x, std::size_t place);
  [[nodiscard]] Task<Matrix> open_exactly(Product x, std::size_t place);

  Party& party_;
  SessionOptions options_;
  detail::Trace* trace_;
  std::vector<Opened> opened_;
};

namespace detail {
template <class T>
[[nodiscard]] Task<T> task_of(Task<T> task) {
  return task;
}
[[nodiscard]] inline Task<Secret> task_of(Product product) { return rounded(std::move(product)); }
}  // namespace detail

// Tasks and products side by side: they share their rounds. The results in order, as a tuple or a vector.
template <class... Awaited>
[[nodiscard]] auto all(Awaited... awaited) {
  return when_all(detail::task_of(std::move(awaited))...);
}
template <class T>
[[nodiscard]] auto all(std::vector<Task<T>> tasks) {
  return when_all(std::move(tasks));
}

}  // namespace sotto
