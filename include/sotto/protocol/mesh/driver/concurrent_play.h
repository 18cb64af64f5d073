// A program that a node runs concurrently with other programs over the same links. The program continues between the
// other programs, and between the rounds of the other programs. There may be several concurrent programs, which do not
// affect each other.
//
// A concurrent program gets the numbers of its rounds when it begins. Later programs get the numbers after these, so
// the round number of a frame says which program the frame belongs to. A frame of a round that this node has not
// reached is put aside. If the frame stayed on the link, it would block the next frames, which may belong to the
// program that this node runs meanwhile. Frames of other programs are left on the link. Frames of other programs do not
// stay on the link for long, since the other programs never wait for the concurrent program.
//
// No function of ConcurrentPlay waits: step() continues the program as far as possible. A caller that waits for
// something else calls step() again whenever bytes have come. Before start() the program does not run, and frames that
// peers send for the program are put aside.
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

// The numbers of a program's rounds, and one more number, which belongs to the chunk after the last round.
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
  // `rounds` has the numbers of the program's rounds and, from start() on, the root task of the program. `intake` and
  // `chunks` are set at the last party, and null at all other nodes. A frame that must be put aside is an error if the
  // frame has more than `longest` payload bytes. All references must outlive this object.
  ConcurrentPlay(const Mesh& mesh, Watch& watch, ChunkIntake* intake, ChunkReader* chunks, Rounds& rounds,
                 const RoundNumbers& numbers, std::size_t longest);

  void start();
  // Continues the program as far as possible without waiting. Returns true if the call took a frame or ended a round.
  // Throws ProtocolError for a frame that does not fit the rounds of the program, NetworkError for a peer that has
  // left, and all exceptions of the program.
  bool step();
  // The links on which the program waits for a frame that has arrived only in part.
  [[nodiscard]] LinkSet reads() const noexcept { return reads_; }
  [[nodiscard]] bool ended() const noexcept { return stage_ == Stage::ended; }
  // The current round: all frames of earlier rounds have been sent. After the program has ended, this is
  // numbers().end().
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
    bool owed = false;  // this round's frame must be sent
    bool due = false;   // the peer's frame of this round is due
    // The link's count of data frames when this round's frame was handed to the link, this frame included. 0: no frame
    // of this round is still being sent.
    std::uint64_t sent_as = 0;
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
