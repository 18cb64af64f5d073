// Many programs, one after another, over the links of one mesh, and messages between them: what a service does from one
// set-up of its links to the next.
//
//     net::NodeSession session(mesh, options, 1 << 20);
//     for (;;) {
//       const net::SessionEvent event = session.wait(wake, Clock::time_point::max());
//       ...                                                    // a message says which program is next
//       auto run = session.run(entry, [&](Party& party) { return decide(party, ...); });
//       session.tell(actor, "done");
//     }
//
// Programs are numbered from 0. All nodes run, or skip, the same programs in the same order; the dealer deals each of
// them once, in that order, ahead of the nodes as far as the last party's buffers go. Each program expands the nodes'
// seeds under a label of its own (session, epoch, program), so that no two share a mask, run or skipped; each frame
// carries a digest of session, epoch, program and `entry`, so that nodes that are not about the same thing notice in
// the first round.
//
// Programs may be played beside those after them: begin() returns at once, and run() and wait() take them further
// whenever their frames come, between the rounds of other programs too. So they cost those hardly any time, however
// long their rounds take. With a dealer there is one at a time, else up to `most_beside`. One may begin later than it
// was said: its place in the order, and so its rounds' numbers, are fixed at once and the same at all nodes, whenever
// each of them starts it.
//
// Messages are bytes of the program's own, in order on each link; they come between programs or while one runs, and
// are put aside until wait() is called: up to 64 a link, each of at most `longest_message` bytes. A link of run.h
// takes none.
//
// Errors are those of run.h. After an error every peer has been told, all links are closed, and the session is of no
// more use. A role that is alive says so every two seconds, between programs too; one that is silent for the round
// deadline is lost.
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
#include "sotto/protocol/mesh/driver/beside.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::net {

struct SessionEvent {
  enum class Kind : std::uint8_t {
    message,   // `from` has said `bytes`
    woken,     // the descriptor can be read
    late,      // the time is over
    finished,  // `from` has finished the session: finish() is due; not told while programs are played beside
    ended,     // a program beside has, and its result was given
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

// Of a program beside others: its rounds, and payload bytes that no frame of it exceeds.
struct BesideSize {
  std::uint64_t rounds = 0;
  std::size_t longest_frame = 0;
};
// How many there may be, begun and not ended, without a dealer.
inline constexpr std::size_t most_beside = 256;

class NodeSession {
 public:
  // Takes the seed that the dealer sends, if there is one, and waits until all nodes are ready. `mesh` must outlive the
  // session. options.deal_ahead is not for sessions (std::invalid_argument).
  NodeSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message);
  ~NodeSession();

  // Runs the next program. `entry` is what it is about, the same at all nodes. `spin` is for its waits, where it is
  // given, instead of that of the options.
  template <class Program>
  auto run(const Digest& entry, const Program& program, std::optional<std::chrono::microseconds> spin = {}) {
    protocols::ProgramRole role = next_role();
    auto task = detail::guarded(mesh_, [&] { return program(role.party()); });
    task.start_on(role.rounds());
    play(role, entry, spin);
    return SessionRun<protocols::detail::ResultOf<const Program>>{task.take(), role.rounds().ledger()};
  }
  // Begins the next program beside those after it; its result is given to `done` within wait() or wait_beside(). It
  // starts now or, where `may_start` is given, once that says so within one of these. std::logic_error where there are
  // too many.
  template <class Program, class Done>
  void begin(const Digest& entry, const BesideSize& size, Program program, Done done,
             std::function<bool()> may_start = {}) {
    play_beside(std::make_unique<BesideOf<Program, Done>>(next_role(), std::move(program), std::move(done),
                                                          std::move(may_start)),
                entry, size);
  }
  // Counts the next program, of so many rounds, as done: what was dealt for it is thrown away.
  void skip(std::uint64_t rounds);
  [[nodiscard]] std::uint64_t programs() const noexcept { return program_; }

  // Throws std::invalid_argument where there is no link to `peer`.
  void tell(NodeId peer, std::span<const std::byte> message);
  // The next message, or what else comes first. `wake` is a descriptor, none if negative. For `spin` it tries again
  // with sched_yield before it falls asleep.
  [[nodiscard]] SessionEvent wait(int wake, Clock::time_point end, std::chrono::microseconds spin = {});
  // Plays on what is beside until `is_so`, which their results may bring about. Messages are put aside meanwhile.
  void wait_beside(const std::function<bool()>& is_so);
  // Once all programs are done: waits until all roles have finished, and closes all links. std::logic_error where one
  // beside others has not ended.
  void finish();

  // Of all programs so far.
  [[nodiscard]] NodeStatistics statistics() const;

 private:
  struct Parts;
  struct Beside {
    Beside(protocols::ProgramRole own, std::function<bool()> when) : role(std::move(own)), may_start(std::move(when)) {}
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    virtual ~Beside() = default;
    virtual void start() = 0;
    virtual void give() = 0;

    protocols::ProgramRole role;
    std::function<bool()> may_start;
    bool started = false;
    BesidePlay* play = nullptr;
  };
  template <class Program, class Done>
  struct BesideOf final : Beside {
    BesideOf(protocols::ProgramRole own, Program body, Done taker, std::function<bool()> when)
        : Beside(std::move(own), std::move(when)), program(std::move(body)), done(std::move(taker)) {}
    ~BesideOf() override { role.rounds().abandon(); }
    void start() override {
      task.emplace(program(role.party()));
      task->start_on(role.rounds());
    }
    void give() override { done(task->take()); }

    Program program;  // its task may refer to it
    Done done;
    std::optional<Task<protocols::detail::ResultOf<Program>>> task;
  };

  [[nodiscard]] protocols::ProgramRole next_role();
  void play(protocols::ProgramRole& role, const Digest& entry, std::optional<std::chrono::microseconds> spin);
  void play_beside(std::unique_ptr<Beside> beside, const Digest& entry, const BesideSize& size);
  void step_beside();
  [[nodiscard]] bool give_ended();

  Mesh& mesh_;
  std::unique_ptr<Parts> parts_;
  std::uint64_t program_ = 0;
};

class DealerSession {
 public:
  // Draws the seeds and sends each node its own. With `insecure_seed` anybody can repeat them.
  DealerSession(Mesh& mesh, const DriverOptions& options, std::size_t longest_message,
                std::optional<std::uint64_t> insecure_seed = {});
  ~DealerSession();

  // Deals the next program, as the nodes will run or skip it. Blocks while the last party's receive buffer is full.
  template <class Program>
  Ledger deal(const Program& program) {
    protocols::ProgramRole role = next_role();
    auto task = detail::guarded(mesh_, [&] { return program(role.party()); });
    task.start_on(role.rounds());
    play(role);
    return role.rounds().ledger();
  }
  [[nodiscard]] std::uint64_t programs() const noexcept { return program_; }

  // As a node's.
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
