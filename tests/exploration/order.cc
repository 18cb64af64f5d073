// How a World goes on: callers, entries, rounds and what is written.
#pragma once

#include "tests/apps/bandit/live/world_rules.h"

namespace sotto::apps::testing {

inline std::uint64_t hash_of_bytes(const std::vector<std::byte>& bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

inline void Steps::tell(World& w, const LiveAnswer& answer) const {
  auto& told = w.told.at(event_of(answer.event));
  if (told && (told->arm != answer.arm || told->state != answer.state)) {
    throw Violation("one-arm: an event is told a second answer");
  }
  if (!told && answer.state == DecisionState::decided) {
    for (const std::size_t role : {actor_role, party_0, party_1, rewarder_role}) {
      if (last_of(w.disks[role]) < answer.number || answer.number == 0) {
        throw Violation("durable: an event is told an arm that is not on all disks");
      }
    }
  }
  told = answer;
}

// Whoever asks again, whenever, is answered from the store.
inline void Steps::tell_all(World& w) {
  if (!w.actor) return;
  for (std::size_t event = 0; event < bounds_.events; ++event) {
    const auto found = w.actor->find(event_id(event));
    if (found && found->answer) tell(w, *found->answer);
  }
}

inline void Steps::callers(const World& w) {
  if (!w.all_open || w.stage[actor_role] != Stage::open) return;
  const bool idle = w.actor->running() == nullptr;
  for (std::size_t event = 0; event < bounds_.events && idle; ++event) {
    if (w.asked >> event & 1) continue;
    add(w, fmt::format("event {} is asked", event), false, [&](World& next) {
      next.asked |= static_cast<std::uint8_t>(1U << event);
      const AskResult result = actor(next).ask(request_of(event), at_first);
      const bool is_lost = next.lost && bounds_.lost == actor_role && result.status == AskStatus::already_decided;
      if (is_lost) next.refused |= static_cast<std::uint8_t>(1U << event);
      if (result.status != AskStatus::answered && result.status != AskStatus::pending && !is_lost) {
        throw Violation("no-refusal: a call is refused");
      }
      if (result.answer) tell(next, *result.answer);
    });
    break;  // callers are alike
  }
  if (w.snapshot && idle) {
    add(w, "a copy of the model is asked for", false, [&](World& next) {
      next.snapshot = false;
      actor(next).take_snapshot();
    });
  }
  const bool is_changed = !w.wanted || w.actor->mode() == *w.wanted;
  if (bounds_.frozen && idle && is_changed && w.changes < 2) {
    const LiveMode mode = w.changes == 0 ? LiveMode::frozen : LiveMode::online;
    add(w, fmt::format("mode {} is asked for", name_of(mode)), false, [&](World& next) {
      ++next.changes;
      next.wanted = mode;
      actor(next).change_mode(mode);
    });
  }
  if (w.baseline && !w.told[0]) {
    add(w, "the deadline of event 0 passes", false, [&](World& next) {
      next.baseline = false;
      for (const LiveAnswer& answer : actor(next).pass_deadlines(at_deadline).baselines) tell(next, answer);
    });
  }
}

// A role takes part in a program.
inline void Steps::enter(World& w, std::size_t role, const OrderEntry& entry) {
  // A learn's rounds began before.
  if (entry.program != 0 && entry.shape.kind != EntryKind::learn) enter(w, role, entry.program, digest_of(entry));
}

inline void Steps::enter(World& w, std::size_t role, std::uint64_t program, const net::Digest& digest) {
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

// What is planned and not dealt, at once or each in a step of its own.
inline void Steps::deal(World& w) {
  while (const auto program = dealer(w).next()) {
    if (program->program != w.dealt + 1) throw Violation("fresh: a program is dealt out of turn");
    w.dealt = program->program;
    if (bounds_.deals_ahead) return;
  }
}

inline void Steps::proposals(const World& w) {
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
      next.beside[actor_role] = 1;
      next.lesson = lesson(next);
      own.ran(2, RanFrame{proposal->begin->program});  // its part waits for nobody
      enter(next, actor_role, proposal->begin->program, digest_of(*proposal->begin));
    });
  };
  propose("the actor proposes what waits", at_first);
  propose("the actor proposes what is due", when_due);
}

