#include <fmt/format.h>

#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

void Steps::forget(World& w, std::size_t role) {
  w.phase.at(role) = 0;
  w.concurrent.at(role) = 0;
  if (role == actor_role) w.lesson.clear();
  if (role == party_0 || role == party_1) {
    w.parties.at(role - party_0).reset();
    w.stood_on.at(role - party_0).clear();
    if (bounds_.seeded != Seeded::kept_over_epochs || role != party_0) w.ran.at(role - party_0).reset();
  }
  if (role == rewarder_role) w.rewarder.reset();
  if (role == dealer_role) w.dealer.reset();
  if (role != actor_role) return;
  if (w.wanted && w.actor->mode() != *w.wanted) --w.changes;
  w.wanted.reset();
  w.actor.reset();
  if (!bounds_.kept) w.asked = 0;
  if (bounds_.seeded != Seeded::batches_in_memory) return;
  RowChanges lost;
  for (const auto& [key, row] : w.disks[actor_role].rows()) {
    if (is_of(key, LiveTable::batches)) lost[key] = std::nullopt;
  }
  w.disks[actor_role].apply(lost);
}

void Steps::faults(const World& w) {
  if (w.crashes > 0) {
    for (std::size_t role = 0; role < live_roles; ++role) {
      if (w.stage[role] == Stage::setting_up) continue;
      add(w, fmt::format("{} is killed", role_names[role]), true, [&](World& next) {
        forget(next, role);
        next.stage[role] = Stage::setting_up;
        --next.crashes;
      });
    }
  }
  losses(w);
  memories(w);
  rollbacks(w);
  if (!bounds_.restored) return;
  const std::size_t role = *bounds_.restored;
  if (!w.copied && last_of(w.disks[actor_role]) + w.opening.epoch > 0) {
    add(w, fmt::format("the disk of {} is copied", role_names[role]), true, [&](World& next) {
      next.copied = 1;
      next.copy = std::make_shared<Disk>(next.disks[role]);
    });
  }
  if (w.copied && !w.restored) {
    add(w, fmt::format("{} dies, its copy comes back", role_names[role]), true, [&](World& next) {
      const OrderNumber now = last_of(next.disks[actor_role]);
      const OrderNumber then = last_of(*next.copy);
      const OrderNumber lacks = role == dealer_role || then > now ? 0 : now - then;
      next.restored = static_cast<std::uint8_t>(1 + std::min<OrderNumber>(lacks, 2));
      forget(next, role);
      next.stage[role] = Stage::setting_up;
      next.disks[role] = *next.copy;
    });
  }
}

void Steps::memories(const World& w) {
  if (!bounds_.forgets) return;
  for (const std::size_t role : {actor_role, party_0, rewarder_role}) {
    if (w.forgot >> role & 1) continue;
    for (const auto& [key, bytes] : w.disks.at(role).rows()) {
      if (!is_of(key, LiveTable::batches)) continue;
      const std::optional<BatchRow> batch = decode_batch_row(bytes);
      if (batch->state != BatchState::learned || batch->events.front() != event_id(0)) continue;
      add(w, fmt::format("{} forgets event 0", role_names[role]), true, [&](World& next) {
        next.forgot |= static_cast<std::uint8_t>(1U << role);
        if (role == actor_role) next.asked &= static_cast<std::uint8_t>(~1U);
        next.disks.at(role).apply({{key_of(LiveTable::batches, batch->number), std::nullopt},
                                   {key_of(LiveTable::used, batch->number), std::nullopt},
                                   {key_of(LiveTable::events, event_id(0)), std::nullopt}});
      });
      break;
    }
  }
}

void Steps::lose(World& w, LiveRole role) {
  const bool is_party = role == party_0 || role == party_1;
  OrderNumber snapshot = 0;
  w.disks[role] = is_party && w.copy ? *w.copy : Disk{};
  if (is_party && w.copy) snapshot = last_of(*w.copy);
  for (std::size_t other = 0; other < live_roles; ++other) {
    forget(w, other);
    w.stage.at(other) = Stage::setting_up;
    RecoveryRequest& recovery_request = w.wishes.at(other);
    if (is_party) {
      recovery_request.go_back = other == party_0 || other == party_1;
      recovery_request.snapshot = recovery_request.go_back ? snapshot : 0;
      continue;
    }
    if (other == dealer_role) continue;
    recovery_request.rebuild = other == role;
    recovery_request.accept_actor = role == actor_role && other != role;
    recovery_request.accept_rewarder = role == rewarder_role && other != role;
  }
  if (role == rewarder_role) w.acknowledged = false;
  w.lost = true;
}

void Steps::losses(const World& w) {
  if (!bounds_.lost || w.lost || w.opening.epoch == 0) return;
  add(w, fmt::format("the store of {} is lost, and all roles are told", role_names[*bounds_.lost]), true,
      [&](World& next) { lose(next, *bounds_.lost); });
}

void Steps::rollbacks(const World& w) {
  if (!bounds_.rollback || w.opening.epoch == 0 || w.rolled_back) return;
  if (!w.is_copied) {
    add(w, "all disks but the dealer's are copied", true, [&](World& next) {
      next.is_copied = true;
      next.copies = std::make_shared<const std::array<Disk, live_roles>>(next.disks);
    });
    return;
  }
  add(w, "the copies come back at all roles but the dealer", true, [&](World& next) {
    for (std::size_t role = 0; role < live_roles; ++role) {
      forget(next, role);
      next.stage.at(role) = Stage::setting_up;
      if (role != dealer_role) next.disks.at(role) = next.copies->at(role);
    }
    next.rolled_back = true;
    const OrderNumber witnessed = read_epoch_row(rows_[dealer_role]).settled;
    for (auto& told : next.told) {
      if (told && told->number > witnessed) told.reset();
    }
  });
}

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
