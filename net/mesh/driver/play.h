// Plays programs in rounds. A chunk is the randomness that the dealer draws between two rounds and sends to the last
// party. Rounds and their chunks are numbered consecutively through all programs of an epoch. A program of R rounds
// uses R + 1 numbers, because there is also a chunk after its last round. Callers use ends_at_all_peers(), because
// otherwise no peer learns of an error.
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

// If `body` throws, the run ends at all peers. `rounds` may be null.
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

class NodePlay {
 public:
  NodePlay(Mesh& mesh, const DriverOptions& options, bool takes_chunks);

  // If the option deal_ahead is set, the last party first receives all chunks from the dealer.
  void set_up();
  // Plays the program whose root task the caller has started on `rounds`. The digest in the program's frames includes
  // `bound`. `chunks` is null except at the last party.
  void play(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
            std::optional<std::chrono::microseconds> spin = {});
  // Begins a program of `count` rounds, which is played together with later programs until end_concurrent(). No frame
  // has more than `longest` payload bytes. Throws std::logic_error if this role receives chunks and another program of
  // begin_concurrent() is still being played.
  [[nodiscard]] ConcurrentPlay& begin_concurrent(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
                                                 std::uint64_t count, std::size_t longest);
  void step_concurrent();
  void end_concurrent(const ConcurrentPlay& ended);
  void skip(std::uint64_t rounds);
  void finish();

  [[nodiscard]] Watch& watch() noexcept { return watch_; }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return announced(next_); }
  [[nodiscard]] NodeStatistics statistics() const;

 private:
  bool next_round(Rounds& rounds, ChunkReader* chunks);
  [[nodiscard]] std::span<const std::byte> take_chunk(std::uint64_t number);
  void exchange(Rounds& rounds);
  bool receive_from(Link& link, Rounds& rounds);
  [[nodiscard]] LinkSet send_to(LinkSet owed, Rounds& rounds, LinkSet& unsent);
  // The round that this role reports to its peers. This role has sent all its frames of earlier rounds.
  [[nodiscard]] std::uint64_t announced(std::uint64_t round) const noexcept {
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
  std::array<std::uint64_t, max_nodes + 1> sent_as_{};
  NodeStatistics statistics_;
  std::uint64_t next_ = 0;  // first round of the next program
};

class DealerPlay {
 public:
  DealerPlay(Mesh& mesh, const DriverOptions& options);

  // Blocks while the last party's receive buffer is full.
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
  Bytes chunk_;  // the link may still send it after a failure
  DealerStatistics statistics_;
  std::uint64_t next_ = 0;
};

void send_seeds_to(Mesh& mesh, Watch& watch, std::span<const Seed> seeds_by_node);
[[nodiscard]] Seed seed_from_dealer(Mesh& mesh, Watch& watch);

}  // namespace sotto::net
