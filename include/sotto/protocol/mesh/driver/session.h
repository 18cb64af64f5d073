// Runs many programs, one after another, over the links of one mesh, with messages between the programs. A session is
// the work of a service from one set-up of its links to the next set-up.
//
//     net::NodeSession session(mesh, options, 1 << 20);
//     for (;;) {
//       const net::SessionEvent event = session.wait(wake, Clock::time_point::max());
//       ...                                                    // a message says which program is next
//       auto run = session.run(entry, [&](Party& party) { return decide(party, ...); });
//       session.tell(actor, "done");
//     }
//
// Programs are numbered from 0. All nodes run, or skip, the same programs in the same order. The dealer deals each
// program once, in the order of the programs, as far ahead of the nodes as the last party's buffers allow. Each program
// expands the nodes' seeds under a label of its own (session, epoch, program), so that no two programs share a mask,
// even if a program is skipped. Each frame carries a digest of session, epoch, program and `entry`. Nodes that disagree
// about session, epoch, program or `entry` notice this in the first round.
//
// A program may run concurrently with later programs: begin() returns at once. Calls of run() and wait() continue a
// concurrent program whenever its frames come, also between the rounds of other programs. So a concurrent program costs
// other programs little time, however long its rounds take. With a dealer there is one concurrent program at a time;
// without a dealer there are up to `most_concurrent`. A concurrent program may start later than begin(). The call of
// begin() fixes the program's position in the order of programs, and the numbers of its rounds. The position of a
// concurrent program and the numbers of its rounds are the same at all nodes, even if the nodes start the program at
// different times.
//
// Messages are bytes of the application. On each link they arrive in the order in which they were sent. Messages come
// between programs or while a program runs. Messages are put aside until wait() is called: up to 64 on each link, each
// of at most `longest_message` bytes. The functions of run.h do not accept messages.
//
// The errors are those of run.h. After an error, every peer has been notified, all links are closed, and the session
// cannot be used again. A role tells its peers every two seconds that it is alive, also between programs. A role that
// is silent for the whole round deadline is treated as lost.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/mesh/driver/concurrent_play.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::net {

struct SessionEvent {
  enum class Kind : std::uint8_t {
    message,   // `from` has sent `bytes`
    woken,     // the descriptor can be read
    late,      // the time `end` has come
    finished,  // `from` has finished its session: finish() is due; not reported while concurrent programs run
    ended,     // a concurrent program has ended, and its result was passed on
  };
  Kind kind = Kind::late;
  NodeId from = nobody;
  std::vector<std::byte> bytes{};
};

template <class Result>
struct SessionRun {
  Result result;
  Ledger ledger;  // rounds and bytes as planned
};

// The size of a concurrent program: the number of its rounds, and an upper limit for the payload bytes of a frame.
struct ConcurrentSize {
  std::uint64_t rounds = 0;
  std::size_t longest_frame = 0;
};
// Without a dealer: the largest number of concurrent programs that have begun and not ended.
inline constexpr std::size_t most_concurrent = 256;

