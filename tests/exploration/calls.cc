// How a World goes on: callers, and what they are told.
#include <fmt/format.h>

#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
using namespace sotto::apps::p2b;

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

// Whoever asks again, whenever, is answered from the store.
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

}  // namespace sotto::apps::testing
