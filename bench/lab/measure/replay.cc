#include "bench/lab/measure/floor.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <span>

#include "bench/lab/measure/processes.h"
#include "bench/lab/measure/samples.h"
#include "net/transport/tls/context.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t trial_steps = 4;

template <class Step, class Needs>
void wait_until(Waiting waiting, std::chrono::microseconds spin, Step step, Needs needs) {
  if (step()) return;
  if (waiting == Waiting::spinning) {
    while (!step()) continue;
    return;
  }
  const Clock::time_point start = Clock::now();
  std::vector<pollfd> descriptors;
  do {
    if (waiting == Waiting::yielding && Clock::now() - start < spin) {
      sched_yield();
    } else {
      descriptors.clear();
      needs(descriptors);
      if (::poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR) {
        throw std::runtime_error("the system refuses to poll");
      }
    }
  } while (!step());
}

struct Due {
  std::size_t peer;
  std::size_t bytes;
};

class LinkKeys {
 public:
  explicit LinkKeys(std::size_t nodes) {
    identities_.reserve(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      identities_.push_back(net::Identity::create(fmt::format("node {}", node)));
    }
  }
  [[nodiscard]] std::unique_ptr<net::ByteStream> encrypt(int socket, std::size_t self, std::size_t peer) const {
    const std::string& theirs = identities_.at(peer).fingerprint();
    const net::TlsContext context(identities_.at(self), {theirs});
    auto stream = std::make_unique<net::DescriptorStream>(socket);
    return self < peer ? context.accept(std::move(stream)) : context.connect(std::move(stream), theirs);
  }

 private:
  std::vector<net::Identity> identities_;
};

class Wires {
 public:
  Wires(const LoopbackMesh& mesh, std::size_t nodes, std::size_t self, const LinkKeys* keys)
      : sockets_(nodes, -1), streams_(nodes) {
    for (std::size_t peer = 0; peer < nodes; ++peer) {
      if (peer == self) continue;
      sockets_[peer] = mesh.socket(self, peer);
      // A stream closes its descriptor, but the mesh owns this descriptor, so the stream gets a duplicate.
      if (keys != nullptr) streams_[peer] = keys->encrypt(::dup(sockets_[peer]), self, peer);
    }
  }

  std::size_t write(std::size_t peer, std::span<const std::byte> bytes) {
    if (net::ByteStream* const stream = streams_[peer].get()) {
      return moved(stream->write_some({}, bytes), *stream);
    }
    return moved(::send(sockets_[peer], bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL), false);
  }
  std::size_t read(std::size_t peer, std::span<std::byte> into) {
    if (net::ByteStream* const stream = streams_[peer].get()) {
      return moved(stream->read_some(into), *stream);
    }
    return moved(::recv(sockets_[peer], into.data(), into.size(), MSG_DONTWAIT), true);
  }
  bool push(std::size_t peer) { return !streams_[peer] || streams_[peer]->push(); }

  [[nodiscard]] pollfd need(std::size_t peer, bool reading, bool writing) const {
    if (streams_[peer]) {
      const net::Waitable waitable = streams_[peer]->wait_for(reading, writing);
      reading = waitable.reading;
      writing = waitable.writing;
    }
    return {sockets_[peer], static_cast<short>((reading ? POLLIN : 0) | (writing ? POLLOUT : 0)), 0};
  }

