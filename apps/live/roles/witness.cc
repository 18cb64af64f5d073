#include "apps/live/roles/witness.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
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

LiveWitness::LiveWitness(LiveRows& rows, std::string name, bool accept_rollback)
    : rows_(rows), name_(std::move(name)), epoch_(read_epoch_row(rows)), accept_rollback_(accept_rollback) {}

LiveHistory LiveWitness::history() const {
  LiveHistory history;
  history.keeps_order = false;
  history.epoch = epoch_.epoch;
  history.settled = accept_rollback_ ? 0 : epoch_.settled;
  return history;
}

void LiveWitness::open(const LiveOpening& opening, const net::SessionId& session) {
  leave_epoch();
  if (opening.epoch <= epoch_.epoch) {
    throw DisagreementError(
        fmt::format("the roles would open epoch {}, and {} has opened epoch {} before: no randomness is made twice; "
                    "nothing was changed",
                    opening.epoch, name_, epoch_.epoch));
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

void LiveWitness::leave_epoch() {
  next_planned_ = 1;
  is_open_ = false;
}

void LiveWitness::plan(const PlanFrame& frame) {
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
  next_planned_ += frame.shapes.size();
}

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
