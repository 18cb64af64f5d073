#include "apps/measure/replay.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "apps/measure/batches.h"
#include "apps/measure/loopback.h"
#include "apps/measure/processes.h"
#include "core/party/topology.h"
#include "net/driver/options.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t trial_steps = 4;

// What is due to or from one peer in one round.
struct Due {
  int socket;
  std::size_t bytes;
};

struct NodeRound {
  std::vector<Due> out;
  std::vector<Due> in;
};

// One node of the replay.
class Replay {
 public:
  Replay(const StepFrames& frames, const LoopbackMesh& mesh, std::size_t self, Waiting waiting)
      : waiting_(waiting), patience_(net::patience(frames.parties)) {
    std::size_t largest = 1;
    for (std::size_t r = 0; r < frames.rounds.size(); ++r) {
      NodeRound round;
      for (std::size_t peer = 0; peer < frames.nodes; ++peer) {
        const std::size_t out = frames.bytes(r, self, peer);
        const std::size_t in = frames.bytes(r, peer, self);
        if (out > 0) round.out.push_back(Due{mesh.socket(self, peer), out});
        if (in > 0) round.in.push_back(Due{mesh.socket(self, peer), in});
        largest = std::max({largest, out, in});
      }
      rounds_.push_back(std::move(round));
    }
    outgoing_.resize(largest);
    incoming_.resize(largest);
  }

  void step() {
    for (const NodeRound& round : rounds_) {
      // A role without a message does not wait.
      out_ = round.out;
      in_ = round.in;
      wait_until(
          waiting_, patience_, [&] { return move(); },
          [&](std::vector<pollfd>& descriptors) { needs(descriptors); });
    }
  }

 private:
  // Writes and reads what goes at once. True when all is done.
  bool move() {
    bool done = true;
    for (Due& due : out_) {
      if (due.bytes == 0) continue;
      due.bytes -= moved(
          ::send(due.socket, outgoing_.data(), due.bytes, MSG_DONTWAIT | MSG_NOSIGNAL), false);
      done = done && due.bytes == 0;
    }
    for (Due& due : in_) {
      if (due.bytes == 0) continue;
      due.bytes -= moved(::recv(due.socket, incoming_.data(), due.bytes, MSG_DONTWAIT), true);
      done = done && due.bytes == 0;
    }
    return done;
  }

  static std::size_t moved(ssize_t bytes, bool reading) {
    if (bytes > 0) return static_cast<std::size_t>(bytes);
    if (bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
    throw std::runtime_error(reading ? "a peer has gone" : "a peer does not read any more");
  }

  void needs(std::vector<pollfd>& descriptors) const {
    for (const Due& due : out_) {
      if (due.bytes > 0) descriptors.push_back(pollfd{due.socket, POLLOUT, 0});
    }
    for (const Due& due : in_) {
      if (due.bytes > 0) descriptors.push_back(pollfd{due.socket, POLLIN, 0});
    }
  }

  Waiting waiting_;
  std::chrono::microseconds patience_;
  std::vector<NodeRound> rounds_;
  std::vector<char> outgoing_;
  std::vector<char> incoming_;
  std::vector<Due> out_;  // what is left of this round
  std::vector<Due> in_;
};

std::vector<double> microseconds_a_step(Replay& replay, std::uint64_t steps, std::size_t batches) {
  std::vector<double> result;
  for (std::size_t batch = 0; batch <= batches; ++batch) {
    const Clock::time_point start = Clock::now();
    for (std::uint64_t step = 0; step < steps; ++step) replay.step();
    const std::chrono::duration<double, std::micro> time = Clock::now() - start;
    if (batch > 0) result.push_back(time.count() / static_cast<double>(steps));
  }
  return result;
}

}  // namespace

std::vector<double> replay_steps(const StepFrames& frames, Waiting waiting,
                                 std::uint64_t steps_of_a_batch, std::size_t batches,
                                 const std::atomic<bool>& interrupted) {
  const std::size_t dealer = frames.nodes;
  const LoopbackMesh mesh(frames.nodes + 1);
  const Topology topology(frames.parties, frames.nodes == frames.parties + 2);
  std::vector<MeasuringProcess> processes;
  for (std::size_t self = 0; self < frames.nodes; ++self) {
    processes.push_back({topology.name(static_cast<NodeId>(self)), [&, self] {
                           Replay replay(frames, mesh, self, waiting);
                           std::vector<double> times =
                               microseconds_a_step(replay, steps_of_a_batch, batches);
                           if (self == 0) {
                             const char end = 0;
                             if (::send(mesh.socket(0, dealer), &end, 1, MSG_NOSIGNAL) != 1) {
                               throw std::runtime_error("the dealer has gone");
                             }
                           }
                           return times;
                         }});
  }
  processes.push_back({"dealer", [&] {
                         char end = 0;
                         if (::recv(mesh.socket(dealer, 0), &end, 1, 0) != 1) {
                           throw std::runtime_error("party 0 has gone");
                         }
                         return std::vector<double>{};
                       }});
  return run_processes(processes, interrupted).front();
}

std::vector<double> replay_within(const StepFrames& frames, Waiting waiting, std::uint64_t steps,
                                  double seconds, const std::atomic<bool>& interrupted) {
  const double trial = replay_steps(frames, waiting, trial_steps, 1, interrupted).front();
  const Batches batches = plan_batches(steps, trial, seconds);
  return replay_steps(frames, waiting, batches.repetitions, batches.count, interrupted);
}

}  // namespace sotto::apps
