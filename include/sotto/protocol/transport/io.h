// The asynchronous operations of one thread: resolving, connecting, accepting, waiting for streams and times. An Asio
// io_context.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "sotto/protocol/transport/stream.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace sotto::net {

// Waits that a signal may end: it may come just before the wait.
inline constexpr std::chrono::milliseconds longest_uninterrupted{200};

class Io {
 public:
  // Throws ResourceError if the system has no descriptors left.
  Io();
  Io(const Io&) = delete;
  Io& operator=(const Io&) = delete;
  ~Io();

  // Waits until an operation has ended, at most so long, and calls the handlers of those that have. What a handler
  // throws comes out here.
  void run_for(std::chrono::nanoseconds at_most);
  // Calls the handlers of operations that have ended.
  void poll() { run_for(std::chrono::nanoseconds(0)); }
  // Calls it from within run_for(), which then returns. Any thread may post, as long as the Io is there.
  void post(std::function<void()> call);

  // Outlives the Io while another thread works for it.
  [[nodiscard]] const std::shared_ptr<boost::asio::io_context>& context() const noexcept { return context_; }

 private:
  std::shared_ptr<boost::asio::io_context> context_;
};

// Waits for what one stream waits for. To be destroyed before the stream closes its descriptor.
class Wait {
 public:
  // `ready` is called whenever what is waited for has come, after which nothing is waited for.
  Wait(Io& io, std::function<void()> ready);
  Wait(Wait&&) noexcept;
  Wait& operator=(Wait&&) noexcept;
  ~Wait();

  // From now on for this, and for nothing else. Throws ResourceError if the system cannot watch the descriptor.
  void wait(const Waitable& wanted);

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sotto::net
