// All that may happen next, and by what two worlds are told apart.
#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

OrderNumber Steps::last_of(const Disk& disk) const {
  OrderNumber last = 0;
  for (const auto& [key, row] : disk.rows()) {
    if (is_of(key, LiveTable::chain)) last = std::max(last, number_of(key));
  }
  return last;
}

std::vector<Steps::Step> Steps::of(World& world) {
  steps_.clear();
  steps_.reserve(32);  // worlds are long to move
  bind(world);
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

bool Steps::is_goal(World& world) {
  bind(world);
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

std::array<std::uint64_t, 2> Steps::state_key(const World& w) {
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
  out.octet(0);  // with it and without, for two hashes
  const std::vector<std::byte> bytes = out.take();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::hash<std::string_view> hash;
  return {hash(text), hash(text.substr(0, text.size() - 1))};
}

}  // namespace sotto::apps::testing
