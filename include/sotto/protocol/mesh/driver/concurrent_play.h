// A program that a node runs between the rounds of other programs, over the same links, without waiting. The program
// reserves its round numbers when it begins, so the number of a frame identifies its program. Frames that arrive before
// start() or before their round are stored, because otherwise they would block the frames of other programs on the
// link.
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

// The numbers of a program's rounds, and one more for the chunk after the last round.
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
  // The caller must start the program's root task on `rounds` before start(). `intake` and `chunks` are null except at
  // the last party. A stored frame may have up to `longest` payload bytes. All references must outlive this object.
  ConcurrentPlay(const Mesh& mesh, Watch& watch, ChunkIntake* intake, ChunkReader* chunks, Rounds& rounds,
                 const RoundNumbers& numbers, std::size_t longest);

  void start();
  // Continues the program as far as possible, and returns true if a frame was taken or a round ended. Throws
  // ProtocolError for a frame that does not fit the program, NetworkError for a peer that has left, and all exceptions
  // of the program.
  bool step();
  // The links on which only a part of a needed frame has arrived.
  [[nodiscard]] LinkSet reads() const noexcept { return reads_; }
  [[nodiscard]] bool ended() const noexcept { return stage_ == Stage::ended; }
  // The current round; numbers().end() after the program has ended.
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
    bool owed = false;
    bool due = false;
    std::uint64_t sent_as = 0;
    std::deque<Aside> aside;
    std::uint64_t after_aside = 0;
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
  bool moved_ = false;
  Clock::time_point since_ = Clock::now();
};

}  // namespace sotto::net
