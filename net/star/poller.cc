#include "sotto/net/star/poller.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sotto/core/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::size_t most_at_once = 512;

}  // namespace

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) {
    throw ResourceError(
        fmt::format("the system gives no epoll: {}; raise ulimit -n", std::strerror(errno)));
  }
}

Poller::~Poller() { ::close(epoll_); }

void Poller::watch(std::uint64_t key, const Waitable& wanted, Watch& now) {
  if (wanted.descriptor != now.descriptor) forget(now);
  const bool nothing = !wanted.reading && !wanted.writing;
  // Without events a hang-up would still be reported, again and again.
  if (nothing || wanted.descriptor < 0) return forget(now);
  if (now.descriptor >= 0 && now.reading == wanted.reading && now.writing == wanted.writing) return;
  epoll_event event{};
  event.events = (wanted.reading ? EPOLLIN : 0U) | (wanted.writing ? EPOLLOUT : 0U);
  event.data.u64 = key;
  const int what = now.descriptor < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_, what, wanted.descriptor, &event) != 0) {
    throw ResourceError(fmt::format("a connection cannot be watched: {}", std::strerror(errno)));
  }
  now = Watch{wanted.descriptor, wanted.reading, wanted.writing};
}

void Poller::forget(Watch& now) noexcept {
  if (now.descriptor >= 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, now.descriptor, nullptr);
  now = Watch{};
}

std::span<const std::uint64_t> Poller::wait(std::span<const Waitable> others,
                                            std::chrono::nanoseconds at_most) {
  ready_.clear();
  waitables_.assign(others.begin(), others.end());
  waitables_.push_back(Waitable{epoll_, true, false, Clock::time_point::max()});
  wait_any(waitables_, at_most);
  std::array<epoll_event, most_at_once> events;
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    // Packed: no reference to it may be made.
    const std::uint64_t key = events[static_cast<std::size_t>(i)].data.u64;
    ready_.push_back(key);
  }
  return ready_;
}

}  // namespace sotto::net
