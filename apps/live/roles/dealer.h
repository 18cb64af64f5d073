// The dealer of the decision service: it deals the planned programs in their order; a skipped one is dealt too, and
// thrown away by the parties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "apps/live/roles/witness.h"

namespace sotto::apps::live {

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
