#include "tests/exploration/steps.h"

namespace sotto::apps::testing {

namespace {

class Fingerprint {
 public:
  void number(std::uint64_t number) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint64_t& word = words_[i];
      word = (word ^ number) * factors[i];
      word ^= word >> 32;
      word *= factors[i];
      word ^= word >> 29;
    }
  }
  void bytes(std::span<const std::byte> bytes) {
    number(bytes.size());
    number(hash_of_bytes(bytes));
  }
  [[nodiscard]] const std::array<std::uint64_t, 2>& words() const { return words_; }

 private:
  static constexpr std::array<std::uint64_t, 2> factors{0x9e3779b97f4a7c15, 0xff51afd7ed558ccd};
  std::array<std::uint64_t, 2> words_{1, 2};
};

}  // namespace

std::size_t Steps::asked_on(const Disk& disk) const {
  const auto& rows = disk.rows();
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return is_of(row.first, LiveTable::asked); }));
}

OrderNumber Steps::last_of(const Disk& disk) const {
  OrderNumber last = 0;
  for (const auto& [key, row] : disk.rows()) {
    if (is_of(key, LiveTable::chain)) last = std::max(last, number_of(key));
  }
  return last;
}

std::vector<Steps::Step> Steps::of(World& world) {
  steps_.clear();
  steps_.reserve(32);
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
    // If a store was lost, a pending batch may be dropped, so the batch need not be learned.
    const bool is_frozen = told->state == DecisionState::decided && (world.frozen >> told->number % 32 & 1) != 0;
    bool is_learned = told->state == DecisionState::baseline || told->number < world.recovered || is_frozen;
    for (std::size_t at = 0; at < model.size(); at += 3) is_learned = is_learned || model[at] == event_id(event)[0];
    if (!is_learned) return false;
  }
  return world.actor->running() == nullptr && world.actor->pending() == 0;
}

std::array<std::uint64_t, 2> Steps::state_key(const World& w) {
  Fingerprint key;
  for (const Disk& disk : w.disks) key.number(disk.hash());
  for (const Stage stage : w.stage) key.number(static_cast<std::uint64_t>(stage));
  key.bytes(encode(w.opening));
  key.number(w.all_open);
  for (const std::uint8_t phase : w.phase) key.number(phase);
  key.number(w.dealt);
  for (const std::uint8_t concurrent : w.concurrent) key.number(concurrent);
  key.bytes(w.lesson);
  for (std::size_t party = 0; party < 2; ++party) {
    key.bytes(w.stood_on[party]);
    key.number(w.ran[party].has_value());
    if (w.ran[party]) key.bytes(*w.ran[party]);
  }
  key.number(w.planned.size());
  for (const ProgramShape& shape : w.planned) key.number(static_cast<std::uint64_t>(shape.kind) << 32 | shape.size);
  key.number(w.asked);
  key.number(w.forgot);
  if (bounds_.kept) key.number(w.actor ? w.actor->queued() : asked_on(w.disks[actor_role]));
  key.number(w.crashes);
  key.number(static_cast<std::uint64_t>(w.given * 8 + w.baseline * 4 + w.reward * 2 + w.acknowledged));
  key.number(w.copied);
  key.number(w.restored);
  if (w.copy && !w.restored) key.number(w.copy->hash());
  key.number(static_cast<std::uint64_t>(w.snapshot * 16 + w.lost * 8 + w.is_copied * 4 + w.rolled_back * 2));
  key.number(w.refused);
  key.number(static_cast<std::uint64_t>(w.changes * 4 + (w.wanted ? 1 + (*w.wanted == LiveMode::frozen) : 0)));
  key.number(w.frozen);
  key.number(w.recovered);
  key.number(w.wishes[party_0].snapshot);
  if (w.copies && !w.rolled_back) {
    for (const Disk& disk : *w.copies) key.number(disk.hash());
  }
  for (const auto& told : w.told) {
    key.number(told ? std::uint64_t{told->arm} * 2 + (told->state == DecisionState::decided) : ~std::uint64_t{0});
  }
  for (const auto& arm : w.shown) key.number(arm ? std::uint64_t{*arm} + 1 : 0);
  key.number(w.used_epoch);
  key.number(w.used.size());
  for (const World::Use& use : w.used) {
    key.number(use.program);
    key.number(use.model);
    key.bytes(use.entry);
  }
  key.number(w.skipped.size());
  for (const std::uint64_t program : w.skipped) key.number(program);
  const auto frame = [&](const auto* frame) {
    key.number(frame != nullptr);
    if (frame != nullptr) key.bytes(encode(*frame));
  };
  frame(w.actor ? w.actor->running() : nullptr);
  frame(w.actor ? w.actor->concurrent() : nullptr);
  return key.words();
}

}  // namespace sotto::apps::testing
