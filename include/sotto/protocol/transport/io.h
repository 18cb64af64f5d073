// The asynchronous operations of one thread, around an Asio io_context.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "sotto/protocol/transport/stream.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace sotto::net {

// A thread that a signal should wake waits at most this long at a time, because the signal may come just before the
// wait begins.
inline constexpr std::chrono::milliseconds longest_uninterrupted{200};

class Io {
 public:
  // Throws ResourceError if the system has no descriptors left.
  Io();
  Io(const Io&) = delete;
  Io& operator=(const Io&) = delete;
  ~Io();

  // Waits until an operation has ended, but at most for the time `at_most`. Then calls the handlers of ended
  // operations, and throws the exceptions that the handlers throw.
  void run_for(std::chrono::nanoseconds at_most);
  void poll() { run_for(std::chrono::nanoseconds(0)); }
  // Calls `call` from within run_for(), which then returns; callable from any thread.
  void post(std::function<void()> call);

  // The context may outlive the Io while another thread uses the context.
  [[nodiscard]] const std::shared_ptr<boost::asio::io_context>& context() const noexcept { return context_; }

 private:
  std::shared_ptr<boost::asio::io_context> context_;
};

// Waits for the events of one stream. Must be destroyed before the stream closes its descriptor.
class Wait {
 public:
  // Calls `ready` once per wait().
  Wait(Io& io, std::function<void()> ready);
  Wait(Wait&&) noexcept;
  Wait& operator=(Wait&&) noexcept;
  ~Wait();

  // Replaces the awaited events. Throws ResourceError if the system cannot watch the descriptor.
  void wait(const Waitable& wanted);

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sotto::net
