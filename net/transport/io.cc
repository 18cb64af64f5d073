#include "sotto/protocol/transport/io.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/transport/asio.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::chrono::nanoseconds longest_wait = std::chrono::hours(1);
// Many events must not keep other callers waiting.
constexpr int most_handlers_at_once = 512;

std::shared_ptr<asio::io_context> make_context() {
  try {
    auto context = std::make_shared<asio::io_context>(1);
    const asio::steady_timer first(*context);  // makes the context open all its descriptors now
    return context;
  } catch (const boost::system::system_error& error) {
    throw ResourceError("no connections can be made or taken: " + error.code().message() + "; raise ulimit -n");
  }
}

}  // namespace

Io::Io() : context_(make_context()) {
  context_->get_executor().on_work_started();  // without work, run() waits and does not return
}

Io::~Io() = default;

void Io::run_for(std::chrono::nanoseconds at_most) {
  at_most = std::clamp(at_most, std::chrono::nanoseconds(0), longest_wait);
  context_->run_one_for(at_most);
  for (int i = 1; i < most_handlers_at_once && context_->poll_one() > 0; ++i) continue;
}

void Io::post(std::function<void()> call) { asio::post(*context_, std::move(call)); }

struct Wait::Parts : std::enable_shared_from_this<Wait::Parts> {
  Parts(asio::io_context& context, std::function<void()> when_ready)
      : ready(std::move(when_ready)), descriptor(context), timer(context) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() { let_go(); }

  // The stream owns the descriptor, so only the stream closes it.
  void let_go() noexcept {
    if (!descriptor.is_open()) return;
    descriptor.release();
    reading.pending = writing.pending = false;
    ++generation;
  }
  void watch(int number) {
    if (descriptor.is_open() && descriptor.native_handle() == number) return;
    let_go();
    error_code error;
    descriptor.assign(number, error);
    if (error) throw ResourceError("a connection cannot be watched: " + error.message());
  }

  struct Direction {
    bool wanted = false;
    bool pending = false;  // Asio is waiting
  };
  void want(Direction Parts::*direction, asio::posix::stream_descriptor::wait_type type) {
    Direction& mine = this->*direction;
    mine.wanted = true;
    if (std::exchange(mine.pending, true)) return;
    descriptor.async_wait(type, [weak = weak_from_this(), direction, of = generation](error_code) {
      const auto self = weak.lock();
      if (!self || self->generation != of) return;
      Direction& theirs = (*self).*direction;
      theirs.pending = false;
      if (theirs.wanted) self->call();
    });
  }
  void at(Clock::time_point time) {
    if (time == due) return;
    due = time;
    if (time == Clock::time_point::max()) {
      timer.cancel();
      return;
    }
    timer.expires_at(time);
    timer.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (!self || error || Clock::now() < self->due) return;
      self->call();
    });
  }
  void call() {
    reading.wanted = writing.wanted = false;
    at(Clock::time_point::max());
    ready();
  }

  std::function<void()> ready;
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer timer;
  Clock::time_point due = Clock::time_point::max();
  Direction reading;
  Direction writing;
  std::uint64_t generation = 0;  // of the descriptor
};

Wait::Wait(Io& io, std::function<void()> ready) : parts_(std::make_shared<Parts>(*io.context(), std::move(ready))) {}
Wait::Wait(Wait&&) noexcept = default;
Wait& Wait::operator=(Wait&&) noexcept = default;
Wait::~Wait() = default;

void Wait::wait(const Waitable& wanted) {
  Parts& parts = *parts_;
  parts.reading.wanted = parts.writing.wanted = false;
  if (wanted.descriptor < 0) {
    parts.let_go();
  } else if (wanted.reading || wanted.writing) {
    parts.watch(wanted.descriptor);
    using asio::posix::stream_descriptor;
    if (wanted.reading) parts.want(&Parts::reading, stream_descriptor::wait_read);
    if (wanted.writing) parts.want(&Parts::writing, stream_descriptor::wait_write);
  }
  parts.at(wanted.ready_at);
}

}  // namespace sotto::net
