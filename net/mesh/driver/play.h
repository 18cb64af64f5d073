// What a driver does in rounds, one program after another, over links that stay: run.h plays one, session.h many.
//
// Rounds, and the chunks that go with them, are numbered through all programs of an epoch: a program of R rounds takes
// R + 1 numbers, as there is a chunk after its last round. Nothing here tells peers of an error (ends_at_all_peers).
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "sotto/core/party/rounds.h"
#include "sotto/core/random/seed.h"
#include "sotto/net/mesh/abort.h"
#include "sotto/net/mesh/driver/chunk_intake.h"
#include "sotto/net/mesh/driver/options.h"
#include "sotto/net/mesh/driver/watch.h"
#include "sotto/net/mesh/mesh.h"

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
  void play(Rounds& rounds, ChunkReader* chunks, std::uint64_t bound);
  // Throws the chunks of a program of so many rounds away unread.
  void skip(std::uint64_t rounds);
  // Waits until all peers have finished, then closes all links.
  void finish();

  [[nodiscard]] Watch& watch() noexcept { return watch_; }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_; }
  // Of all programs so far.
  [[nodiscard]] NodeStatistics statistics() const;

 private:
  bool next_round(Rounds& rounds, ChunkReader* chunks);
  void exchange(Rounds& rounds);
  bool receive_from(Link& link, Rounds& rounds);

  Mesh& mesh_;
  DriverOptions options_;
  Watch watch_;
  std::optional<ChunkIntake> intake_;
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
