// The dealer, or the helper of two parties. This role learns the shapes of programs and whether the programs are run,
// but nothing about events.
//
// The role's store contains the number of the last epoch that the role opened, so that no randomness is made twice. The
// store also contains the last number that the actor announced as settled. If all other roles start with old copies of
// their stores, the opening is refused until this role is started with `accept_rollback`.
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
  // With `accept_rollback` the role does not report the last settled number. `name` appears in errors.
  LiveWitness(LiveRows& rows, std::string name, bool accept_rollback);

  [[nodiscard]] LiveHistory history() const;
  // Opens the epoch and writes it to the disk. Throws DisagreementError if the role has opened the epoch before.
  void open(const LiveOpening& opening, const net::SessionId& session);
  void leave_epoch();

  // Writes the plan's settled number to the disk. Throws ProtocolError if the plan does not continue from the last
  // plan.
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

struct DealtProgram {
  std::uint64_t program = 1;
  ProgramShape shape;

  friend bool operator==(const DealtProgram&, const DealtProgram&) = default;
};

// The dealer also deals randomness for skipped programs, and the parties throw this randomness away.
class LiveDealer : public LiveWitness {
 public:
  explicit LiveDealer(LiveRows& rows, bool accept_rollback = false)
      : LiveWitness(rows, "the dealer", accept_rollback) {}

  void open(const LiveOpening& opening, const net::SessionId& session);
  void leave_epoch();
  void plan(const PlanFrame& frame);
  // Throws ProtocolError if the program was never planned, or was skipped before.
  void skip(const SkipFrame& frame);
  [[nodiscard]] std::optional<DealtProgram> next();
  [[nodiscard]] std::size_t ahead() const noexcept { return planned_.size(); }  // planned, not returned by next()
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  std::deque<DealtProgram> planned_;
  std::uint64_t last_skipped_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace sotto::apps::live