 private:
  static std::size_t moved(ssize_t bytes, bool reading) {
    if (bytes > 0) return static_cast<std::size_t>(bytes);
    if (bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
    throw std::runtime_error(reading ? "a peer has gone" : "a peer does not read any more");
  }
  static std::size_t moved(net::ByteStream::Transfer transfer, const net::ByteStream& stream) {
    using State = net::ByteStream::State;
    if (transfer.state == State::moved || transfer.state == State::would_block) {
      return transfer.bytes;
    }
    throw std::runtime_error("a peer has gone: " + stream.failure());
  }

  std::vector<int> sockets_;
  std::vector<std::unique_ptr<net::ByteStream>> streams_;
};

struct NodeRound {
  std::vector<Due> out;
  std::vector<Due> in;
};

class Replay {
 public:
  Replay(const StepFrames& frames, Wires wires, std::size_t self, Waiting waiting)
      : waiting_(waiting), patience_(net::spin_time(frames.parties)), wires_(std::move(wires)) {
    std::size_t largest = 1;
    for (std::size_t r = 0; r < frames.rounds.size(); ++r) {
      NodeRound round;
      for (std::size_t peer = 0; peer < frames.nodes; ++peer) {
        const std::size_t out = frames.bytes(r, self, peer);
        const std::size_t in = frames.bytes(r, peer, self);
        if (out > 0) round.out.push_back(Due{peer, out});
        if (in > 0) round.in.push_back(Due{peer, in});
        largest = std::max({largest, out, in});
      }
      rounds_.push_back(std::move(round));
    }
    outgoing_.resize(largest);
    incoming_.resize(largest);
  }

  void step() {
    for (const NodeRound& round : rounds_) {
      out_ = round.out;
      in_ = round.in;
      wait_until(
          waiting_, patience_, [&] { return move(); }, [&](std::vector<pollfd>& descriptors) { needs(descriptors); });
    }
  }

 private:
  bool move() {
    bool done = true;
    for (Due& due : out_) {
      if (due.bytes > 0) {
        due.bytes -= wires_.write(due.peer, std::span(outgoing_).first(due.bytes));
      }
      done = wires_.push(due.peer) && done && due.bytes == 0;
    }
    for (Due& due : in_) {
      if (due.bytes == 0) continue;
      due.bytes -= wires_.read(due.peer, std::span(incoming_).first(due.bytes));
      done = done && due.bytes == 0;
    }
    return done;
  }

  void needs(std::vector<pollfd>& descriptors) const {
    const auto add = [&](const pollfd& need) {
      if (need.events != 0) descriptors.push_back(need);
    };
    for (const Due& due : out_) add(wires_.need(due.peer, false, due.bytes > 0));
    for (const Due& due : in_) {
      if (due.bytes > 0) add(wires_.need(due.peer, true, false));
    }
  }

  Waiting waiting_;
  std::chrono::microseconds patience_;
  std::vector<NodeRound> rounds_;
  Wires wires_;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
  std::vector<Due> out_;
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

std::vector<double> replay_steps(const StepFrames& frames, Waiting waiting, std::uint64_t steps_of_a_batch,
                                 std::size_t batches, const std::atomic<bool>& interrupted, Carrier carrier) {
  const std::size_t dealer = frames.nodes;
  const LoopbackMesh mesh(frames.nodes + 1);
  const Topology topology(frames.parties, frames.nodes == frames.parties + 2);
  std::optional<LinkKeys> keys;
  if (carrier == Carrier::tls) keys.emplace(frames.nodes);
  std::vector<MeasuringProcess> processes;
  for (std::size_t self = 0; self < frames.nodes; ++self) {
    processes.push_back({topology.name(static_cast<NodeId>(self)), [&, self] {
                           Replay replay(frames, Wires(mesh, frames.nodes, self, keys ? &*keys : nullptr), self,
                                         waiting);
                           std::vector<double> times = microseconds_a_step(replay, steps_of_a_batch, batches);
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

std::vector<double> replay_within(const StepFrames& frames, Waiting waiting, std::uint64_t steps, double seconds,
                                  const std::atomic<bool>& interrupted, Carrier carrier) {
  const double trial = replay_steps(frames, waiting, trial_steps, 1, interrupted, carrier).front();
  const Batches batches = plan_batches(steps, trial, seconds);
  return replay_steps(frames, waiting, batches.repetitions, batches.count, interrupted, carrier);
}

}  // namespace sotto::apps::lab
