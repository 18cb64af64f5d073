// The asynchronous operations of one thread: resolving, connecting, accepting, waiting for streams and times. Io wraps
// an Asio io_context.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "sotto/protocol/transport/stream.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace sotto::net {

// The longest duration of a wait that a signal should end, because the signal may come just before the wait begins.
inline constexpr std::chrono::milliseconds longest_uninterrupted{200};

class Io {
 public:
  // Throws ResourceError if the system has no descriptors left.
  Io();
  Io(const Io&) = delete;
  Io& operator=(const Io&) = delete;
  ~Io();

  // Waits until an operation has ended, for at most `at_most`. Calls the handlers of all operations that have ended.
  // run_for() passes on an exception of a handler.
  void run_for(std::chrono::nanoseconds at_most);
  // Calls the handlers of operations that have ended.
  void poll() { run_for(std::chrono::nanoseconds(0)); }
  // Calls `call` from within run_for(), which then returns. Any thread may call post() while the Io exists.
  void post(std::function<void()> call);

  // The io_context, which outlives the Io as long as another thread works for the io_context.
  [[nodiscard]] const std::shared_ptr<boost::asio::io_context>& context() const noexcept { return context_; }

 private:
  std::shared_ptr<boost::asio::io_context> context_;
};

// Waits for the events that one stream waits for. A Wait must be destroyed before the stream closes its descriptor.
class Wait {
 public:
  // `ready` is called once the awaited event has come; after that nothing is awaited.
  Wait(Io& io, std::function<void()> ready);
  Wait(Wait&&) noexcept;
  Wait& operator=(Wait&&) noexcept;
  ~Wait();

  // From now on, waits for the events of `wanted`, and for no other events. Throws ResourceError if the system cannot
  // watch the descriptor.
  void wait(const Waitable& wanted);

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sotto::net
