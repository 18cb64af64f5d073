// Watch: waits for a peer, and meanwhile keeps all links alive and watches all links.
//
// A waiting role tells its peers every two seconds that it waits, and for which peer. A role blames a peer only if the
// role waited for this peer, and the peer was silent for the whole deadline. A peer that itself waits makes progress if
// it begins a new round, or sends 1 KiB of the frame that it owes. If the peer makes no progress, the role blames the
// peer after as many deadlines as the run has roles. A chain of roles that wait for one another has at most this many
// roles, and each role takes at most one deadline.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::net {

// A set of links: bit i is for links()[i].
using LinkSet = std::uint16_t;

[[nodiscard]] constexpr LinkSet bit(std::size_t i) { return static_cast<LinkSet>(1u << i); }
template <class Is>
[[nodiscard]] LinkSet links_that(const Mesh& mesh, Is is) {
  LinkSet found = 0;
  for (std::size_t i = 0; i < mesh.links().size(); ++i) {
    if (is(*mesh.links()[i])) found |= bit(i);
  }
  return found;
}
[[nodiscard]] inline LinkSet bit_of_dealer(const Mesh& mesh) {
  return links_that(mesh, [](const Link& link) { return link.peer() == dealer_id; });
}

class Watch {
 public:
  Watch(const Mesh& mesh, const DriverOptions& options);

  // Calls step(thorough) until `step` returns the empty set, and returns the seconds spent waiting. A step that is not
  // thorough may stop at the first peer that is not ready. Throws NetworkError, RemoteFailure, ProtocolError or
  // Interrupted.
  template <class Step>
  double until(std::uint64_t round, Step step) {
    if (step(true) == 0) return 0;
    const Clock::time_point start = Clock::now();
    bool thorough = false;
    for (;;) {
      const LinkSet awaited = step(thorough);
      const Clock::time_point now = Clock::now();
      if (awaited == 0) return std::chrono::duration<double>(now - start).count();
      if (now - start < spin_time_) {
        sched_yield();
      } else {
        if (std::exchange(thorough, true)) wait(awaited, round, start, now);
      }
    }
  }

  // Replaces DriverOptions::spin; an empty `time` restores DriverOptions::spin.
  void spin_for(std::optional<std::chrono::microseconds> time) noexcept {
    spin_time_ = time.value_or(usual_spin_time_);
  }

  // Waits while no frame is due. The wait ends if bytes have arrived and been read, if `wake` can be read, or at the
  // time `end`. A negative `wake` is no descriptor. Returns true if `wake` can be read. Throws the errors of until().
  // Throws NetworkError if any peer is silent for the whole deadline, except a peer whose frame has arrived and is not
  // taken yet.
  [[nodiscard]] bool idle(std::uint64_t round, int wake, Clock::time_point end);

  // Looks at all links now and then. A role that never waits calls pass() instead of until().
  void pass(std::uint64_t round) {
    if (Clock::now() >= next_look_) look(0, round);
  }

  // Bytes that arrive on `links` also end a wait, because these bytes may be frames of concurrent programs.
  void read_concurrent(LinkSet links) noexcept { read_concurrent_ = links; }
  // Throws ProtocolError if the peer of link `i`, which owes a frame since `since`, has made no progress for as many
  // deadlines as the run has roles.
  void check_not_stuck(std::size_t i, Clock::time_point since, std::uint64_t round) const {
    if (Clock::now() - std::max(since, progress_[i].at) >= longest_chain_) stuck(*links_[i], round);
  }

  // Throws the error for a peer that closed the link while its frame was due.
  [[noreturn]] void lost(const Link& link, std::uint64_t round) const;

  // Throws ProtocolError if the peer is in a later round and so left out the frame of `round`.
  void check_not_passed(const Link& link, std::uint64_t round) const {
    if (link.announced_round() > round) passed(link, round);
  }

 private:
  void wait(LinkSet awaited, std::uint64_t round, Clock::time_point start, Clock::time_point now);
  // Reads from all links. Returns true if bytes have come since the last call. Bytes in a buffer also count, although
  // poll() does not see buffers.
  bool look(LinkSet awaited, std::uint64_t round);
  [[nodiscard]] bool reads(std::size_t i) const { return (read_concurrent_ >> i & 1) != 0 || !links_[i]->holds_data(); }
  bool receive(std::size_t i, Clock::time_point now);
  void check_not_lost(const Link& link, std::uint64_t round) const;
  // Throws Interrupted if the run was interrupted.
  void speak(LinkSet awaited, std::uint64_t round, Clock::time_point now);
  void note_progress(std::size_t i, Clock::time_point now);
  [[noreturn]] void silent(const Link& link, std::uint64_t round) const;
  [[noreturn]] void stuck(const Link& link, std::uint64_t round) const;
  [[noreturn]] void passed(const Link& link, std::uint64_t round) const;

  struct Progress {
    Clock::time_point at;
    std::uint64_t round = 0;
    std::size_t bytes = 0;
  };

  const std::vector<std::unique_ptr<Link>>& links_;
  DriverOptions options_;
  std::chrono::microseconds usual_spin_time_;
  std::chrono::microseconds spin_time_;
  std::chrono::milliseconds longest_chain_;
  LinkSet read_concurrent_ = 0;
  std::vector<Clock::time_point> last_heard_;
  std::vector<Progress> progress_;
  std::chrono::milliseconds between_words_;
  Clock::time_point next_look_;
  Clock::time_point next_word_;
  std::vector<Waitable> waitables_;
};

}  // namespace sotto::net
