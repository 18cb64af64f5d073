// Disks that lose something: what is wrong on purpose.
#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;

// Disks that lose something.
void Steps::spoil(std::size_t role) {
  const Seeded seeded = bounds_.seeded;
  const auto lose = [&](auto loses) {
    rows_[role].spoil([loses](RowChanges& changes) { std::erase_if(changes, loses); });
  };
  const auto lose_of_recoveries = [&](LiveTable table) {
    rows_[role].spoil([table](RowChanges& changes) {
      const bool recovers = std::any_of(changes.begin(), changes.end(), [](const auto& c) {
        return is_of(c.first, LiveTable::chain) && c.second &&
               decode_chain_row(*c.second)->entry.shape.kind == EntryKind::recovery;
      });
      if (recovers) std::erase_if(changes, [table](const auto& c) { return is_of(c.first, table); });
    });
  };
  const auto state_of = [](const auto& change) {
    return change.second && is_of(change.first, LiveTable::batches) ? decode_batch_row(*change.second)->state
                                                                    : BatchState::pending;
  };
  if (role == actor_role && seeded == Seeded::baseline_not_stored) {
    lose([](const auto& c) {
      return is_of(c.first, LiveTable::events) && decode_decision_row(*c.second)->state == DecisionState::baseline;
    });
  }
  if (role == actor_role && seeded == Seeded::learned_not_stored) {
    lose([state_of](const auto& c) { return state_of(c) == BatchState::learned; });
  }
  if (role == actor_role && seeded == Seeded::asked_not_stored) {
    lose([](const auto& c) { return is_of(c.first, LiveTable::asked); });
  }
  if (role == rewarder_role && seeded == Seeded::rewards_not_closed) {
    lose([state_of](const auto& c) { return state_of(c) == BatchState::closed; });
  }
  if ((role == party_0 || role == party_1) && seeded == Seeded::ids_not_kept) {
    lose([](const auto& c) { return is_of(c.first, LiveTable::events); });
  }
  if (role == party_0 && seeded == Seeded::model_not_gone_back) lose_of_recoveries(LiveTable::models);
  if (role == actor_role && seeded == Seeded::drop_not_stored) lose_of_recoveries(LiveTable::batches);
  if (role == rewarder_role && seeded == Seeded::batches_not_adopted) {
    rows_[role].spoil([](RowChanges& changes) {
      // Batches that come without their number were told by party 0.
      const bool has_number =
          std::any_of(changes.begin(), changes.end(), [](const auto& c) { return is_of(c.first, LiveTable::chain); });
      if (!has_number) std::erase_if(changes, [](const auto& c) { return is_of(c.first, LiveTable::batches); });
    });
  }
  if (role == actor_role && seeded == Seeded::mode_not_stored) {
    rows_[role].spoil([](RowChanges& changes) {
      for (auto& [key, row] : changes) {
        if (!is_of(key, LiveTable::chain) || !row) continue;
        ChainRow chain = *decode_chain_row(*row);
        if (chain.entry.shape.kind != EntryKind::mode) continue;
        chain.mode = LiveMode::online;
        row = encode(chain);
      }
    });
  }
  if (seeded == Seeded::frozen_not_stored) {
    rows_[role].spoil([](RowChanges& changes) {
      const bool decides = std::any_of(changes.begin(), changes.end(), [](const auto& c) {
        return is_of(c.first, LiveTable::chain) && c.second &&
               decode_chain_row(*c.second)->entry.shape.kind == EntryKind::decide;
      });
      for (auto& [key, row] : changes) {
        if (!decides || !is_of(key, LiveTable::batches) || !row) continue;
        BatchRow batch = *decode_batch_row(*row);
        batch.state = BatchState::pending;
        row = encode(batch);
      }
    });
  }
  if (role == party_0 && seeded == Seeded::features_erased_early) {
    rows_[role].spoil([](RowChanges& changes) {
      std::vector<OrderNumber> learned;
      for (const auto& [key, row] : changes) {
        if (!is_of(key, LiveTable::chain) || !row) continue;
        const ChainRow chain = *decode_chain_row(*row);
        learned = chain.entry.batches;
      }
      for (const OrderNumber number : learned) changes[key_of(LiveTable::used, number)] = std::nullopt;
    });
  }
}

}  // namespace sotto::apps::testing
