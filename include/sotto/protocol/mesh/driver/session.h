// Runs many programs in turn over the links of one mesh, with messages between the programs.
//
//     net::NodeSession session(mesh, options, 1 << 20);
//     for (;;) {
//       const net::SessionEvent event = session.wait(wake, Clock::time_point::max());
//       ...                                                    // a message says which program is next
//       auto run = session.run(entry, [&](Party& party) { return decide(party, ...); });
//       session.tell(actor, "done");
//     }
//
// All nodes run, or skip, the same programs in the same order. The dealer deals the programs' randomness in the same
// order, ahead of the nodes. Each program expands the seeds under its own label (session, epoch, program), so no two
// programs share a mask. Each frame has a digest of session, epoch, program and `entry`, so nodes that disagree on one
// of the four notice it in the first round.
//
// A program may run concurrently with later programs: run() and wait() continue such a program whenever its frames
// arrive. With a dealer there is one concurrent program at a time; without a dealer there are up to `most_concurrent`.
// begin() fixes the position and the round numbers of a concurrent program. Position and round numbers are the same at
// all nodes, even if the nodes start the program at different times.
//
// Messages arrive on each link in the order of sending. A link stores up to 64 messages of at most `longest_message`
// bytes until wait() is called.
//
// The errors are those of run.h; after an error, the session cannot be used again. A role that is silent for the whole
// round deadline is treated as lost, also between programs.
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
    message,
    woken,
    late,
    finished,  // `from` has called finish(); reported once no concurrent program runs
    ended,
  };
  Kind kind = Kind::late;
  NodeId from = nobody;
  std::vector<std::byte> bytes{};
};

template <class Result>
struct SessionRun {
  Result result;
  Ledger ledger;
};

// The number of rounds, and the most payload bytes of a frame.
struct ConcurrentSize {
  std::uint64_t rounds = 0;
  std::size_t longest_frame = 0;
};
inline constexpr std::size_t most_concurrent = 256;

class NodeSession {
 public:
  // Receives the dealer's seed, if there is a dealer, and waits until all nodes are ready. `mesh` must outlive the
  // session. Throws std::invalid_argument if options.deal_ahead is set.
  NodeSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message);
  ~NodeSession();

  // `entry` is a digest of what the nodes must agree on before the program. Each node computes `entry` itself, and all
  // nodes must get the same digest.
  template <class Program>
  auto run(const Digest& entry, const Program& program, std::optional<std::chrono::microseconds> spin = {}) {
    protocols::ProgramRole role = next_role();
    auto task = detail::guarded(mesh_, [&] { return program(role.party()); });
    task.start_on(role.rounds());
    play(role, entry, spin);
    return SessionRun<protocols::detail::ResultOf<const Program>>{task.take(), role.rounds().ledger()};
  }
  // Begins the next program, concurrently with later programs. The program starts now, or once `may_start` returns true
  // within wait(). After the program has ended, wait() calls `done` with the program's result. Throws std::logic_error
  // if there are too many concurrent programs.
  template <class Program, class Done>
  void begin(const Digest& entry, const ConcurrentSize& size, Program program, Done done,
             std::function<bool()> may_start = {}) {
    play_concurrent(std::make_unique<ConcurrentOf<Program, Done>>(next_role(), std::move(program), std::move(done),
                                                                  std::move(may_start)),
                    entry, size);
  }
  // Skips the next program, which has `rounds` rounds, and drops the randomness that was dealt for the program.
  void skip(std::uint64_t rounds);
  [[nodiscard]] std::uint64_t programs() const noexcept { return program_; }

  // Throws std::invalid_argument if there is no link to `peer`.
  void send(NodeId peer, std::span<const std::byte> message);
  // Returns the next message or event. `wake` is a descriptor whose input also ends the wait; a negative number is no
  // descriptor. Retries with sched_yield for the time `spin` before the thread sleeps.
  [[nodiscard]] SessionEvent wait(int wake, Clock::time_point end, std::chrono::microseconds spin = {});
  // Continues the concurrent programs until `is_so` returns true.
  void wait_for_concurrent(const std::function<bool()>& is_so);
  // Waits until all roles have finished, and closes all links. Throws std::logic_error if a concurrent program has not
  // ended.
  void finish();

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

    Program program;  // declared before `task`, which may refer to the program
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
  // Sends each node a fresh seed.
  DealerSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message,
                std::optional<std::uint64_t> insecure_seed = {});
  ~DealerSession();

  // Deals the randomness of the next program, and blocks while the last party's receive buffer is full.
  template <class Program>
  Ledger deal(const Program& program) {
    protocols::ProgramRole role = next_role();
    auto task = detail::guarded(mesh_, [&] { return program(role.party()); });
    task.start_on(role.rounds());
    play(role);
    return role.rounds().ledger();
  }
  [[nodiscard]] std::uint64_t programs() const noexcept { return program_; }

  void send(NodeId peer, std::span<const std::byte> message);
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
