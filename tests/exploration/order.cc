#include <fmt/format.h>

#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

void Steps::enter(World& w, std::size_t role, const OrderEntry& entry) {
  if (entry.program != 0 && entry.shape.kind != EntryKind::learn) enter(w, role, entry.program, digest_of(entry));
}

void Steps::enter(World& w, std::size_t role, std::uint64_t program, const net::Digest& digest) {
  std::uint64_t model = 0;
  if (role == party_0 || role == party_1) {
    const auto& early = w.ran.at(role - party_0);
    const bool is_early = bounds_.seeded == Seeded::learned_early && role == party_0 && early;
    model = hash_of_bytes(is_early ? *early : w.parties.at(role - party_0)->model().value_or(std::vector<std::byte>{}));
  }
  if (w.opening.epoch < w.used_epoch) throw Violation("fresh: a program begins in an epoch that has been left");
  const auto is_skipped = [&](std::uint64_t other) {
    return std::find(w.skipped.begin(), w.skipped.end(), other) != w.skipped.end();
  };
  if (bounds_.seeded == Seeded::skip_not_dropped && role == party_0 && is_skipped(program - 1)) --program;
  if (is_skipped(program)) throw Violation("fresh: a program that was skipped is played");
  for (World::Use& use : w.used) {
    if (use.program != program) continue;
    if (use.entry != digest) throw Violation("fresh: the randomness of a program serves two transcripts");
    if (use.model != 0 && model != 0 && use.model != model) throw Violation("version: two models in one program");
    if (use.model == 0) use.model = model;
    return;
  }
  w.used.push_back({program, digest, model});
}

void Steps::deal(World& w) {
  while (const auto program = dealer(w).next()) {
    if (program->program != w.dealt + 1) throw Violation("fresh: a program is dealt out of turn");
    w.dealt = program->program;
    if (bounds_.deals_ahead) return;
  }
}

void Steps::proposals(const World& w) {
  const auto propose = [&](const char* label, LiveTime now) {
    add(w, label, false, [&](World& next) {
      LiveActor& own = actor(next);
      const bool is_dealing = next.stage[dealer_role] == Stage::open;
      if (const auto plan = own.plan(now)) {
        next.planned.insert(next.planned.end(), plan->shapes.begin(), plan->shapes.end());
        if (is_dealing) dealer(next).plan(*plan);
      }
      const auto proposal = own.propose(now);
      if (is_dealing && !bounds_.deals_ahead) deal(next);
      if (!proposal) return;
      if (next.opening.epoch > next.used_epoch) {
        next.used_epoch = next.opening.epoch;
        next.used.clear();
        next.skipped.clear();
      }
      const OrderEntry& entry = proposal->propose.entry;
      const bool decides = entry.shape.kind == EntryKind::decide;
      if (!proposal->begin) {
        const std::uint32_t bit = std::uint32_t{1} << entry.number % 32;
        next.frozen = decides && own.mode() == LiveMode::frozen ? next.frozen | bit : next.frozen & ~bit;
      }
      if (!proposal->begin && !decides) return;
      next.planned.erase(next.planned.begin(),
                         next.planned.begin() + static_cast<std::ptrdiff_t>(proposal->skips.size() + 1));
      for (const SkipFrame& skip : proposal->skips) {
        next.skipped.push_back(skip.program);
        if (is_dealing) dealer(next).skip(skip);
      }
      if (!proposal->begin) return enter(next, actor_role, entry);
      next.concurrent[actor_role] = 1;
      next.lesson = lesson(next);
      own.ran(2, RanFrame{proposal->begin->program});
      enter(next, actor_role, proposal->begin->program, digest_of(*proposal->begin));
    });
  };
  propose("the actor proposes what waits", at_first);
  propose("the actor proposes what is due", when_due);
}

bool Steps::rounds_can_end(const World& w) const {
  const OrderEntry& entry = *w.actor->running();
  if (entry.program == 0) return true;
  if (entry.shape.kind == EntryKind::learn) return w.concurrent[party_0] == 2;
  return w.dealt >= entry.program && w.phase[party_0] >= 1 && w.phase[party_1] >= 1;
}

PartyOutcome Steps::outcome(World& w, std::size_t role) {
  const OrderEntry& entry = *w.actor->running();
  PartyOutcome outcome;
  outcome.public_words = digest_of(entry);
  if (entry.shape.kind == EntryKind::learn) {
    const bool forgets = bounds_.seeded == Seeded::learned_half && role == party_0;
    outcome.model = forgets ? w.stood_on[0] : w.ran.at(role - party_0).value();
  }
  if (entry.shape.kind != EntryKind::decide) return outcome;
  const std::size_t arms = settings_.arms.size();
  // The shares 17 and 239 add up to 0 mod 2^8. The share 18 in place of 17 makes the entry of the arm 1.
  outcome.lanes.assign(entry.shape.size * arms, static_cast<std::byte>(role == party_0 ? 17 : 239));
  if (role == party_0) {
    for (std::size_t place = 0; place < entry.shape.size; ++place) {
      outcome.lanes[place * arms + w.opening.epoch % arms] = std::byte{18};
    }
  }
  return outcome;
}

