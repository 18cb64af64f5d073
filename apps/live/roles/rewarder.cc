#include "apps/live/roles/rewarder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

[[noreturn]] void refuse_order(const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::unexpected, "party 0", 0, "party 0 relays " + what);
}

bool is_valid_call(const RewardCall& call, RewardAggregation aggregation) {
  const bool needs_id = aggregation != RewardAggregation::earliest;
  return call.value >= -1 && call.value <= 1 && call.id.size() <= longest_reward_id && !(needs_id && call.id.empty());
}

}  // namespace

LiveRewarder::LiveRewarder(LiveRows& rows, const LiveSettings& settings, const RecoveryRequest& recovery_request)
    : rows_(rows), settings_(settings), book_(rows, settings, recovery_request), figures_(rows) {
  std::vector<EventAge> unknown;
  rows.each(LiveTable::events, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<RewardRow> row = decode_reward_row(bytes);
    if (!row) refuse_damaged("event");
    if (row->number == 0) unknown.push_back(EventAge{key.key, row->at});
    return true;
  });
  unknown_ = EventAges(std::move(unknown));
}

bool LiveRewarder::lacks(const LiveOpening& opening) const {
  return !opening.recovery && opening.number == book_.last().mark.number + 1;
}

void LiveRewarder::open(const LiveOpening& opening, const net::SessionId& session, const RestateFrame* restated,
                        LiveTime now) {
  leave_epoch();
  const OrderNumber last = book_.last().mark.number;
  const bool is_near = last <= opening.number + 1 && opening.number <= last + 1;
  if (opening.epoch <= book_.epoch().epoch || (!is_near && !opening.recovery)) {
    throw DisagreementError(fmt::format(
        "the roles would open epoch {} after number {}, and the rewarder has opened epoch {} and done number "
        "{}; nothing was changed",
        opening.epoch, opening.number, book_.epoch().epoch, last));
  }
  RowDraft draft(rows_);
  if (opening.recovery) {
    recover(draft, opening, now);
  } else if (last > opening.number) {
    roll_back(draft, now);
  } else if (opening.number > last) {
    catch_up(draft, opening, restated, now);
  }
  EpochRow epoch = book_.epoch();
  epoch.epoch = opening.epoch;
  epoch.session = session;
  book_.write_epoch(draft, epoch);
  figures_.put(draft);
  draft.commit();
  is_open_ = true;
}

void LiveRewarder::catch_up(RowDraft& draft, const LiveOpening& opening, const RestateFrame* restated, LiveTime now) {
  if (restated == nullptr || restated->entry.number != opening.number || restated->id != opening.id) {
    refuse_order("no restatement of the number that the rewarder lacks");
  }
  if (const std::string fault = book_.fault_of(restated->entry, false); !fault.empty()) refuse_order(fault);
  ChainRow row;
  row.mark = OrderMark{opening.number, {}, restated->epoch, digest_of(restated->entry)};
  row.entry = restated->entry;
  // begin() has already closed the batches of the learn, unless the rewarder did not take part in the learn.
  if (row.entry.shape.kind == EntryKind::learn) book_.close(draft, row.entry.batches);
  put_number(draft, std::move(row), now);
}

// The rewards of a decide that is rolled back wait for the next decide of its events.
void LiveRewarder::roll_back(RowDraft& draft, LiveTime now) {
  const OrderBook::RolledBack back = book_.roll_back(draft);
  for (const EventId& event : back.events) {
    std::optional<RewardRow> row = stored(draft, event);
    if (row && row->number != back.row.mark.number) continue;
    if (!row || row->rewards.empty()) {
      draft.erase(key_of(LiveTable::events, event));
      continue;
    }
    row->number = 0;
    row->at = now;
    draft.put(key_of(LiveTable::events, event), encode(*row));
    unknown_.put(event, now);
  }
}

void LiveRewarder::begin(const BeginFrame& learn) {
  if (!is_open_) throw std::logic_error("no epoch is open");
  if (running_ || concurrent_) refuse_order("a learn while another number is on its way");
  if (const std::string fault = book_.fault_of(learn); !fault.empty()) refuse_order(fault);
  RowDraft draft(rows_);
  book_.close(draft, learn.batches);
  figures_.put(draft);
  draft.commit();
  concurrent_ = learn;
}