inline bool Steps::rounds_can_end(const World& w) const {
  const OrderEntry& entry = *w.actor->running();
  if (entry.program == 0) return true;
  if (entry.shape.kind == EntryKind::learn) return w.beside[party_0] == 2;
  return w.dealt >= entry.program && w.phase[party_0] >= 1 && w.phase[party_1] >= 1;
}

// What actor and rewarder bring to a learn: events and arms as they are when it begins. The rewards come with the
// rewarder.
inline std::vector<std::byte> Steps::lesson(World& w) {
  const auto arms = w.actor->played_arms();
  std::vector<EventId> events;
  for (const OrderNumber number : w.actor->beside()->batches) {
    if (w.frozen >> number % 32 & 1) throw Violation("frozen: a batch is learned that was decided while it was frozen");
    const auto row = decode_batch_row(w.disks[actor_role].rows().at(key_of(LiveTable::batches, number)));
    events.insert(events.end(), row->events.begin(), row->events.end());
  }
  if (arms.size() != events.size()) throw Violation("once: inputs of other lengths");
  std::vector<std::byte> lesson;
  for (std::size_t i = 0; i < events.size(); ++i) {
    lesson.push_back(events[i][0]);
    lesson.push_back(static_cast<std::byte>(arms[i] ? *arms[i] : 255));
  }
  return lesson;
}

// What the rounds of a learn make of a model: what all roles gave.
inline std::vector<std::byte> Steps::learned_model(World& w, std::size_t role) {
  std::vector<std::byte> model = w.stood_on.at(role - party_0);
  const auto rows = w.parties.at(role - party_0)->learned_rows();
  if (2 * rows.size() != w.lesson.size()) throw Violation("once: inputs of other lengths");
  for (std::size_t i = 0; i < w.lesson.size(); i += 2) {
    for (std::size_t at = 0; at < model.size(); at += 3) {
      if (model[at] == w.lesson[i]) throw Violation("once: an event is learned twice");
    }
    model.push_back(w.lesson[i]);
    model.push_back(w.lesson[i + 1]);
    model.push_back(static_cast<std::byte>(w.lesson[i] == event_id(0)[0] && w.given));
  }
  return model;
}

// The learn that has begun: the others begin it too, and its rounds end, whatever number is on its way. Parties change
// their memory alone: that both do so at once leaves nothing out.
inline void Steps::beside(const World& w) {
  if (w.actor->beside() == nullptr) return;
  const BeginFrame learn = *w.actor->beside();
  const std::string name = fmt::format("the learn of program {}", learn.program);
  const bool both_open = w.stage[party_0] == Stage::open && w.stage[party_1] == Stage::open;
  if (both_open && w.beside[party_0] == 0) {
    add(w, "the parties begin " + name, false, [&](World& next) {
      for (const std::size_t role : {party_0, party_1}) {
        LiveParty& own = party(next, role);
        own.begin(learn);
        next.beside[role] = 1;
        next.stood_on.at(role - party_0) = own.model().value_or(std::vector<std::byte>{});
        enter(next, role, learn.program, digest_of(learn));
      }
    });
  }
  const bool all_in = w.dealt >= learn.program && w.beside[party_0] == 1 && w.beside[rewarder_role] == 1;
  if (both_open && all_in) {
    add(w, "the rounds end of " + name, false, [&](World& next) {
      for (const std::size_t role : {party_0, party_1}) {
        auto& ran = next.ran.at(role - party_0);
        const bool keeps = bounds_.seeded == Seeded::kept_over_epochs && role == party_0 && ran;
        if (!keeps) ran = learned_model(next, role);
        next.beside[role] = 2;
        actor(next).ran(static_cast<NodeId>(role - party_0), RanFrame{learn.program});
      }
    });
  }
  const bool hears = w.stage[rewarder_role] == Stage::open && w.beside[party_0] != 0 && w.phase[rewarder_role] == 0;
  if (!hears || w.beside[rewarder_role] != 0) return;
  add(w, "the rewarder begins " + name, false, [&](World& next) {
    rewarder(next).begin(learn);
    next.beside[rewarder_role] = 1;
    enter(next, rewarder_role, learn.program, digest_of(learn));
    const auto rewards = rewarder(next).learned_rewards();
    next.given = std::any_of(rewards.begin(), rewards.end(), [](const LearnedReward& r) { return r.value != 0; });
  });
}

