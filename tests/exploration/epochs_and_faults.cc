// How a World goes on: epochs, faults and what is wrong on purpose.
#pragma once

#include "tests/apps/bandit/live/world_steps.h"

namespace sotto::apps::testing {

inline bool is_of(const RowKey& key, LiveTable table) { return key.table == table; }

// Disks that lose something.
inline void Steps::spoil(std::size_t role) {
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
  if (role == rewarder_role && seeded == Seeded::rewards_not_closed) {
    lose([state_of](const auto& c) { return state_of(c) == BatchState::closed; });
  }
  if ((role == party_0 || role == party_1) && seeded == Seeded::ids_not_kept) {
    lose([](const auto& c) { return is_of(c.first, LiveTable::events); });
  }
  if (role == party_0 && seeded == Seeded::model_not_gone_back) lose_of_recoveries(LiveTable::models);
  if (role == actor_role && seeded == Seeded::drop_not_stored) lose_of_recoveries(LiveTable::batches);
  if (role == actor_role && seeded == Seeded::ids_not_adopted) {
    lose([](const auto& c) {
      return c.second && is_of(c.first, LiveTable::events) &&
             decode_decision_row(*c.second)->state == DecisionState::lost;
    });
  }
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

inline OrderNumber Steps::last_of(const Disk& disk) const {
  OrderNumber last = 0;
  for (const auto& [key, row] : disk.rows()) {
    if (is_of(key, LiveTable::chain)) last = std::max(last, number_of(key));
  }
  return last;
}

inline void Steps::forget(World& w, std::size_t role) {
  w.phase.at(role) = 0;
  w.beside.at(role) = 0;
  if (role == actor_role) w.lesson.clear();
  if (role == party_0 || role == party_1) {
    w.parties.at(role - party_0).reset();
    w.stood_on.at(role - party_0).clear();
    if (bounds_.seeded != Seeded::kept_over_epochs || role != party_0) w.ran.at(role - party_0).reset();
  }
  if (role == rewarder_role) w.rewarder.reset();
  if (role == dealer_role) w.dealer.reset();
  if (role != actor_role) return;
  // Whoever asked for a mode that is not in force asks again.
  if (w.wanted && w.actor->mode() != *w.wanted) --w.changes;
  w.wanted.reset();
  w.actor.reset();
  w.asked = 0;
  if (bounds_.seeded != Seeded::batches_in_memory) return;
  RowChanges lost;
  for (const auto& [key, row] : w.disks[actor_role].rows()) {
    if (is_of(key, LiveTable::batches)) lost[key] = std::nullopt;
  }
  w.disks[actor_role].apply(lost);
}

inline LiveStanding Steps::standing(World& w, std::size_t role) {
  if (role == actor_role) return actor(w).standing();
  if (role == rewarder_role) return rewarder(w).standing();
  if (role == dealer_role) return dealer(w).standing();
  return party(w, role).standing();
}

// The newest number that both parties have, whatever else there is.
inline std::optional<OrderMark> newest_common(const std::vector<OrderMark>& a, const std::vector<OrderMark>& b,
                                              bool by_number) {
  for (auto mark = a.rbegin(); mark != a.rend(); ++mark) {
    for (const OrderMark& other : b) {
      if (other == *mark || (by_number && other.number == mark->number)) return *mark;
    }
  }
  return std::nullopt;
}

inline LiveOpening Steps::agree(World& w) {
  const Topology topology(2, true);
  std::map<NodeId, LiveStanding> standings;
  standings[0] = standing(w, party_0);
  standings[1] = standing(w, party_1);
  standings[topology.outside_node()] = standing(w, actor_role);
  standings[topology.further_node()] = standing(w, rewarder_role);
  standings[0xff] = standing(w, dealer_role);
  const Seeded seeded = bounds_.seeded;
  if (seeded == Seeded::epoch_without_dealer) standings[0xff].epoch = 0;
  if (seeded == Seeded::witness_is_silent) standings[0xff].settled = 0;
  if (seeded == Seeded::matched_by_number || seeded == Seeded::no_floor) {
    const bool by_number = seeded == Seeded::matched_by_number;
    const auto mark = newest_common(standings[0].marks, standings[1].marks, by_number);
    std::uint32_t epoch = 0;
    for (const auto& [node, of_node] : standings) epoch = std::max(epoch, of_node.epoch);
    return LiveOpening{epoch + 1, mark ? mark->number : 0, mark ? mark->id : CheckpointId{}, {}};
  }
  LiveOpening opening = agree_on_opening(topology, standings);
  if (seeded == Seeded::no_catch_up && standings[topology.further_node()].marks.back().number < opening.number) {
    throw DisagreementError("the rewarder lacks a number");
  }
  return opening;
}

// What was told stands behind the opening.
inline void Steps::check_opening(const World& w, const LiveOpening& opening) const {
  if (w.restored == 3) throw Violation("old-copy: a copy that lacks two committed numbers is accepted");
  for (std::size_t event = 0; event < bounds_.events; ++event) {
    const auto& answer = w.told.at(event);
    if (!answer || answer->state == DecisionState::baseline) continue;
    if (w.rolled_back && answer->number > opening.number) {
      throw Violation("witness: what the dealer was told of is rolled back");
    }
    if (answer->number > opening.number) throw Violation("kept: what an event was told is rolled back");
    // A party's lost store knows it no more; the actor does.
    if (w.lost && (bounds_.lost == party_0 || bounds_.lost == party_1)) continue;
    for (const std::size_t role : {party_0, party_1}) {
      const auto row = w.disks[role].rows().find(key_of(LiveTable::events, event_id(event)));
      if (row == w.disks[role].rows().end()) throw Violation("kept: a party does not know an event that was told");
      ByteReader in(row->second);
      if (in.number<OrderNumber>() != answer->number) throw Violation("kept: a party has an event in another number");
    }
  }
}

inline net::SessionId session_of(std::uint32_t epoch) { return net::SessionId{static_cast<std::byte>(epoch)}; }

inline void Steps::faults(const World& w) {
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

// The store is gone, and all roles are started so that they know.
inline void Steps::lose(World& w, LiveRole role) {
  const bool is_party = role == party_0 || role == party_1;
  OrderNumber snapshot = 0;
  w.disks[role] = is_party && w.copy ? *w.copy : Disk{};
  if (is_party && w.copy) snapshot = last_of(*w.copy);
  for (std::size_t other = 0; other < live_roles; ++other) {
    forget(w, other);
    w.stage.at(other) = Stage::setting_up;
    LiveWish& wish = w.wishes.at(other);
    if (is_party) {
      wish.go_back = other == party_0 || other == party_1;
      wish.snapshot = wish.go_back ? snapshot : 0;
      continue;
    }
    if (other == dealer_role) continue;
    wish.rebuild = other == role;
    wish.accept_actor = role == actor_role && other != role;
    wish.accept_rewarder = role == rewarder_role && other != role;
  }
  if (role == rewarder_role) w.acknowledged = false;
  w.lost = true;
}

inline void Steps::losses(const World& w) {
  if (!bounds_.lost || w.lost || w.opening.epoch == 0) return;
  add(w, fmt::format("the store of {} is lost, and all roles are told", role_names[*bounds_.lost]), true,
      [&](World& next) { lose(next, *bounds_.lost); });
}

inline void Steps::rollbacks(const World& w) {
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
    // Of what the dealer has not heard yet nobody knows any more.
    const OrderNumber witnessed = read_epoch_row(rows_[dealer_role]).settled;
    for (auto& told : next.told) {
      if (told && told->number > witnessed) told.reset();
    }
  });
}

// What the parties know of batches, at a role whose store is lost.
inline void Steps::take_known(World& w, std::size_t role) {
  if (!w.opening.recovery) return;
  const OrderRecovery& recovery = w.opening.recovery->recovery;
  if (role == actor_role && recovery.actor) {
    for (const std::size_t from : {party_0, party_1}) {
      for (const KnownFrame& frame : party(w, from).known(64)) actor(w).adopt(frame);
    }
  }
  if (role == rewarder_role && recovery.rewarder) {
    for (const KnownFrame& frame : party(w, party_0).known(64)) rewarder(w).adopt(frame);
  }
}

// Who is told the number again, or what its lost store had, needs those who tell it.
inline bool Steps::can_open(const World& w, std::size_t role) {
  bool lacks = (role == actor_role || role == rewarder_role) && last_of(w.disks[role]) < w.opening.number;
  if (w.opening.recovery) {
    const OrderRecovery& recovery = w.opening.recovery->recovery;
    lacks = (role == actor_role && recovery.actor) || (role == rewarder_role && recovery.rewarder);
  }
  if (!lacks) return true;
  const bool first = w.stage[party_0] == Stage::open;
  return role == rewarder_role ? first : first && w.stage[party_1] == Stage::open;
}

inline void Steps::open(World& w, std::size_t role) {
  const net::SessionId session = session_of(w.opening.epoch);
  take_known(w, role);
  if (w.opening.recovery) w.recovered = w.opening.number;
  if (role == dealer_role) dealer(w).open(w.opening, session);
  if (role == party_0 || role == party_1) party(w, role).open(w.opening, session);
  if (role == rewarder_role) {
    LiveRewarder& own = rewarder(w);
    std::optional<RestateFrame> restated;
    if (own.lacks(w.opening)) restated = party(w, party_0).restate(false);
    own.open(w.opening, session, restated ? &*restated : nullptr, at_first);
  }
  if (role == actor_role) {
    LiveActor& own = actor(w);
    std::vector<RestateFrame> restated;
    if (own.lacks(w.opening)) restated = {party(w, party_0).restate(true), party(w, party_1).restate(true)};
    own.open(w.opening, session, restated, at_first);
    w.planned.clear();
    if (bounds_.seeded == Seeded::told_before_all_ready) {
      for (const LiveAnswer& answer : own.all_ready()) tell(w, answer);
    }
  }
  w.stage[role] = Stage::open;
  if (!std::all_of(w.stage.begin(), w.stage.end(), [](Stage s) { return s == Stage::open; })) return;
  w.all_open = true;
  for (const LiveAnswer& answer : actor(w).all_ready()) tell(w, answer);
}

inline void Steps::epochs(const World& w) {
  const auto is = [&](Stage stage) { return [stage](Stage s) { return s == stage; }; };
  if (std::all_of(w.stage.begin(), w.stage.end(), is(Stage::setting_up))) {
    World next = w;
    bind(next);
    LiveOpening opening;
    try {
      opening = agree(next);
    } catch (const DisagreementError& error) {
      if (!w.restored && !w.rolled_back) throw Violation(std::string("no-refusal: ") + error.what());
      return;
    }
    check_opening(next, opening);
    next.opening = opening;
    next.all_open = false;
    next.dealt = 0;
    next.stage.fill(Stage::agreed);
    steps_.push_back(
        {fmt::format("all agree on epoch {} after number {}", opening.epoch, opening.number), false, next});
    return;
  }
  const bool breaks = std::any_of(w.stage.begin(), w.stage.end(), is(Stage::setting_up));
  for (std::size_t role = 0; role < live_roles; ++role) {
    if (w.stage[role] == Stage::setting_up) continue;
    if (breaks) {
      add(w, fmt::format("{} notices", role_names[role]), false, [&](World& next) {
        leave(next, role);
        next.stage[role] = Stage::setting_up;
      });
    }
    if (w.stage[role] == Stage::agreed && can_open(w, role)) {
      add(w, fmt::format("{} opens epoch {}", role_names[role], w.opening.epoch), false,
          [&](World& next) { open(next, role); });
    }
  }
}

}  // namespace sotto::apps::testing
