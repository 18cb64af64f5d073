// Session: one role's side of a program, which every role runs, including the dealer and the planner.
//
//     Task<Matrix> average(Session& s, Matrix mine) {
//       auto [x, y] = co_await all(s.input(0, {5, 1}, mine), s.input(1, {5, 1}, mine));
//       co_return co_await s.reveal(mean(x + y), "average");
//     }
//     auto run = simulate({first, second}, average);         include/sotto/simulate.h: in this process
//     auto cost = plan(2, average);                               on shapes only
//     auto result = run(config, average, mine);                   include/sotto/run.h: over the network
//
// A program is a coroutine, and awaits only objects that this library returns. Its control flow depends only on run
// parameters, never on opened values.
//
// Each role calls a program several times: to plan it, to record its requests of randomness, and for the run itself.
// Only the run has inputs; all other calls have default inputs, and get NaN for opened values. A program must make the
// same requests in each call, and have no effects except its result.
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
  double bound = 16;          // the bound of inputs that state none
  bool has_receiver = false;  // a node outside the parties to which values may be revealed
  RandomnessBy preprocessing = RandomnessBy::dealer;
};

// An opened value.
struct Opened {
  std::string name;
  Shape shape;
  std::optional<std::size_t> to;  // the node that learned the value; empty: all compute parties
  // The lowest precision, in fraction bits, of all intermediate results of the value; 64 if nothing was rounded. The
  // number does not include the errors of functions (include/sotto/functions.h) and the rounding of public factors,
  // which have at least 12 significant bits.
  unsigned bits = 64;
};

namespace detail {
class Trace;
inline constexpr unsigned exact_bits = 64;
inline constexpr std::string_view phase_ahead = "preprocessing";
}  // namespace detail

class Session {
 public:
  // For run(), simulate() and plan(); a program gets its session as an argument. Throws std::invalid_argument if
  // options are out of range.
  Session(Party& party, SessionOptions options, detail::Trace* trace = nullptr);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] std::size_t parties() const { return party_.topology().parties(); }
  // The node number of the receiver. Throws std::invalid_argument if the session has no receiver.
  [[nodiscard]] std::size_t receiver() const;
  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }

  // The owner's matrix as a secret; only the owner's `mine` is read. The secret has as many fraction bits as the bound
  // leaves room for, but at most as many as the session. 1 round, 8 bytes per entry from the owner to each party.
  //
  // Throws InputError at the owner if `mine` has another shape, or an entry that is not finite or whose absolute value
  // is above `bound`. Throws std::invalid_argument if no node has the number `owner`.
  [[nodiscard]] Task<Secret> input(std::size_t owner, Shape shape, const Matrix& mine,
                                   std::optional<double> bound = {});

  // Public numbers, the same at all roles, as a secret. No messages.
  [[nodiscard]] Secret constant(const Matrix& values);
  [[nodiscard]] Secret constant(double value);
  [[nodiscard]] Secret zeros(Shape shape);

  // All compute parties learn the entries, which opened() lists under `name`. All other roles get NaN. 1 round, 8 bytes
  // per entry from each party to each other party. A Product is opened without a rounding error.
  [[nodiscard]] Task<Matrix> reveal(Secret x, std::string name = "result");
  [[nodiscard]] Task<Matrix> reveal(Product x, std::string name = "result");
  // Only the node `node` (a party or the receiver) learns the entries. All other roles get NaN.
  [[nodiscard]] Task<Matrix> reveal_to(std::size_t node, Secret x, std::string name = "result");
  [[nodiscard]] Task<Matrix> reveal_to(std::size_t node, Product x, std::string name = "result");
  [[nodiscard]] const std::vector<Opened>& opened() const noexcept { return opened_; }

  // Adds all later costs to the phase `name`. Throws std::invalid_argument for the name "preprocessing".
  void phase(std::string_view name);

  // For protocols of your own, as in docs/explain/engine.md.
  [[nodiscard]] Party& party() noexcept { return party_; }
  // `text` states what the rounds and bytes of your own protocols do not show, such as public numbers. run() throws
  // before the first round if another role has another text.
  void agree(std::string_view text);

 private:
  friend struct detail::SecretAccess;
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

// Runs tasks and products side by side, so that they share their rounds.
template <class... Awaited>
[[nodiscard]] auto all(Awaited... awaited) {
  return when_all(detail::task_of(std::move(awaited))...);
}
template <class T>
[[nodiscard]] auto all(std::vector<Task<T>> tasks) {
  return when_all(std::move(tasks));
}

}  // namespace sotto
