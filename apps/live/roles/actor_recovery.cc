// What the actor does where a store was lost.
#include <algorithm>

#include "apps/live/roles/actor.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

void LiveActor::adopt(const KnownFrame& known) {
  const auto recovered = book_.recovered();
  if (!book_.wish().rebuild && !(recovered && recovered->actor)) {
    throw ProtocolError(ProtocolError::Kind::unexpected, "party 0", 0,
                        "the parties tell of batches to an actor whose store is not lost");
  }
  const OrderBook::Counts before = adopted_.value_or(OrderBook::Counts{});
  adopted_ = {std::max(before.decided, known.decided), std::max(before.learned, known.learned),
              std::max(before.model, known.model), known.from};
  RowDraft draft(rows_);
  for (const KnownBatch& batch : known.batches) {
    book_.adopt(draft, batch, true);  // without its arms it is not learned
    const DecisionRow lost{DecisionState::lost, 0, batch.number, batch.at, false, {}};
    for (const EventId& event : batch.events) draft.put(key_of(LiveTable::events, event), encode(lost));
  }
  // What was asked meanwhile is answered so.
  std::vector<EventId> answered;
  for (const KnownBatch& batch : known.batches) {
    for (const EventId& event : batch.events) {
      if (waiting_.find(event) == nullptr) continue;
      answered.push_back(event);
      erase_kept(draft, event);
    }
  }
  draft.commit();
  for (const EventId& event : answered) waiting_.remove(event);
}

void LiveActor::recover(RowDraft& draft, const LiveOpening& opening) {
  const OrderRecovery& recovery = opening.recovery.value().recovery;
  const auto recovered = book_.recovered();
  const OrderNumber told = recovered ? recovered->told : book_.last().mark.number;
  const bool is_lost = recovery.actor && book_.wish().rebuild;
  if (!agrees(recovery, book_.wish(), recovered, false, true) || (!is_lost && told != recovery.told)) {
    throw DisagreementError(
        "the roles would open an epoch with a recovery that the actor was not told of; nothing was changed");
  }
  (void)book_.settle_last(draft);
  if (recovery.snapshot || recovery.actor) (void)book_.drop_batches(draft);
  book_.recover(draft, opening, true, is_lost ? adopted_ : std::nullopt);
}

}  // namespace sotto::apps::live
