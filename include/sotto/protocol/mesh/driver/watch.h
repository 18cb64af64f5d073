// Waiting for peers: keeps all links alive and watched while this role waits for one of them.
//
// A wait retries with sched_yield for 100 us a party, since answers mostly come within that time, and then polls.
// During a wait the role says every two seconds that it waits, and for whom. It also reads the other links. It blames a
// peer only if it waited for that peer and the peer was silent for the whole deadline.
//
// A peer that waits itself is not silent. But a peer that says so and makes no progress is blamed after as many
// deadlines as the run has roles. Progress is a new round, or 1 KiB of the frame that is due. A chain of roles that
// wait for one another cannot last longer, so such a peer is in no chain.
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

// The peers that a step still needs: bit i is links()[i].
using LinkSet = std::uint16_t;

[[nodiscard]] constexpr LinkSet bit(std::size_t i) { return static_cast<LinkSet>(1u << i); }
// The bits of the links for which `is` is true.
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

  // Calls step(thorough) until it returns the empty set. A step that is not thorough may stop at the first peer that is
  // not ready. Asking all other peers costs system calls, for which the peers' own work would wait, and the next call
  // comes a moment later. Returns the seconds spent waiting. Throws NetworkError, RemoteFailure, ProtocolError or
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
        // First one thorough step: a link that was not asked would be found readable at once.
        if (std::exchange(thorough, true)) wait(awaited, round, start, now);
      }
    }
  }

  // Replaces DriverOptions::spin from now on. Without a time, DriverOptions::spin holds again.
  void spin_for(std::optional<std::chrono::microseconds> time) noexcept {
    spin_time_ = time.value_or(usual_spin_time_);
  }

  // Waits where nothing is due. Returns when bytes have come, when `wake` (a descriptor; none if negative) can be read,
  // at `end`, or after some moments. The result says whether `wake` can be read. The bytes that have come are then in
  // the links. Only links with something to read are asked for their next frame: asking costs a system call.
  //
  // Throws as until() does, and NetworkError if any peer is silent for the whole deadline. A peer with a frame here
  // that nobody takes yet is not silent: anything that it sends after that frame is not read.
  [[nodiscard]] bool idle(std::uint64_t round, int wake, Clock::time_point end);

  // To be called once a round. Looks at all links now and then, so that a role that never waits still hears of failures
  // and says that it is alive.
  void pass(std::uint64_t round) {
    if (Clock::now() >= next_look_) look(0, round);
  }

  // Links with a part of a frame that a concurrent program still needs: bytes on these links end a wait, too.
  void read_concurrent(LinkSet links) noexcept { read_concurrent_ = links; }
  // To be called where the peer of link `i` has owed a frame since `since`. Throws ProtocolError if that peer has made
  // no progress for as many deadlines as the run has roles.
  void check_not_stuck(std::size_t i, Clock::time_point since, std::uint64_t round) const {
    if (Clock::now() - std::max(since, progress_[i].at) >= longest_chain_) stuck(*links_[i], round);
  }

  // Throws the error of a peer whose direction ended while something was due from it.
  [[noreturn]] void lost(const Link& link, std::uint64_t round) const;

  // To be called where `link` holds no data frame and its frame of `round` is due. Throws ProtocolError if the peer has
  // said that it is in a later round: then it left that frame out.
  void check_not_passed(const Link& link, std::uint64_t round) const {
    if (link.told_round() > round) passed(link, round);
  }

 private:
  void wait(LinkSet awaited, std::uint64_t round, Clock::time_point start, Clock::time_point now);
  // Reads from all links. True if bytes have come since the last look: awaited bytes may then be in a buffer, which
  // poll does not see.
  bool look(LinkSet awaited, std::uint64_t round);
  // Whether bytes on link `i` end a wait for something else. A frame of a later round stays in place until its round.
  [[nodiscard]] bool reads(std::size_t i) const { return (read_concurrent_ >> i & 1) != 0 || !links_[i]->holds_data(); }
  // Whether bytes have come on link `i`.
  bool hear(std::size_t i, Clock::time_point now);
  void check_not_lost(const Link& link, std::uint64_t round) const;
  // Sends the control frames that are due. Throws Interrupted where the run was interrupted.
  void speak(LinkSet awaited, std::uint64_t round, Clock::time_point now);
  void note_progress(std::size_t i, Clock::time_point now);
  [[noreturn]] void silent(const Link& link, std::uint64_t round) const;
  [[noreturn]] void stuck(const Link& link, std::uint64_t round) const;
  [[noreturn]] void passed(const Link& link, std::uint64_t round) const;

  // When a peer last made progress, and how far it was.
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
  std::chrono::milliseconds between_words_;  // shortened to a quarter of the deadline where that is less
  Clock::time_point next_look_;
  Clock::time_point next_word_;
  std::vector<Waitable> waitables_;
};

}  // namespace sotto::net