class NodeSession {
 public:
  // Takes the seed that the dealer sends, if there is a dealer, and waits until all nodes are ready. `mesh` must
  // outlive the session. A session must not have options.deal_ahead (std::invalid_argument).
  NodeSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message);
  ~NodeSession();

  // Runs the next program. `entry` is a digest of the program's subject, and must be the same at all nodes. If `spin`
  // is given, it replaces the spin time of the options in the waits of this program.
  template <class Program>
  auto run(const Digest& entry, const Program& program, std::optional<std::chrono::microseconds> spin = {}) {
    protocols::ProgramRole role = next_role();
    auto task = detail::guarded(mesh_, [&] { return program(role.party()); });
    task.start_on(role.rounds());
    play(role, entry, spin);
    return SessionRun<protocols::detail::ResultOf<const Program>>{task.take(), role.rounds().ledger()};
  }
  // Begins the next program, which runs concurrently with later programs. A call of wait() or wait_for_concurrent()
  // passes the result of the program to `done`. The program starts now, unless `may_start` is given. With `may_start`,
  // the program starts once `may_start` returns true within wait() or wait_for_concurrent(). Throws std::logic_error if
  // there are too many concurrent programs.
  template <class Program, class Done>
  void begin(const Digest& entry, const ConcurrentSize& size, Program program, Done done,
             std::function<bool()> may_start = {}) {
    play_concurrent(std::make_unique<ConcurrentOf<Program, Done>>(next_role(), std::move(program), std::move(done),
                                                                  std::move(may_start)),
                    entry, size);
  }
  // Skips the next program, which has `rounds` rounds, and drops everything that was dealt for this program.
  void skip(std::uint64_t rounds);
  [[nodiscard]] std::uint64_t programs() const noexcept { return program_; }

  // Throws std::invalid_argument if there is no link to `peer`.
  void tell(NodeId peer, std::span<const std::byte> message);
  // Returns the next message, or another event that comes first. `wake` is a descriptor; a negative `wake` is no
  // descriptor. Retries with sched_yield for the time `spin` before the thread sleeps.
  [[nodiscard]] SessionEvent wait(int wake, Clock::time_point end, std::chrono::microseconds spin = {});
  // Continues the concurrent programs until `is_so` returns true. The results of these programs may change what `is_so`
  // returns. Messages that come meanwhile are put aside.
  void wait_for_concurrent(const std::function<bool()>& is_so);
  // Called once all programs are done: waits until all roles have finished, and closes all links. Throws
  // std::logic_error if a concurrent program has not ended.
  void finish();

  // The statistics of all programs so far.
  [[nodiscard]] NodeStatistics statistics() const;

 private:
  struct Parts;
  struct Concurrent {
    Concurrent(protocols::ProgramRole own, std::function<bool()> when)
        : role(std::move(own)), may_start(std::move(when)) {}
    Concurrent(const Concurrent&) = delete;
    Concurrent& operator=(const Concurrent&) = delete;
    virtual ~Concurrent() = default;
    virtual void start() = 0;
    virtual void give() = 0;

    protocols::ProgramRole role;
    std::function<bool()> may_start;
    bool started = false;
    ConcurrentPlay* play = nullptr;
  };
  template <class Program, class Done>
  struct ConcurrentOf final : Concurrent {
    ConcurrentOf(protocols::ProgramRole own, Program body, Done taker, std::function<bool()> when)
        : Concurrent(std::move(own), std::move(when)), program(std::move(body)), done(std::move(taker)) {}
    ~ConcurrentOf() override { role.rounds().abandon(); }
    void start() override {
      task.emplace(program(role.party()));
      task->start_on(role.rounds());
    }
    void give() override { done(task->take()); }

    Program program;  // the task may refer to the program
    Done done;
    std::optional<Task<protocols::detail::ResultOf<Program>>> task;
  };

  [[nodiscard]] protocols::ProgramRole next_role();
  void play(protocols::ProgramRole& role, const Digest& entry, std::optional<std::chrono::microseconds> spin);
  void play_concurrent(std::unique_ptr<Concurrent> concurrent, const Digest& entry, const ConcurrentSize& size);
  void step_concurrent();
  [[nodiscard]] bool give_ended();

  Mesh& mesh_;
  std::unique_ptr<Parts> parts_;
  std::uint64_t program_ = 0;
};

class DealerSession {
 public:
  // Draws a seed for each node and sends the seed to the node. With `insecure_seed` anybody can repeat the seeds.
  DealerSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message,
                std::optional<std::uint64_t> insecure_seed = {});
  ~DealerSession();

  // Deals the randomness of the next program, which the nodes will run or skip. Blocks while the last party's receive
  // buffer is full.
  template <class Program>
  Ledger deal(const Program& program) {
    protocols::ProgramRole role = next_role();
    auto task = detail::guarded(mesh_, [&] { return program(role.party()); });
    task.start_on(role.rounds());
    play(role);
    return role.rounds().ledger();
  }
  [[nodiscard]] std::uint64_t programs() const noexcept { return program_; }

  // Sends a message, as NodeSession::tell does.
  void tell(NodeId peer, std::span<const std::byte> message);
  [[nodiscard]] SessionEvent wait(int wake, Clock::time_point end);
  void finish();

  [[nodiscard]] const DealerStatistics& statistics() const;

 private:
  struct Parts;

  [[nodiscard]] protocols::ProgramRole next_role();
  void play(protocols::ProgramRole& role);

  Mesh& mesh_;
  std::unique_ptr<Parts> parts_;
  std::uint64_t program_ = 0;
};

}  // namespace sotto::net
