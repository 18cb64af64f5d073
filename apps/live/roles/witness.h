// Who hears of the decision service shapes of programs and whether they are run, and no event: the dealer, or the
// helper of two parties.
//
// Its store has the last epoch that it opened, as no randomness is made twice, and the last number that it was told to
// be settled. That makes it a witness: should all other roles come back with old copies, the opening is refused until
// the rollback is accepted here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "apps/live/order/frames.h"
#include "apps/live/roles/order_book.h"

namespace sotto::apps::live {

class LiveWitness {
 public:
  // `name` is in errors, "the dealer". `accept_rollback`: it does not tell what it knows to be settled.
  LiveWitness(LiveRows& rows, std::string name, bool accept_rollback);

  [[nodiscard]] LiveStanding standing() const;
  // On the disk when this returns. Throws DisagreementError where it has opened the epoch before.
  void open(const LiveOpening& opening, const net::SessionId& session);
  // What was planned is forgotten.
  void leave_epoch();

  // The settled number is on the disk when this returns. Throws ProtocolError where the plan does not go on from the
  // last.
  void plan(const PlanFrame& frame);
  [[nodiscard]] const EpochRow& epoch() const noexcept { return epoch_; }

 protected:
  [[nodiscard]] std::uint64_t next_planned() const noexcept { return next_planned_; }

 private:
  LiveRows& rows_;
  std::string name_;
  EpochRow epoch_;
  bool accept_rollback_;
  bool is_open_ = false;
  std::uint64_t next_planned_ = 1;
};

// The dealer of the decision service: it deals the planned programs in their order; a skipped one is dealt too, and
// thrown away by the parties.

struct DealtProgram {
  std::uint64_t program = 1;
  ProgramShape shape;

  friend bool operator==(const DealtProgram&, const DealtProgram&) = default;
};

class LiveDealer : public LiveWitness {
 public:
  explicit LiveDealer(LiveRows& rows, bool accept_rollback = false)
      : LiveWitness(rows, "the dealer", accept_rollback) {}

  // What was dealt ahead is forgotten as well.
  void open(const LiveOpening& opening, const net::SessionId& session);
  void leave_epoch();
  void plan(const PlanFrame& frame);
  // Throws ProtocolError where it was never planned, or skipped before.
  void skip(const SkipFrame& frame);
  // The next program to deal, if one is planned.
  [[nodiscard]] std::optional<DealtProgram> next();
  [[nodiscard]] std::size_t ahead() const noexcept { return planned_.size(); }  // planned and not given by next()
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }     // since this object was made

 private:
  std::deque<DealtProgram> planned_;  // and not dealt
  std::uint64_t last_skipped_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace sotto::apps::live
