// A program that a node plays beside others over the same links: between their programs, and between their rounds.
// There may be several, which take no notice of each other.
//
// Its rounds have the numbers that it was given when it began, and those of the programs after it follow, so that a
// frame says which program it is of. What a peer sends of a round that this node has not come to is put aside: else it
// would keep what is behind it on the link from the program that this node plays meanwhile. Frames of that other
// program are left where they are; it never waits for this one, so they do not stay.
//
// Nothing here waits: step() goes as far as it can, and whoever waits for anything else calls it again whenever bytes
// have come. Until start() nothing of the program is played: what peers send of it is put aside.
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

// Numbers of a program's rounds; there is one more, of the chunk after its last round.
struct RoundNumbers {
  std::uint64_t first = 0;
  std::uint64_t rounds = 0;

  [[nodiscard]] std::uint64_t end() const noexcept { return first + rounds + 1; }
  [[nodiscard]] bool has(const FrameHeader& header) const noexcept {
    return header.type == FrameType::round && header.round >= first && header.round < first + rounds;
  }
};

class BesidePlay {
 public:
  // `rounds` has its numbers, and from start() on its root task. `intake` and `chunks` are the last party's, else null.
  // A frame of more than `longest` payload bytes is not put aside, but an error. All references must outlive this.
  BesidePlay(const Mesh& mesh, Watch& watch, ChunkIntake* intake, ChunkReader* chunks, Rounds& rounds,
             const RoundNumbers& numbers, std::size_t longest);

  void start();
  // Goes on as far as it can now; whether it took any frame or ended any round. Throws ProtocolError for what is no
  // frame of its rounds, NetworkError for a peer that has left, and what the program throws.
  bool step();
  // Links with a part of a frame that it waits for.
  [[nodiscard]] LinkSet reads() const noexcept { return reads_; }
  [[nodiscard]] bool ended() const noexcept { return stage_ == Stage::ended; }
  // All its frames before this round are out. Once it has ended: the number after its last.
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
    bool owed = false;          // this round's frame is to be sent
    bool due = false;           // this round's frame is to come
    std::uint64_t sent_as = 0;  // how many frames had been sent on the link with this round's; 0: none is on its way
    std::deque<Aside> aside;    // of later rounds, ascending
    std::uint64_t after_aside = 0;  // one more than the round of the last that was put aside
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