void LiveRewarder::propose(const OrderEntry& entry) {
  if (!is_open_) throw std::logic_error("no epoch is open");
  if (running_) refuse_order("a number while another is on its way");
  if (const std::string fault = book_.fault_of(entry, false); !fault.empty()) refuse_order(fault);
  const bool learns = entry.shape.kind == EntryKind::learn;
  if (learns && (!concurrent_ || !is_of(entry, *concurrent_))) refuse_order("a learn that has not begun");
  running_ = entry;
}

std::vector<LearnedReward> LiveRewarder::learned_rewards() const {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  return rewards_of(RowDraft(rows_), concurrent_->batches);
}

LiftWords LiveRewarder::shown_lift() const {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  LiftWords words;
  if (book_.opens_lift()) words = book_.last().lift.words;
  words.resize(book_.lift_terms().words(), 0);
  return words;
}

std::vector<LearnedReward> LiveRewarder::rewards_of(const RowDraft& draft,
                                                    const std::vector<OrderNumber>& batches) const {
  std::vector<LearnedReward> rewards;
  for (const OrderNumber number : batches) {
    for (const EventId& event : book_.batch(draft, number).events) {
      // If a party has refused the event in this batch, the event's row belongs to an earlier batch.
      std::optional<RewardRow> row = stored(draft, event);
      if (row && row->number != number) row.reset();
      rewards.push_back(aggregated(row.value_or(RewardRow{}), settings_));
    }
  }
  return rewards;
}

OrderTally LiveRewarder::tally_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const {
  OrderTally tally;
  for (const LearnedReward& reward : rewards_of(draft, batches)) {
    tally.clipped += reward.clipped ? 1 : 0;
    if (!reward.learned) continue;
    ++tally.rewards_learned;
    tally.reward_sum += reward.value;
  }
  return tally;
}

void LiveRewarder::put_number(RowDraft& draft, ChainRow row, LiveTime now) {
  (void)book_.settle_last(draft);
  const OrderEntry entry = row.entry;
  LiftCounted lift;
  if (entry.shape.kind == EntryKind::learn) {
    row.tally = tally_of(draft, entry.batches);
    if (book_.fills_lift(entry.batches)) {
      if (!lift_noise_) throw std::logic_error("a window is full, and there is no noise");
      for (std::size_t i = 0; i < book_.lift_terms().words(); ++i) {
        lift.words.push_back(static_cast<std::uint64_t>(lift_noise_()));
      }
    }
  }
  book_.append(draft, std::move(row), {}, std::move(lift));
  if (entry.shape.kind != EntryKind::decide) return;
  book_.add_batch(draft, entry, now);
  for (const EventId& event : entry.events) {
    RewardRow reward = stored(draft, event).value_or(RewardRow{});
    // The event belongs to an earlier batch that is not learned yet, so the parties refuse the event in this decide.
    if (book_.open_batches().contains(reward.number)) continue;
    if (reward.number != 0) reward = RewardRow{};
    reward.number = entry.number;
    reward.at = now;
    draft.put(key_of(LiveTable::events, event), encode(reward));
  }
}

DoneFrame LiveRewarder::prepare(LiveTime now) {
  if (!running_) throw std::logic_error("nothing is on its way");
  ChainRow row;
  row.entry = *running_;
  row.mark = OrderMark{running_->number, {}, book_.epoch().epoch, digest_of(*running_)};
  DoneFrame done{row.mark.number, row.mark.entry};
  RowDraft draft(rows_);
  put_number(draft, std::move(row), now);
  figures_.put(draft);
  draft.commit();
  if (running_->shape.kind == EntryKind::learn) concurrent_.reset();
  running_.reset();
  return done;
}

void LiveRewarder::settle(const SettledFrame& frame) {
  if (running_ || frame.number != book_.last().mark.number) {
    refuse_order(fmt::format("that number {} is settled, and the rewarder has done number {}", frame.number,
                             book_.last().mark.number));
  }
  RowDraft draft(rows_);
  (void)book_.settle_last(draft);
  figures_.put(draft);
  draft.commit();
}

