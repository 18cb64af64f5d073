// A program that a node runs concurrently with other programs over the same links: between those programs, and between
// their rounds. There may be several concurrent programs, which do not affect each other.
//
// The rounds of a concurrent program have the numbers that it was given when it began. The numbers of later programs
// follow, so that a frame says which program it is of. A frame of a round that this node has not reached is put aside.
// If it stayed on the link, it would block the frames behind it, which belong to the program that this node runs
// meanwhile. Frames of that other program are left on the link. They do not stay long, since the other program never
// waits for this one.
//
// Nothing here waits: step() goes as far as it can. A caller that waits for something else calls step() again whenever
// bytes have come. Before start() the program does not run: frames that peers send for it are put aside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sotto/protocol/mesh/driver/chunk_intake.h"
#include "sotto/protocol/mesh/driver/watch.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/rounds.h"

namespace sotto::net {

// The numbers of a program's rounds, and one more number, for the chunk after its last round.
struct RoundNumbers {
  std::uint64_t first = 0;
  std::uint64_t rounds = 0;

  [[nodiscard]] std::uint64_t end() const noexcept { return first + rounds + 1; }
  [[nodiscard]] bool has(const FrameHeader& header) const noexcept {
    return header.type == FrameType::round && header.round >= first && header.round < first + rounds;
  }
};

class ConcurrentPlay {
 public:
  // `rounds` has the program's numbers, and from start() on its root task. `intake` and `chunks` are the last party's,
  // and null elsewhere. A frame to be put aside is an error if it has more than `longest` payload bytes. All references
  // must outlive this object.
  ConcurrentPlay(const Mesh& mesh, Watch& watch, ChunkIntake* intake, ChunkReader* chunks, Rounds& rounds,
                 const RoundNumbers& numbers, std::size_t longest);

  void start();
  // Continues as far as possible now. Returns whether it took any frame or ended any round. Throws ProtocolError for
  // anything that is no frame of its rounds, NetworkError for a peer that has left, and what the program throws.
  bool step();
  // The links with a part of a frame that the program waits for.
  [[nodiscard]] LinkSet reads() const noexcept { return reads_; }
  [[nodiscard]] bool ended() const noexcept { return stage_ == Stage::ended; }
  // The round before which all frames of the program are out. Once the program has ended: the number after its last.
  [[nodiscard]] std::uint64_t round() const noexcept { return ended() ? numbers_.end() : rounds_.round(); }
  [[nodiscard]] bool has(const FrameHeader& header) const noexcept { return numbers_.has(header); }
  [[nodiscard]] const RoundNumbers& numbers() const noexcept { return numbers_; }

 private:
  enum class Stage : std::uint8_t { held, before_round, in_round, ended };
  struct Aside {
    FrameHeader header;
    std::vector<std::byte> payload;
  };
  struct OfLink {
    bool owed = false;              // this round's frame is to be sent
    bool due = false;               // this round's frame is due
    std::uint64_t sent_as = 0;      // how many frames the link had sent, this round's included; 0: none is on its way
    std::deque<Aside> aside;        // frames of later rounds, ascending
    std::uint64_t after_aside = 0;  // one more than the round of the last frame put aside
  };

  bool begin_round();
  void send();
  void take_frames();
  void take_frame(std::size_t i);
  bool put_aside(std::size_t i, const FrameHeader& header);
  [[nodiscard]] bool round_is_done() const;
  void check_stuck() const;

  const Mesh& mesh_;
  Watch& watch_;
  ChunkIntake* intake_;
  ChunkReader* chunks_;
  Rounds& rounds_;
  RoundNumbers numbers_;
  std::size_t longest_;
  Stage stage_ = Stage::held;
  std::array<OfLink, max_nodes + 1> of_link_{};
  LinkSet reads_ = 0;
  bool moved_ = false;  // within step()
  Clock::time_point since_ = Clock::now();
};

}  // namespace sotto::net
