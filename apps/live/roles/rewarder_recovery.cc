// What the rewarder does where a store was lost.
#include "apps/live/roles/rewarder.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

void LiveRewarder::adopt(const KnownFrame& known) {
  const auto recovered = book_.recovered();
  if (!book_.wish().rebuild && !(recovered && recovered->rewarder)) {
    throw ProtocolError(ProtocolError::Kind::unexpected, "party 0", 0,
                        "party 0 tells of batches to a rewarder whose store is not lost");
  }
  adopted_ = {known.decided, known.learned, known.model, known.from};
  RowDraft draft(rows_);
  for (const KnownBatch& batch : known.batches) {
    book_.adopt(draft, batch);
    for (const EventId& event : batch.events) {
      // Rewards that came meanwhile stay.
      RewardRow row = stored(draft, event).value_or(RewardRow{});
      row.number = batch.number;
      row.at = batch.at;
      draft.put(key_of(LiveTable::events, event), encode(row));
    }
  }
  draft.commit();
}

void LiveRewarder::recover(RowDraft& draft, const LiveOpening& opening, LiveTime now) {
  const OrderRecovery& recovery = opening.recovery.value().recovery;
  if (!agrees(recovery, book_.wish(), book_.recovered(), false, false) ||
      (!book_.recovered() && book_.last().mark.number > recovery.told + 1)) {
    throw DisagreementError(
        "the roles would open an epoch with a recovery that the rewarder was not told of; nothing was changed");
  }
  if (!book_.recovered() && book_.last().mark.number > recovery.told) roll_back(draft, now);
  (void)book_.settle_last(draft);
  // Of the model that is gone back to, or of a lost actor, nothing that is pending is learned.
  if (recovery.snapshot || recovery.actor) (void)book_.drop_batches(draft);
  const bool is_lost = recovery.rewarder && !book_.recovered();
  book_.recover(draft, opening, false, is_lost ? adopted_ : std::nullopt);
}

}  // namespace sotto::apps::live
