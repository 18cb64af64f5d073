#include "sotto/apps/bandit/live/roles/dealer.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void refuse_plan(const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::unexpected, "actor", 0, "the actor " + what);
}

void commit_epoch(LiveRows& rows, const EpochRow& row) {
  RowDraft draft(rows);
  draft.put(key_of(LiveTable::epoch, OrderNumber{0}), encode(row));
  draft.commit();
}

}  // namespace

LiveDealer::LiveDealer(LiveRows& rows, bool accept_rollback)
    : rows_(rows), epoch_(read_epoch_row(rows)), accept_rollback_(accept_rollback) {}

LiveStanding LiveDealer::standing() const {
  LiveStanding standing;
  standing.keeps_order = false;
  standing.epoch = epoch_.epoch;
  standing.settled = accept_rollback_ ? 0 : epoch_.settled;
  return standing;
}

void LiveDealer::open(const LiveOpening& opening, const net::SessionId& session) {
  leave_epoch();
  if (opening.epoch <= epoch_.epoch) {
    throw DisagreementError(
        fmt::format("the roles would open epoch {}, and the dealer has opened epoch {} before: no randomness is dealt "
                    "twice; nothing was changed",
                    opening.epoch, epoch_.epoch));
  }
  EpochRow row = epoch_;
  row.epoch = opening.epoch;
  row.session = session;
  row.settled = opening.number;
  commit_epoch(rows_, row);
  epoch_ = row;
  accept_rollback_ = false;
  is_open_ = true;
}

void LiveDealer::leave_epoch() {
  planned_.clear();
  next_planned_ = 1;
  last_skipped_ = 0;
  is_open_ = false;
}

void LiveDealer::plan(const PlanFrame& frame) {
  if (!is_open_) throw std::logic_error("no epoch is open");
  if (frame.first != next_planned_) {
    refuse_plan(fmt::format("plans program {} where {} is next", frame.first, next_planned_));
  }
  if (frame.settled < epoch_.settled) {
    refuse_plan(fmt::format("says that number {} is settled, after number {}", frame.settled, epoch_.settled));
  }
  if (frame.settled > epoch_.settled) {
    EpochRow row = epoch_;
    row.settled = frame.settled;
    commit_epoch(rows_, row);
    epoch_ = row;
  }
  for (const ProgramShape& shape : frame.shapes) planned_.push_back(DealtProgram{next_planned_++, shape});
}

void LiveDealer::skip(const SkipFrame& frame) {
  if (frame.program >= next_planned_ || frame.program <= last_skipped_) {
    refuse_plan(fmt::format("skips program {}, which was not planned or was skipped before", frame.program));
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

}  // namespace sotto::apps
