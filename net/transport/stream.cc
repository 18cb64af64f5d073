#include "sotto/net/transport/stream.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

namespace sotto::net {

void wait_any(std::span<const Waitable> waitables, std::chrono::nanoseconds at_most) {
  const Clock::time_point now = Clock::now();
  // A role that waits takes no memory for it: a mesh has fewer links than this.
  std::array<pollfd, 16> few;
  std::vector<pollfd> many(waitables.size() > few.size() ? waitables.size() : 0);
  pollfd* const descriptors = many.empty() ? few.data() : many.data();
  nfds_t count = 0;
  for (const Waitable& w : waitables) {
    if (w.ready_at <= now) return;
    if (w.ready_at != Clock::time_point::max()) at_most = std::min(at_most, w.ready_at - now);
    const int events = (w.reading ? POLLIN : 0) | (w.writing ? POLLOUT : 0);
    // A descriptor without events would still report a hang-up, again and again.
    if (w.descriptor >= 0 && events != 0) descriptors[count++] = pollfd{w.descriptor, static_cast<short>(events), 0};
  }
  at_most = std::max(at_most, std::chrono::nanoseconds(0));
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(at_most.count() / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(at_most.count() % 1'000'000'000);
  if (ppoll(descriptors, count, &timeout, nullptr) < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "ppoll");
  }
}

}  // namespace sotto::net
