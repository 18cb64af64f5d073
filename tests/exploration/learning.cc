// The steps of a World that belong to learns, and the effect of learns on a model. The rounds of a learn run
// concurrently with other entries of the order.

#include <fmt/format.h>

#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

// Returns the events and arms as they are when the learn begins. The rewards are added when the rewarder begins the
// learn.
std::vector<std::byte> Steps::lesson(World& w) {
  const auto arms = w.actor->played_arms();
  std::vector<EventId> events;
  for (const OrderNumber number : w.actor->concurrent()->batches) {
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

std::vector<std::byte> Steps::learned_model(World& w, std::size_t role) {
  std::vector<std::byte> model = w.stood_on.at(role - party_0);
  const auto rows = w.parties.at(role - party_0)->learned_rows();
  if (2 * rows.size() != w.lesson.size()) throw Violation("once: inputs of other lengths");
  for (std::size_t i = 0; i < w.lesson.size(); i += 2) {
    constexpr std::byte not_learned{255};
    for (std::size_t at = 0; at < model.size(); at += 3) {
      const bool both = model[at + 1] != not_learned && w.lesson[i + 1] != not_learned;
      if (both && model[at] == w.lesson[i]) throw Violation("once: an event is learned twice");
    }
    model.push_back(w.lesson[i]);
    model.push_back(w.lesson[i + 1]);
    model.push_back(static_cast<std::byte>(w.lesson[i] == event_id(0)[0] && w.given));
  }
  return model;
}

// The steps of a learn that the actor has begun may happen while any other entry is in progress. Parties change only
// their memory, so moving both parties in one step omits no state.
void Steps::concurrent(const World& w) {
  if (w.actor->concurrent() == nullptr) return;
  const BeginFrame learn = *w.actor->concurrent();
  const std::string name = fmt::format("the learn of program {}", learn.program);
  const bool both_open = w.stage[party_0] == Stage::open && w.stage[party_1] == Stage::open;
  if (both_open && w.concurrent[party_0] == 0) {
    add(w, "the parties begin " + name, false, [&](World& next) {
      for (const std::size_t role : {party_0, party_1}) {
        LiveParty& own = party(next, role);
        own.begin(learn);
        next.concurrent[role] = 1;
        next.stood_on.at(role - party_0) = own.model().value_or(std::vector<std::byte>{});
        enter(next, role, learn.program, digest_of(learn));
      }
    });
  }
  const bool all_in = w.dealt >= learn.program && w.concurrent[party_0] == 1 && w.concurrent[rewarder_role] == 1;
  if (both_open && all_in) {
    add(w, "the rounds end of " + name, false, [&](World& next) {
      for (const std::size_t role : {party_0, party_1}) {
        auto& ran = next.ran.at(role - party_0);
        const bool keeps = bounds_.seeded == Seeded::kept_over_epochs && role == party_0 && ran;
        if (!keeps) ran = learned_model(next, role);
        next.concurrent[role] = 2;
        actor(next).ran(static_cast<NodeId>(role - party_0), RanFrame{learn.program});
      }
    });
  }
  const bool hears = w.stage[rewarder_role] == Stage::open && w.concurrent[party_0] != 0 && w.phase[rewarder_role] == 0;
  if (!hears || w.concurrent[rewarder_role] != 0) return;
  add(w, "the rewarder begins " + name, false, [&](World& next) {
    rewarder(next).begin(learn);
    next.concurrent[rewarder_role] = 1;
    enter(next, rewarder_role, learn.program, digest_of(learn));
    const auto rewards = rewarder(next).learned_rewards();
    next.given = std::any_of(rewards.begin(), rewards.end(), [](const LearnedReward& r) { return r.value != 0; });
  });
}

void Steps::check_reward(const World& w) const {
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

void Steps::tell(World& w, const LiveAnswer& answer) const {
  if (answer.state == DecisionState::lost) {
    w.refused |= static_cast<std::uint8_t>(1U << event_of(answer.event));
    return;
  }
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

void Steps::tell_all(World& w) {
  if (!w.actor) return;
  for (std::size_t event = 0; event < bounds_.events; ++event) {
    const auto found = w.actor->find(event_id(event));
    if (found && found->answer) tell(w, *found->answer);
  }
}

void Steps::callers(const World& w) {
  if (!w.all_open || w.stage[actor_role] != Stage::open) return;
  const bool idle = w.actor->running() == nullptr;
  for (std::size_t event = 0; event < bounds_.events && idle; ++event) {
    if (w.asked >> event & 1) continue;
    add(w, fmt::format("event {} is asked", event), false, [&](World& next) {
      next.asked |= static_cast<std::uint8_t>(1U << event);
      const AskResult result = actor(next).ask(request_of(event), at_first, bounds_.kept);
      const bool may_be_lost = bounds_.forgets || (next.lost && bounds_.lost == actor_role);
      const bool is_lost = may_be_lost && result.status == AskStatus::already_decided;
      if (is_lost) next.refused |= static_cast<std::uint8_t>(1U << event);
      if (result.status != AskStatus::answered && result.status != AskStatus::pending && !is_lost) {
        throw Violation("no-refusal: a call is refused");
      }
      if (result.answer) tell(next, *result.answer);
    });
    break;
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

}  // namespace sotto::apps::testing
