// What a driver does in rounds, one program after another, over links that stay: run.h plays one, session.h many.
//
// Rounds, and the chunks that go with them, are numbered through all programs of an epoch: a program of R rounds takes
// R + 1 numbers, as there is a chunk after its last round. Nothing here tells peers of an error (ends_at_all_peers).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <span>

#include "net/mesh/handshake/abort.h"
#include "sotto/protocol/mesh/driver/beside.h"
#include "sotto/protocol/mesh/driver/chunk_intake.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/driver/watch.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::net {

// Runs `body`, and where it throws ends the run at all peers. `rounds` may be null.
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

// A node's side.
class NodePlay {
 public:
  // With `takes_chunks`, the last party's of a topology with a dealer.
  NodePlay(Mesh& mesh, const DriverOptions& options, bool takes_chunks);

  // Waits until all nodes are ready. With deal_ahead, takes all chunks first.
  void set_up();
  // Plays the program whose root task is on `rounds`. `bound` is mixed into its frames. `chunks` is the last party's.
  // Its waits spin for `spin`, where that is given, instead of for DriverOptions::spin.
  void play(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound,
            std::optional<std::chrono::microseconds> spin = {});
  // A program takes its place before those after it, of so many rounds, and is played beside them (beside.h) from
  // start() until end_beside(). `longest`: payload bytes of its frames. std::logic_error where there is another with
  // chunks.
  [[nodiscard]] BesidePlay& begin_beside(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound, std::uint64_t count,
                                         std::size_t longest);
  // All that are beside go on as far as they can.
  void step_beside();
  void end_beside(const BesidePlay& ended);
  // Throws the chunks of a program of so many rounds away unread.
  void skip(std::uint64_t rounds);
  // Waits until all peers have finished, then closes all links.
  void finish();

  [[nodiscard]] Watch& watch() noexcept { return watch_; }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return told(next_); }
  // Of all programs so far.
  [[nodiscard]] NodeStatistics statistics() const;

 private:
  bool next_round(Rounds& rounds, ChunkReader* chunks);
  [[nodiscard]] std::span<const std::byte> take_chunk(std::uint64_t number);
  void exchange(Rounds& rounds);
  bool receive_from(Link& link, Rounds& rounds);
  [[nodiscard]] LinkSet send_to(LinkSet owed, Rounds& rounds, LinkSet& unsent);
  // What this role says of how far it is: all its frames before that round are out.
  [[nodiscard]] std::uint64_t told(std::uint64_t round) const noexcept {
    for (const BesidePlay& one : beside_) round = std::min(round, one.round());
    return round;
  }
  [[nodiscard]] bool is_of_beside(const FrameHeader& header) const noexcept;
  void read_beside() noexcept;

  Mesh& mesh_;
  DriverOptions options_;
  Watch watch_;
  std::optional<ChunkIntake> intake_;
  std::list<BesidePlay> beside_;
  std::array<std::uint64_t, max_nodes + 1> sent_as_{};  // by link: how many frames had been sent with the round's own
  NodeStatistics statistics_;
  std::uint64_t next_ = 0;  // the number of the next program's first round
};

// The dealer's side.
class DealerPlay {
 public:
  DealerPlay(Mesh& mesh, const DriverOptions& options);

  // Deals a program's chunks. It blocks while the last party's receive buffer is full.
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
  Bytes chunk_;  // a member, since a link may still send it when the run has failed
  DealerStatistics statistics_;
  std::uint64_t next_ = 0;
};

// The dealer sends each node its seed, each node takes it.
void send_seeds_to(Mesh& mesh, Watch& watch, std::span<const Seed> seeds_by_node);
[[nodiscard]] Seed seed_from_dealer(Mesh& mesh, Watch& watch);

}  // namespace sotto::net
