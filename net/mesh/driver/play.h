// Plays programs in rounds, one program after another, over links that stay open: run.h plays one program, session.h
// many.
//
// Rounds and their chunks have consecutive numbers through all programs of an epoch. A program of R rounds uses R + 1
// numbers, because there is a chunk after its last round. The classes in this file do not tell peers of an error; the
// function ends_at_all_peers() does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <span>

#include "net/mesh/handshake/abort.h"
#include "sotto/protocol/mesh/driver/chunk_intake.h"
#include "sotto/protocol/mesh/driver/concurrent_play.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/driver/watch.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::net {

// Runs `body`. If `body` throws, the run ends at all peers. `rounds` may be null.
template <class Body>
auto ends_at_all_peers(Mesh& mesh, Rounds* rounds, Body body) {
  try {
    return body();
  } catch (...) {
    if (rounds != nullptr) rounds->abandon();
    std::vector<Link*> links;
    for (const auto& link : mesh.links()) links.push_back(link.get());
    fail_run(std::current_exception(), mesh.topology(), mesh.self(), rounds == nullptr ? 0 : rounds->round(), links);
  }
}

// Plays programs at a node.
class NodePlay {
 public:
  // `takes_chunks` is true at the last party of a topology with a dealer, and only there.
  NodePlay(Mesh& mesh, const DriverOptions& options, bool takes_chunks);

  // Waits until all nodes are ready. If the option deal_ahead is set, first takes all chunks from the dealer.
  void set_up();
  // Plays the program whose root task is on `rounds`. `bound` is mixed into the digest that the program's frames carry.
  // `chunks` is null except at the last party. Each wait spins for `spin` if `spin` is given, else for
  // DriverOptions::spin.
  void play(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
            std::optional<std::chrono::microseconds> spin = {});
  // Begins a program of `count` rounds. Programs that begin later have higher round numbers. The program is played
  // together with later programs (concurrent_play.h), from start() until end_concurrent(). No frame has more than
  // `longest` payload bytes. Throws std::logic_error if this role takes chunks, and another program that began with
  // begin_concurrent() is still being played.
  [[nodiscard]] ConcurrentPlay& begin_concurrent(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
                                                 std::uint64_t count, std::size_t longest);
  // Continues all programs that began with begin_concurrent(), as far as possible.
  void step_concurrent();
  void end_concurrent(const ConcurrentPlay& ended);
  // Discards the chunks of a program of `rounds` rounds without reading them.
  void skip(std::uint64_t rounds);
  // Waits until all peers have finished, then closes all links.
  void finish();

  [[nodiscard]] Watch& watch() noexcept { return watch_; }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return told(next_); }
  // The statistics of all programs so far.
  [[nodiscard]] NodeStatistics statistics() const;

 private:
  bool next_round(Rounds& rounds, ChunkReader* chunks);
  [[nodiscard]] std::span<const std::byte> take_chunk(std::uint64_t number);
  void exchange(Rounds& rounds);
  bool receive_from(Link& link, Rounds& rounds);
  [[nodiscard]] LinkSet send_to(LinkSet owed, Rounds& rounds, LinkSet& unsent);
  // The round that this role reports to its peers. This role has sent all its frames of earlier rounds.
  [[nodiscard]] std::uint64_t told(std::uint64_t round) const noexcept {
    for (const ConcurrentPlay& one : concurrent_) round = std::min(round, one.round());
    return round;
  }
  [[nodiscard]] bool is_of_concurrent(const FrameHeader& header) const noexcept;
  void read_concurrent() noexcept;

  Mesh& mesh_;
  DriverOptions options_;
  Watch watch_;
  std::optional<ChunkIntake> intake_;
  std::list<ConcurrentPlay> concurrent_;
  std::array<std::uint64_t, max_nodes + 1> sent_as_{};  // by link: number of frames sent, this round's frame included
  NodeStatistics statistics_;
  std::uint64_t next_ = 0;  // the number of the next program's first round
};

// Deals programs at the dealer.
class DealerPlay {
 public:
  DealerPlay(Mesh& mesh, const DriverOptions& options);

  // Deals the chunks of a program. Blocks while the last party's receive buffer is full.
  void deal(Rounds& rounds, ChunkWriter& chunks);
  void finish();

  [[nodiscard]] Watch& watch() noexcept { return watch_; }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_; }
  [[nodiscard]] const DealerStatistics& statistics() const noexcept { return statistics_; }

 private:
  void send_chunk(std::uint64_t number);

  Mesh& mesh_;
  Watch watch_;
  std::uint64_t epoch_;
  Bytes chunk_;  // a member, because a link may still send the chunk after the run has failed
  DealerStatistics statistics_;
  std::uint64_t next_ = 0;
};

// The dealer sends each node its seed; each node takes its seed.
void send_seeds_to(Mesh& mesh, Watch& watch, std::span<const Seed> seeds_by_node);
[[nodiscard]] Seed seed_from_dealer(Mesh& mesh, Watch& watch);

}  // namespace sotto::net
