#include "sotto/protocol/transport/stream.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

namespace sotto::net {
namespace {

// A descriptor without events would still report a hang-up, again and again.
bool polls(const Waitable& w) { return w.descriptor >= 0 && (w.reading || w.writing); }

std::uint64_t can_go_on(std::span<const Waitable> waitables, const pollfd* polled) {
  constexpr std::size_t most = 64;
  const Clock::time_point now = Clock::now();
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < std::min(waitables.size(), most); ++i) {
    const bool has_event = polls(waitables[i]) && (polled++)->revents != 0;
    if (has_event || waitables[i].ready_at <= now) found |= std::uint64_t{1} << i;
  }
  return found;
}

}  // namespace

std::uint64_t wait_any(std::span<const Waitable> waitables, std::chrono::nanoseconds at_most) {
  const Clock::time_point now = Clock::now();
  // A role that waits takes no memory for it: a mesh has fewer links than this.
  std::array<pollfd, 16> few;
  std::vector<pollfd> many(waitables.size() > few.size() ? waitables.size() : 0);
  pollfd* const descriptors = many.empty() ? few.data() : many.data();
  nfds_t count = 0;
  for (const Waitable& w : waitables) {
    if (w.ready_at != Clock::time_point::max()) at_most = std::min<std::chrono::nanoseconds>(at_most, w.ready_at - now);
    const int events = (w.reading ? POLLIN : 0) | (w.writing ? POLLOUT : 0);
    if (polls(w)) descriptors[count++] = pollfd{w.descriptor, static_cast<short>(events), 0};
  }
  at_most = std::max(at_most, std::chrono::nanoseconds(0));
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(at_most.count() / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(at_most.count() % 1'000'000'000);
  if (ppoll(descriptors, count, &timeout, nullptr) < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "ppoll");
  }
  return can_go_on(waitables, descriptors);
}

}  // namespace sotto::net
