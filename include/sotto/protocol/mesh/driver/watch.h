// Waiting for peers: while this role waits for one peer, all links are kept alive and watched.
//
// A wait first retries with sched_yield for 100 us per party, since answers mostly come within that time, and then
// polls. A waiting role tells its peers every two seconds that it waits, and which peer it waits for. A waiting role
// also reads all other links. A role blames a peer only if the role waited for this peer, and the peer was silent for
// the whole deadline.
//
// A peer that says that it waits is not silent. A waiting peer that makes no progress is blamed after as many deadlines
// as the run has roles. Progress is a new round, or 1 KiB of the frame that is due. A chain of roles that wait for one
// another ends within one deadline per role, so a peer that takes longer is not part of such a chain.
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

// A set of links, such as the peers that a step still needs: bit i is for links()[i].
using LinkSet = std::uint16_t;

[[nodiscard]] constexpr LinkSet bit(std::size_t i) { return static_cast<LinkSet>(1u << i); }
// The bits of the links for which `is` returns true.
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

  // Calls step(thorough) until `step` returns the empty set. A step that is not thorough may stop at the first peer
  // that is not ready. The step need not ask the remaining peers: this would cost system calls and delay the peers' own
  // work, and the next call of `step` comes a moment later. Returns the seconds spent waiting. Throws NetworkError,
  // RemoteFailure, ProtocolError or Interrupted.
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
        // One thorough step comes before the first wait, because poll would return at once for a readable link that was
        // not asked.
        if (std::exchange(thorough, true)) wait(awaited, round, start, now);
      }
    }
  }

  // Replaces DriverOptions::spin from now on. If `time` is empty, DriverOptions::spin applies again.
  void spin_for(std::optional<std::chrono::microseconds> time) noexcept {
    spin_time_ = time.value_or(usual_spin_time_);
  }

  // Waits while no frame is due. Returns when bytes have come, when the descriptor `wake` can be read (negative: no
  // descriptor), at `end`, or after a short time. The result says whether `wake` can be read. Before idle() returns,
  // the links read the bytes that have come. Only links with something to read are asked for their next frame, because
  // asking costs a system call.
  //
  // Throws the errors of until(), and NetworkError if any peer is silent for the whole deadline. A peer does not count
  // as silent while a frame from the peer has arrived but is not taken, because later bytes of the peer are not read.
  [[nodiscard]] bool idle(std::uint64_t round, int wake, Clock::time_point end);

  // To be called once a round. Looks at all links now and then, so that a role that never waits still learns of
  // failures, and still tells its peers that it is alive.
  void pass(std::uint64_t round) {
    if (Clock::now() >= next_look_) look(0, round);
  }

  // `links` are the links on which a frame that a concurrent program needs has arrived only in part. Further bytes on
  // these links also end a wait.
  void read_concurrent(LinkSet links) noexcept { read_concurrent_ = links; }
  // To be called if the peer of link `i` has owed a frame since the time `since`. Throws ProtocolError if this peer has
  // made no progress for as many deadlines as the run has roles.
  void check_not_stuck(std::size_t i, Clock::time_point since, std::uint64_t round) const {
    if (Clock::now() - std::max(since, progress_[i].at) >= longest_chain_) stuck(*links_[i], round);
  }

  // Throws the error for a peer that ended its direction of the link while a frame from the peer was due.
  [[noreturn]] void lost(const Link& link, std::uint64_t round) const;

  // To be called if `link` holds no data frame and the frame of `round` is due. Throws ProtocolError if the peer has
  // said that it is in a later round, which means that the peer left out the frame that is due.
  void check_not_passed(const Link& link, std::uint64_t round) const {
    if (link.announced_round() > round) passed(link, round);
  }

 private:
  void wait(LinkSet awaited, std::uint64_t round, Clock::time_point start, Clock::time_point now);
  // Reads from all links. Returns true if bytes have come since the last call. Awaited bytes may already be in a
  // buffer, and poll does not see such bytes.
  bool look(LinkSet awaited, std::uint64_t round);
  // True if bytes on link `i` end a wait for another event. A frame of a later round stays on the link until its round.
  [[nodiscard]] bool reads(std::size_t i) const { return (read_concurrent_ >> i & 1) != 0 || !links_[i]->holds_data(); }
  // Whether bytes have come on link `i`.
  bool hear(std::size_t i, Clock::time_point now);
  void check_not_lost(const Link& link, std::uint64_t round) const;
  // Sends the control frames that are due. Throws Interrupted if the run was interrupted.
  void speak(LinkSet awaited, std::uint64_t round, Clock::time_point now);
  void note_progress(std::size_t i, Clock::time_point now);
  [[noreturn]] void silent(const Link& link, std::uint64_t round) const;
  [[noreturn]] void stuck(const Link& link, std::uint64_t round) const;
  [[noreturn]] void passed(const Link& link, std::uint64_t round) const;

  // The time at which a peer last made progress, and the progress that the peer had made by then.
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
  std::chrono::milliseconds between_words_;  // at most a quarter of the deadline
  Clock::time_point next_look_;
  Clock::time_point next_word_;
  std::vector<Waitable> waitables_;
};

}  // namespace sotto::net
