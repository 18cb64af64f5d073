#include <fmt/format.h>

#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

namespace {

std::optional<OrderMark> newest_common(const std::vector<OrderMark>& a, const std::vector<OrderMark>& b,
                                       bool by_number) {
  for (auto mark = a.rbegin(); mark != a.rend(); ++mark) {
    for (const OrderMark& other : b) {
      if (other == *mark || (by_number && other.number == mark->number)) return *mark;
    }
  }
  return std::nullopt;
}

net::SessionId session_of(std::uint32_t epoch) { return net::SessionId{static_cast<std::byte>(epoch)}; }

}  // namespace

LiveHistory Steps::history(World& w, std::size_t role) {
  if (role == actor_role) return actor(w).history();
  if (role == rewarder_role) return rewarder(w).history();
  if (role == dealer_role) return dealer(w).history();
  return party(w, role).history();
}

LiveOpening Steps::agree(World& w) {
  const Topology topology(2, true);
  std::map<NodeId, LiveHistory> histories;
  histories[0] = history(w, party_0);
  histories[1] = history(w, party_1);
  histories[topology.outside_node()] = history(w, actor_role);
  histories[topology.further_node()] = history(w, rewarder_role);
  histories[0xff] = history(w, dealer_role);
  const Seeded seeded = bounds_.seeded;
  if (seeded == Seeded::epoch_without_dealer) histories[0xff].epoch = 0;
  if (seeded == Seeded::witness_is_silent) histories[0xff].settled = 0;
  if (seeded == Seeded::matched_by_number || seeded == Seeded::no_floor) {
    const bool by_number = seeded == Seeded::matched_by_number;
    const auto mark = newest_common(histories[0].marks, histories[1].marks, by_number);
    std::uint32_t epoch = 0;
    for (const auto& [node, of_node] : histories) epoch = std::max(epoch, of_node.epoch);
    return LiveOpening{epoch + 1, mark ? mark->number : 0, mark ? mark->id : CheckpointId{}, {}};
  }
  LiveOpening opening = agree_on_opening(topology, histories);
  if (seeded == Seeded::no_catch_up && histories[topology.further_node()].marks.back().number < opening.number) {
    throw DisagreementError("the rewarder lacks a number");
  }
  return opening;
}

void Steps::check_opening(const World& w, const LiveOpening& opening) const {
  if (w.restored == 3) throw Violation("old-copy: a copy that lacks two committed numbers is accepted");
  for (std::size_t event = 0; event < bounds_.events; ++event) {
    const auto& answer = w.told.at(event);
    if (!answer || answer->state == DecisionState::baseline) continue;
    if (w.rolled_back && answer->number > opening.number) {
      throw Violation("witness: what the dealer was told of is rolled back");
    }
    if (answer->number > opening.number) throw Violation("kept: what an event was told is rolled back");
    // A party that lost its store no longer has the event, but the actor has it.
    if (w.lost && (bounds_.lost == party_0 || bounds_.lost == party_1)) continue;
    for (const std::size_t role : {party_0, party_1}) {
      if (w.forgot >> role & 1) continue;
      const auto row = w.disks[role].rows().find(key_of(LiveTable::events, event_id(event)));
      if (row == w.disks[role].rows().end()) throw Violation("kept: a party does not know an event that was told");
      ByteReader in(row->second);
      if (in.number<OrderNumber>() != answer->number) throw Violation("kept: a party has an event in another number");
    }
  }
}

void Steps::take_known(World& w, std::size_t role) {
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

// A role may still need the last number or the contents of its lost store. Such a role can open the epoch only after
// the roles that send the missing data have opened it.
bool Steps::can_open(const World& w, std::size_t role) {
  bool lacks = (role == actor_role || role == rewarder_role) && last_of(w.disks[role]) < w.opening.number;
  if (w.opening.recovery) {
    const OrderRecovery& recovery = w.opening.recovery->recovery;
    lacks = (role == actor_role && recovery.actor) || (role == rewarder_role && recovery.rewarder);
  }
  if (!lacks) return true;
  const bool first = w.stage[party_0] == Stage::open;
  return role == rewarder_role ? first : first && w.stage[party_1] == Stage::open;
}

void Steps::open(World& w, std::size_t role) {
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
    if (bounds_.seeded == Seeded::refusals_not_said) {
      for (RestateFrame& frame : restated) frame.refused.clear();
    }
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

void Steps::epochs(const World& w) {
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