// What the rounds of the number on its way give a party.
inline PartyOutcome Steps::outcome(World& w, std::size_t role) {
  const OrderEntry& entry = *w.actor->running();
  PartyOutcome outcome;
  outcome.public_words = digest_of(entry);
  if (entry.shape.kind == EntryKind::learn) {
    const bool forgets = bounds_.seeded == Seeded::learned_half && role == party_0;
    outcome.model = forgets ? w.stood_on[0] : w.ran.at(role - party_0).value();
  }
  if (entry.shape.kind != EntryKind::decide) return outcome;
  const std::size_t arms = settings_.arms.size();
  outcome.lanes.assign(entry.shape.size * arms, static_cast<std::byte>(role == party_0 ? 17 : 239));  // 17 + 239 = 256
  if (role == party_0) {
    for (std::size_t place = 0; place < entry.shape.size; ++place) {
      outcome.lanes[place * arms + w.opening.epoch % arms] = std::byte{18};
    }
  }
  return outcome;
}

inline void Steps::followers(const World& w, const OrderEntry& entry) {
  const bool learns = entry.shape.kind == EntryKind::learn;
  for (const std::size_t role : {party_0, party_1}) {
    if (w.stage[role] != Stage::open) continue;
    if (w.phase[role] == 0) {
      if (w.actor->beside() != nullptr && w.beside[role] == 0) continue;
      add(w, fmt::format("{} begins {} {}", role_names[role], name_of(entry.shape.kind), entry.number), false,
          [&](World& next) {
            LiveParty& own = party(next, role);
            own.propose(entry, at_first);
            if (entry.shape.kind == EntryKind::decide) (void)own.freeze();
            next.phase[role] = 1;
            enter(next, role, entry);
          });
    } else if (w.phase[role] == 1 && rounds_can_end(w)) {
      add(w, fmt::format("{} writes {}, says done", role_names[role], entry.number), false, [&](World& next) {
        PartyOutcome result = outcome(next, role);
        const DoneFrame done = party(next, role).prepare(std::move(result), at_first);
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
  // Party 0 relays to the rewarder.
  if (w.stage[rewarder_role] != Stage::open || w.phase[party_0] == 0) return;
  if (w.actor->beside() != nullptr && w.beside[rewarder_role] == 0) return;
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

inline void Steps::order(const World& w) {
  if (w.stage[rewarder_role] != Stage::setting_up && w.rewarder && w.reward && w.told[0]) {
    add(w, "the reward of event 0 is posted", false, [&](World& next) {
      next.reward = false;
      const std::vector<RewardCall> calls{{event_id(0), 1.0, ""}};
      const RewardStatus status = rewarder(next).post(calls, at_first).front();
      if (status == RewardStatus::used) next.acknowledged = true;
    });
  }
  if (!w.all_open || w.stage[actor_role] != Stage::open) return;
  beside(w);
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
      const CheckpointId id = w.parties[0]->standing().marks.back().id;
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
      next.beside.fill(0);
      next.lesson.clear();
    }
    // A backup is made of the store that will be lost.
    if (copies && bounds_.lost) next.copy = std::make_shared<Disk>(next.disks[*bounds_.lost]);
  });
}

// What the actor has done is learned for good: what was acknowledged is in it.
inline void Steps::check_reward(const World& w) const {
  if (!w.acknowledged) return;
  const OrderNumber done = last_of(w.disks[actor_role]);
  for (const auto& [key, model] : w.disks[party_0].rows()) {
    if (!is_of(key, LiveTable::models) || number_of(key) > done) continue;
    for (std::size_t at = 0; at < model.size(); at += 3) {
      const bool learned = model[at] == event_id(0)[0] && model[at + 1] != std::byte{255};
      if (learned && model[at + 2] == std::byte{0}) throw Violation("reward: an acknowledged reward was not learned");
    }
  }
}

inline std::vector<Steps::Step> Steps::of(const World& world) {
  steps_.clear();
  World copy = world;
  bind(copy);
  faults(world);
  epochs(world);
  callers(world);
  order(world);
  for (Step& step : steps_) {
    bind(step.world);
    tell_all(step.world);
    check_reward(step.world);
  }
  return std::move(steps_);
}

inline bool Steps::is_goal(const World& world) {
  World copy = world;
  bind(copy);
  if (!world.all_open ||
      !std::all_of(world.stage.begin(), world.stage.end(), [](Stage s) { return s == Stage::open; })) {
    return false;
  }
  const auto model = world.parties[0]->model().value_or(std::vector<std::byte>{});
  for (std::size_t event = 0; event < bounds_.events; ++event) {
    const auto& told = world.told.at(event);
    if (world.refused >> event & 1) continue;
    if (!told) return false;
    // What was pending as a store was lost may have been dropped.
    const bool is_frozen = told->state == DecisionState::decided && (world.frozen >> told->number % 32 & 1) != 0;
    bool is_learned = told->state == DecisionState::baseline || told->number < world.recovered || is_frozen;
    for (std::size_t at = 0; at < model.size(); at += 3) is_learned = is_learned || model[at] == event_id(event)[0];
    if (!is_learned) return false;
  }
  return world.actor->running() == nullptr && world.actor->pending() == 0;
}

inline std::array<std::uint64_t, 2> Steps::state_key(const World& w) {
  ByteWriter out;
  for (const Disk& disk : w.disks) out.number(disk.hash());
  for (const Stage stage : w.stage) out.number(stage);
  out.bytes(encode(w.opening));
  out.octet(w.all_open ? 1 : 0);
  for (const std::uint8_t phase : w.phase) out.octet(phase);
  out.number(w.dealt);
  for (const std::uint8_t beside : w.beside) out.octet(beside);
  out.numbers(std::span(w.lesson));
  for (std::size_t party = 0; party < 2; ++party) {
    out.numbers(std::span(w.stood_on[party]));
    out.octet(w.ran[party] ? 1 : 0);
    if (w.ran[party]) out.numbers(std::span(*w.ran[party]));
  }
  for (const ProgramShape& shape : w.planned)
    out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(shape.kind) * 16 + shape.size));
  out.octet(255);
  out.octet(w.asked);
  out.octet(static_cast<std::uint8_t>(w.crashes));
  out.octet(static_cast<std::uint8_t>(w.given * 8 + w.baseline * 4 + w.reward * 2 + w.acknowledged));
  out.octet(w.copied);
  out.octet(w.restored);
  if (w.copy && !w.restored) out.number(w.copy->hash());
  out.octet(static_cast<std::uint8_t>(w.snapshot * 16 + w.lost * 8 + w.is_copied * 4 + w.rolled_back * 2));
  out.octet(w.refused);
  out.octet(static_cast<std::uint8_t>(w.changes * 4 + (w.wanted ? 1 + (*w.wanted == LiveMode::frozen) : 0)));
  out.number(w.frozen);
  out.number(w.recovered);
  out.number(w.wishes[party_0].snapshot);
  if (w.copies && !w.rolled_back) {
    for (const Disk& disk : *w.copies) out.number(disk.hash());
  }
  for (const auto& told : w.told)
    out.octet(told ? static_cast<std::uint8_t>(told->arm * 2 + (told->state == DecisionState::decided)) : 255);
  out.number(w.used_epoch);
  for (const World::Use& use : w.used) {
    out.number(use.program);
    out.number(use.model);
    out.bytes(std::span(use.entry).first(8));
  }
  out.numbers(std::span(w.skipped));
  if (w.actor && w.actor->running() != nullptr) {
    const net::Digest digest = digest_of(*w.actor->running());
    out.bytes(std::span(digest).first(8));
  }
  if (w.actor && w.actor->beside() != nullptr) {
    const net::Digest digest = digest_of(*w.actor->beside());
    out.bytes(std::span(digest).first(8));
  }
  const std::vector<std::byte> bytes = out.take();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::hash<std::string_view> hash;
  return {hash(text), hash(std::string(text) + "2")};
}

}  // namespace sotto::apps::testing
