// Player: plays a program only to find out its requests, at a role that exchanges no frames. A Player plays one stretch
// at a time.
//
// A Player stops where the program marks its next stretch (run_with_randomness.h), and continues from the mark. The
// values that the program has at the mark, such as masks of its model, stay in the program's coroutines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/party/rounds.h"

namespace sotto::protocols {

// Base class of preprocessing without a dealer. RecordedBase refuses tournaments of more than 64 arms, which no derived
// class serves. If each party has one piece of a value, selection by bits is cheaper, because products of words take
// messages.

class RecordedBase : public Preprocessing {
 public:
  [[nodiscard]] bool selects_by_bits() const final { return one_piece_; }
  [[nodiscard]] Mask ranked_mask(const Mask&, const Samples&, RankedWidths, const ValueGroups&) final {
    throw std::invalid_argument("an argmax of more than 64 arms needs a dealer");
  }

 protected:
  explicit RecordedBase(const PieceProtocols& pieces) : one_piece_(pieces.pieces() == 1) {}

 private:
  bool one_piece_;
};

// Whether the material of a stretch still has to be made or was made before. If the material was made before, nothing
// is drawn or noted for the stretch.
enum class StretchState : std::uint8_t { to_make, made };

// Base class of the sides that play a program.
class PlayedSide : public RecordedBase {
 public:
  // Marks the next stretch, and waits in a round that has no lanes.
  [[nodiscard]] Task<void> next_stretch(Party& party) final;
  // Whether the program has reached a mark since the last call.
  [[nodiscard]] bool take_mark() { return std::exchange(marked_, false); }

 protected:
  using RecordedBase::RecordedBase;

 private:
  bool marked_ = false;
};

class Player {
 public:
  virtual ~Player() = default;
  // Plays to the next mark or to the program's end. After the program's end, play_stretch() does nothing.
  virtual void play_stretch() = 0;
  [[nodiscard]] virtual bool ended() const = 0;
};

template <class Program>
class PlayerOf final : public Player {
 public:
  // `side` and `program` must outlive this object.
  PlayerOf(const Topology& topology, PlayedSide& side, Program& program)
      : side_(side), rounds_(topology, std::nullopt), party_(rounds_, side), task_(program(party_)) {
    task_.start_on(rounds_);
  }
  ~PlayerOf() override { rounds_.abandon(); }
  PlayerOf(const PlayerOf&) = delete;
  PlayerOf& operator=(const PlayerOf&) = delete;

  void play_stretch() override {
    if (ended_) return;
    if (std::exchange(waits_, false)) rounds_.scatter();
    while (rounds_.gather()) {
      waits_ = side_.take_mark();
      if (waits_) return;
      rounds_.scatter();
    }
    ended_ = true;
  }
  [[nodiscard]] bool ended() const override { return ended_; }

 private:
  PlayedSide& side_;
  Rounds rounds_;
  Party party_;
  decltype(std::declval<Program&>()(std::declval<Party&>())) task_;
  bool waits_ = false;
  bool ended_ = false;
};

}  // namespace sotto::protocols
