// Player: plays a program to find out its requests, one stretch at a time, at a role that exchanges no frames.
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

// With one piece of a value per party, selection by bits is cheaper, because products of words take messages.

// Base class of preprocessing without a dealer.
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

// Whether the material of a stretch must still be made. For `made`, the sides draw and note nothing.
enum class StretchState : std::uint8_t { to_make, made };

// Base class of the sides that play a program.
class PlayedSide : public RecordedBase {
 public:
  // Marks the next stretch, and waits until the player continues.
  [[nodiscard]] Task<void> next_stretch(Party& party) final;
  [[nodiscard]] bool take_mark() { return std::exchange(marked_, false); }

 protected:
  using RecordedBase::RecordedBase;

 private:
  bool marked_ = false;
};

class Player {
 public:
  virtual ~Player() = default;
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
