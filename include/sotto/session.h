// Session: one role's side of a program. Every role runs the same program, each role on its own session. The dealer and
// the planner, which hold no numbers, also run the program.
//
//     Task<Matrix> average(Session& s, Matrix mine) {
//       auto [x, y] = co_await all(s.input(0, {5, 1}, mine), s.input(1, {5, 1}, mine));
//       co_return co_await s.reveal(mean(x + y), "average");
//     }
//     auto run = simulate({first, second}, average);         include/sotto/simulate.h: in this process
//     auto cost = plan(2, average);                               on shapes only
//     auto result = run(config, average, mine);                   include/sotto/run.h: over the network
//
// A program is a coroutine. A program awaits only objects that this library returns; all() awaits several of these
// objects at once. The control flow of a program depends only on run parameters, never on opened values.
// docs/explain/engine.md has the rules of awaits.
//
// Each role calls a program more than once: plan() calls the program, and run() calls the program for its plan and for
// the run itself. Without a dealer, further calls record the program's requests of randomness. Each call of a program
// must make the same requests. Only one of the calls is the run. All other calls have default inputs, and get NaN for
// all opened values, as at the dealer. A program must take everything that it needs as its input, return everything
// that it found as its result, and change nothing else.
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
  double bound = 16;          // bound of inputs that state no bound
  bool has_receiver = false;  // a node outside the parties takes part, and values may be revealed to this node
  // The maker of the randomness (sotto/protocol/preprocessing/randomness_by.h).
  RandomnessBy preprocessing = RandomnessBy::dealer;
};

// An opened value, which has left the computation.
struct Opened {
  std::string name;
  Shape shape;
  std::optional<std::size_t> to;  // the only node that learned the value; empty: all compute parties learned it
  // The lowest precision, in fraction bits, of anything that the value was computed from. Large bounds leave few
  // fraction bits. `bits` is 64 if nothing was rounded. `bits` does not include two errors: public factors keep only 12
  // significant bits or more, and functions have errors of their own (include/sotto/functions.h).
  unsigned bits = 64;
};

namespace detail {
class Trace;
inline constexpr unsigned exact_bits = 64;
inline constexpr std::string_view phase_ahead = "preprocessing";  // a phase of the ledger
}  // namespace detail

class Session {
 public:
  // Called by the runners of programs; the planner passes a trace. Throws std::invalid_argument if options are out of
  // range.
  Session(Party& party, SessionOptions options, detail::Trace* trace = nullptr);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] std::size_t parties() const { return party_.topology().parties(); }
  // The number of the node outside the parties, for input and reveal_to. Throws std::invalid_argument if there is no
  // such node.
  [[nodiscard]] std::size_t receiver() const;
  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }

  // The owner's matrix as a secret. Only the owner's `mine` is read: other roles may pass anything. The secret has as
  // many fraction bits as the bound leaves room for, but never more than the session has. Takes 1 round, and 8 bytes
  // per entry from the owner to each party.
  //
  // Throws InputError at the owner if `mine` does not have the shape `shape`, or has an entry that is not finite or is
  // larger than `bound`. Throws std::invalid_argument if no node has the number `owner`.
  [[nodiscard]] Task<Secret> input(std::size_t owner, Shape shape, const Matrix& mine,
                                   std::optional<double> bound = {});

  // Public numbers as a secret to compute with. The numbers must be the same at all roles. Takes no messages.
  [[nodiscard]] Secret constant(const Matrix& values);
  [[nodiscard]] Secret constant(double value);
  [[nodiscard]] Secret zeros(Shape shape);

  // All compute parties learn the entries, and opened() lists the name. All other roles get NaN. 1 round, 8 bytes per
  // entry from each party to each other party. A product that is not rounded yet is opened without a rounding error.
  [[nodiscard]] Task<Matrix> reveal(Secret x, std::string name = "result");
  [[nodiscard]] Task<Matrix> reveal(Product x, std::string name = "result");
  // Only the node with the number `node` (a party or the receiver) learns the entries. All other roles get NaN.
  [[nodiscard]] Task<Matrix> reveal_to(std::size_t node, Secret x, std::string name = "result");
  [[nodiscard]] Task<Matrix> reveal_to(std::size_t node, Product x, std::string name = "result");
  // The opened values, in order.
  [[nodiscard]] const std::vector<Opened>& opened() const noexcept { return opened_; }

  // From this call on, the ledger adds costs to the phase `name`. Throws std::invalid_argument for "preprocessing", the
  // phase of all randomness that is made ahead of a program.
  void phase(std::string_view name);

  // The party, as an argument for the protocols of docs/explain/engine.md.
  [[nodiscard]] Party& party() noexcept { return party_; }
  // For programs that call the protocols of docs/explain/engine.md: `text` states the parts of a protocol that its
  // rounds and bytes do not show, such as public numbers. run() refuses roles that state another text.
  void agree(std::string_view text);

 private:
  friend struct detail::SecretAccess;
  // Adds an opening to opened_; returns the index of the opening.
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

// Runs tasks and products side by side, so that they share their rounds. Returns the results in order, as a tuple or a
// vector.
template <class... Awaited>
[[nodiscard]] auto all(Awaited... awaited) {
  return when_all(detail::task_of(std::move(awaited))...);
}
template <class T>
[[nodiscard]] auto all(std::vector<Task<T>> tasks) {
  return when_all(std::move(tasks));
}

}  // namespace sotto