OrderNumber LiveRewarder::number_in(const LiveRow& event) {
  const std::optional<RewardRow> row = decode_reward_row(event);
  if (!row) refuse_damaged("event");
  return row->number;
}

std::optional<RewardRow> LiveRewarder::stored(const RowDraft& draft, const EventId& event) const {
  const auto bytes = draft.get(key_of(LiveTable::events, event));
  if (!bytes) return std::nullopt;
  std::optional<RewardRow> row = decode_reward_row(*bytes);
  if (!row) refuse_damaged("event");
  return row;
}

RewardStatus LiveRewarder::post_unknown(RowDraft& draft, const RewardCall& call, LiveTime now) {
  RewardRow row = stored(draft, call.event).value_or(RewardRow{0, now, {}});
  const bool is_new = row.rewards.empty();
  if (is_new && unknown_.size() >= settings_.max_pending) return RewardStatus::invalid;
  const RewardStatus status = add_reward(row, call, settings_.aggregation);
  if (status != RewardStatus::used) return status;
  draft.put(key_of(LiveTable::events, call.event), encode(row));
  if (is_new) unknown_.put(call.event, row.at);
  return RewardStatus::unknown;
}

RewardStatus LiveRewarder::post_one(RowDraft& draft, const RewardCall& call, LiveTime now) {
  if (!is_valid_call(call, settings_.aggregation)) return RewardStatus::invalid;
  std::optional<RewardRow> row = stored(draft, call.event);
  if (!row || row->number == 0) return post_unknown(draft, call, now);
  const RewardStatus status = add_reward(*row, call, settings_.aggregation);
  // A repeated call gets the answer of the first call, even if the repeated call is late.
  if (status != RewardStatus::used) return status;
  if (!book_.takes_input(row->number)) {
    return book_.is_never_learned(draft, row->number) ? RewardStatus::not_learned : RewardStatus::late;
  }
  draft.put(key_of(LiveTable::events, call.event), encode(*row));
  return status;
}

std::vector<RewardStatus> LiveRewarder::post(std::span<const RewardCall> calls, LiveTime now) {
  RowDraft draft(rows_);
  std::vector<RewardStatus> results;
  results.reserve(calls.size());
  for (const RewardCall& call : calls) {
    results.push_back(post_one(draft, call, now));
    ++figures_.change().rewards.at(static_cast<std::size_t>(results.back()));
  }
  figures_.put(draft);
  draft.commit();
  return results;
}

std::optional<EventView> LiveRewarder::view(const EventId& event) const {
  const RowDraft rows(rows_);
  const auto row = stored(rows, event);
  if (!row) return std::nullopt;
  EventView view;
  view.at = row->at;
  view.number = row->number;
  view.learned = book_.is_learned(rows, row->number);
  view.state = row->number == 0 ? "unknown" : book_.takes_input(row->number) ? "decided" : "closed";
  const LearnedReward reward = aggregated(*row, settings_);
  if (reward.learned) view.reward = reward.value;
  return view;
}

std::size_t LiveRewarder::forget(LiveTime now) {
  (void)book_.turn_back(now);
  unknown_.turn_back(now);
  RowDraft draft(rows_);
  std::size_t dropped = 0;
  const LiveTime oldest = now > unknown_reward_wait ? now - unknown_reward_wait : 0;
  while (const auto first = unknown_.take_before(oldest)) {
    const auto row = stored(draft, first->event);
    if (!row || row->number != 0 || row->at != first->at) continue;
    dropped += row->rewards.size();
    draft.erase(key_of(LiveTable::events, first->event));
  }
  book_.forget(draft, rows_, now, settings_.remember, number_in);
  const OrderTally& tally = book_.last().tally;
  if (is_open_) figures_.note(now, {static_cast<double>(tally.rewards_learned), tally.reward_sum});
  figures_.put(draft, true);
  draft.commit();
  return dropped;
}

void LiveRewarder::write_figures() {
  RowDraft draft(rows_);
  figures_.put(draft, true);
  draft.commit();
}

}  // namespace sotto::apps::live
