#include "apps/live/roles/dealer.h"

#include <fmt/format.h>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

void LiveDealer::open(const LiveOpening& opening, const net::SessionId& session) {
  leave_epoch();
  LiveWitness::open(opening, session);
}

void LiveDealer::leave_epoch() {
  planned_.clear();
  last_skipped_ = 0;
  LiveWitness::leave_epoch();
}

void LiveDealer::plan(const PlanFrame& frame) {
  LiveWitness::plan(frame);
  std::uint64_t program = frame.first;
  for (const ProgramShape& shape : frame.shapes) planned_.push_back(DealtProgram{program++, shape});
}

void LiveDealer::skip(const SkipFrame& frame) {
  if (frame.program >= next_planned() || frame.program <= last_skipped_) {
    throw ProtocolError(
        ProtocolError::Kind::unexpected, "actor", 0,
        fmt::format("the actor skips program {}, which was not planned or was skipped before", frame.program));
  }
  last_skipped_ = frame.program;
  ++skipped_;
}

std::optional<DealtProgram> LiveDealer::next() {
  if (planned_.empty()) return std::nullopt;
  const DealtProgram program = planned_.front();
  planned_.pop_front();
  return program;
}

}  // namespace sotto::apps::live