void Steps::followers(const World& w, const OrderEntry& entry) {
  const bool learns = entry.shape.kind == EntryKind::learn;
  for (const std::size_t role : {party_0, party_1}) {
    if (w.stage[role] != Stage::open) continue;
    if (w.phase[role] == 0) {
      if (w.actor->concurrent() != nullptr && w.concurrent[role] == 0) continue;
      add(w, fmt::format("{} begins {} {}", role_names[role], name_of(entry.shape.kind), entry.number), false,
          [&](World& next) {
            LiveParty& own = party(next, role);
            own.propose(entry, at_first);
            if (entry.shape.kind == EntryKind::decide) (void)own.freeze(at_first);
            next.phase[role] = 1;
            enter(next, role, entry);
          });
    } else if (w.phase[role] == 1 && rounds_can_end(w)) {
      add(w, fmt::format("{} writes {}, says done", role_names[role], entry.number), false, [&](World& next) {
        PartyOutcome result = outcome(next, role);
        DoneFrame done = party(next, role).prepare(std::move(result), at_first);
        if (bounds_.seeded == Seeded::refusals_not_said) done.refused.clear();
        next.phase[role] = 2;
        if (learns) {
          next.ran.at(role - party_0).reset();
          next.stood_on.at(role - party_0).clear();
        }
        if (bounds_.seeded != Seeded::done_before_prepare) {
          (void)actor(next).done(static_cast<NodeId>(role - party_0), done);
        }
      });
    }
  }
  if (w.stage[rewarder_role] != Stage::open || w.phase[party_0] == 0) return;
  if (w.actor->concurrent() != nullptr && w.concurrent[rewarder_role] == 0) return;
  if (w.phase[rewarder_role] == 0) {
    add(w, fmt::format("the rewarder hears of {}", entry.number), false, [&](World& next) {
      rewarder(next).propose(entry);
      next.phase[rewarder_role] = 1;
      enter(next, rewarder_role, entry);
    });
  } else if (w.phase[rewarder_role] == 1) {
    add(w, fmt::format("the rewarder writes {}, says done", entry.number), false, [&](World& next) {
      const DoneFrame done = rewarder(next).prepare(at_first);
      next.phase[rewarder_role] = 2;
      (void)actor(next).done(3, done);
    });
  }
}

void Steps::order(const World& w) {
  if (w.stage[rewarder_role] != Stage::setting_up && w.rewarder && w.reward && w.told[0]) {
    add(w, "the reward of event 0 is posted", false, [&](World& next) {
      next.reward = false;
      const std::vector<RewardCall> calls{{event_id(0), 1.0, ""}};
      const RewardStatus status = rewarder(next).post(calls, at_first).front();
      if (status == RewardStatus::used) next.acknowledged = true;
    });
  }
  if (!w.all_open || w.stage[actor_role] != Stage::open) return;
  concurrent(w);
  if (bounds_.deals_ahead && w.stage[dealer_role] == Stage::open && w.dealer && w.dealer->ahead() > 0) {
    add(w, fmt::format("the dealer deals program {}", w.dealt + 1), false, [&](World& next) { deal(next); });
  }
  const OrderEntry* const entry = w.actor->running();
  if (entry == nullptr) {
    proposals(w);
    return;
  }
  followers(w, *entry);
  const bool decides = entry->shape.kind == EntryKind::decide;
  const std::vector<std::uint16_t> arms(entry->shape.size, static_cast<std::uint16_t>(w.opening.epoch % 8));
  // The parties send the arms of a decide once the decide is on the disks of both parties.
  const bool leave_early = bounds_.seeded == Seeded::arms_before_disk && rounds_can_end(w);
  const bool may_see = leave_early || (w.phase[party_0] == 2 && w.phase[party_1] == 2);
  const bool sees_new = decides && may_see && !bounds_.lost && !bounds_.rollback && !bounds_.restored &&
                        std::any_of(entry->events.begin(), entry->events.end(),
                                    [&](const EventId& event) { return w.shown.at(event_of(event)) != arms[0]; });
  if (sees_new) {
    add(w, "the actor sees the arms", false, [&](World& next) {
      for (const EventId& event : entry->events) {
        auto& shown = next.shown.at(event_of(event));
        if (shown && *shown != arms[0]) throw Violation("shown: the actor sees two draws of an arm");
        shown = arms[0];
      }
    });
  }
  if (bounds_.seeded == Seeded::told_before_commit && decides && w.phase[party_0] == 2) {
    add(w, "callers are told what the rounds gave", false, [&](World& next) {
      for (const EventId& event : entry->events) {
        auto& told = next.told.at(event_of(event));
        const LiveAnswer answer{event, DecisionState::decided, arms[0], entry->number};
        if (told && told->arm != answer.arm) throw Violation("one-arm: an event is told a second answer");
        told = answer;
      }
    });
  }
  const bool eager = bounds_.seeded == Seeded::done_before_prepare;
  const bool parties_done =
      eager ? rounds_can_end(w) && w.phase[party_0] == 2 : w.phase[party_0] + w.phase[party_1] == 4;
  if (!parties_done || w.phase[rewarder_role] != 2) return;
  add(w, fmt::format("the actor commits {}", entry->number), false, [&](World& next) {
    LiveActor& own = actor(next);
    if (decides) own.set_arms(arms);
    if (eager) {
      const CheckpointId id = w.parties[0]->history().marks.back().id;
      (void)own.done(0, DoneFrame{entry->number, id});
      (void)own.done(1, DoneFrame{entry->number, id});
    }
    const bool copies = entry->shape.kind == EntryKind::snapshot;
    for (const LiveAnswer& answer : own.commit(at_first)) tell(next, answer);
    next.phase.fill(0);
    if (entry->shape.kind == EntryKind::learn) {
      if (next.parties[0]->model() != next.parties[1]->model()) {
        throw Violation("version: a learn leaves the parties with two models");
      }
      next.concurrent.fill(0);
      next.lesson.clear();
    }
    if (copies && bounds_.lost) next.copy = std::make_shared<Disk>(next.disks[*bounds_.lost]);
  });
}

}  // namespace sotto::apps::testing
