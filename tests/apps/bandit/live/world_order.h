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
      if (result.status != AskStatus::answered && result.status != AskStatus::pending) {
        throw Violation("no-refusal: a call is refused");
      }
      if (result.answer) tell(next, *result.answer);
    });
    break;  // callers are alike
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
  std::uint64_t model = 0;
  if (role == party_0 || role == party_1) {
    model = hash_of_bytes(w.parties.at(role - party_0)->model().value_or(std::vector<std::byte>{}));
  }
  const std::uint32_t epoch = w.opening.epoch;
  if (epoch < w.used_epoch) throw Violation("fresh: a program begins in an epoch that has been left");
  if (epoch > w.used_epoch) w.used.clear();
  w.used_epoch = epoch;
  const net::Digest digest = digest_of(entry);
  for (World::Use& use : w.used) {
    if (use.program != entry.program) continue;
    if (use.entry != digest) throw Violation("fresh: the randomness of a program serves two transcripts");
    if (use.model != 0 && model != 0 && use.model != model) throw Violation("version: two models in one program");
    if (use.model == 0) use.model = model;
    return;
  }
  w.used.push_back({entry.program, digest, model});
}

inline void Steps::proposals(const World& w) {
  const auto propose = [&](const char* label, LiveTime now) {
    add(w, label, false, [&](World& next) {
      LiveActor& own = actor(next);
      if (const auto plan = own.plan(now)) {
        next.planned.insert(next.planned.end(), plan->shapes.begin(), plan->shapes.end());
        if (next.stage[dealer_role] == Stage::open) dealer(next).plan(*plan);
      }
      const auto proposal = own.propose(now);
      if (!proposal) return;
      next.planned.erase(next.planned.begin(),
                         next.planned.begin() + static_cast<std::ptrdiff_t>(proposal->skips.size() + 1));
      if (next.stage[dealer_role] == Stage::open) {
        for (const SkipFrame& skip : proposal->skips) dealer(next).skip(skip);
      }
      next.dealt = next.stage[dealer_role] == Stage::open;
      enter(next, actor_role, proposal->propose.entry);
    });
  };
  propose("the actor proposes what waits", at_first);
  propose("the actor proposes what is due", when_due);
}

inline bool Steps::rounds_can_end(const World& w) const {
  const OrderEntry& entry = *w.actor->running();
  return w.dealt && w.phase[party_0] >= 1 && w.phase[party_1] >= 1 &&
         (entry.shape.kind != EntryKind::learn || w.phase[rewarder_role] >= 1);
}

// What the rounds of a learn make of a model: what all roles gave.
inline std::vector<std::byte> Steps::learned_model(World& w, std::size_t role) {
  const OrderEntry& entry = *w.actor->running();
  std::vector<std::byte> model = w.parties.at(role - party_0)->model().value_or(std::vector<std::byte>{});
  const auto arms = w.actor->played_arms();
  // Once this role has prepared, its part of the rounds is over: the batch itself is read from the actor's disk.
  std::vector<EventId> events;
  for (const OrderNumber number : entry.batches) {
    const auto row = decode_batch_row(w.disks[actor_role].rows().at(key_of(LiveTable::batches, number)));
    events.insert(events.end(), row->events.begin(), row->events.end());
  }
  const auto rows = w.parties.at(role - party_0)->learned_rows();
  if (rows.size() != events.size() || arms.size() != events.size()) throw Violation("once: inputs of other lengths");
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t at = 0; at < model.size(); at += 3) {
      if (model[at] == events[i][0]) throw Violation("once: an event is learned twice");
    }
    model.push_back(events[i][0]);
    model.push_back(static_cast<std::byte>(arms[i] ? *arms[i] : 255));
    model.push_back(static_cast<std::byte>(events[i] == event_id(0) && w.given));
  }
  return model;
}

// What the rounds of the number on its way give a party.
inline PartyOutcome Steps::outcome(World& w, std::size_t role) {
  const OrderEntry& entry = *w.actor->running();
  PartyOutcome outcome;
  outcome.public_words = digest_of(entry);
  if (entry.shape.kind == EntryKind::learn) outcome.model = learned_model(w, role);
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
  for (const std::size_t role : {party_0, party_1}) {
    if (w.stage[role] != Stage::open) continue;
    if (w.phase[role] == 0) {
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
        if (bounds_.seeded != Seeded::done_before_prepare) {
          (void)actor(next).done(static_cast<NodeId>(role - party_0), done);
        }
      });
    }
  }
  // Party 0 relays to the rewarder.
  if (w.stage[rewarder_role] != Stage::open || w.phase[party_0] == 0) return;
  const bool learns = entry.shape.kind == EntryKind::learn;
  if (w.phase[rewarder_role] == 0) {
    add(w, fmt::format("the rewarder hears of {}", entry.number), false, [&](World& next) {
      rewarder(next).propose(entry);
      next.phase[rewarder_role] = 1;
      enter(next, rewarder_role, entry);
      if (!learns) return;
      const auto rewards = rewarder(next).learned_rewards();
      next.given = std::any_of(rewards.begin(), rewards.end(), [](const LearnedReward& r) { return r.value != 0; });
    });
  } else if (w.phase[rewarder_role] == 1 && (!learns || rounds_can_end(w))) {
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
    for (const LiveAnswer& answer : own.commit(at_first)) tell(next, answer);
    next.phase.fill(0);
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
    if (!told) return false;
    bool is_learned = told->state == DecisionState::baseline;
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
  out.octet(w.dealt ? 1 : 0);
  for (const ProgramShape& shape : w.planned)
    out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(shape.kind) * 16 + shape.size));
  out.octet(255);
  out.octet(w.asked);
  out.octet(static_cast<std::uint8_t>(w.crashes));
  out.octet(static_cast<std::uint8_t>(w.given * 8 + w.baseline * 4 + w.reward * 2 + w.acknowledged));
  out.octet(w.copied);
  out.octet(w.restored);
  if (w.copy && !w.restored) out.number(w.copy->hash());
  for (const auto& told : w.told)
    out.octet(told ? static_cast<std::uint8_t>(told->arm * 2 + (told->state == DecisionState::decided)) : 255);
  out.number(w.used_epoch);
  for (const World::Use& use : w.used) {
    out.number(use.program);
    out.number(use.model);
    out.bytes(std::span(use.entry).first(8));
  }
  if (w.actor && w.actor->running() != nullptr) {
    const net::Digest digest = digest_of(*w.actor->running());
    out.bytes(std::span(digest).first(8));
  }
  const std::vector<std::byte> bytes = out.take();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::hash<std::string_view> hash;
  return {hash(text), hash(std::string(text) + "2")};
}

}  // namespace sotto::apps::testing
