#include "bench/lab/soak/soak_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/live/api/event_text.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;
namespace {

bool one_in(std::mt19937_64& random, std::uint64_t many) { return random() % many == 0; }

RewardFate reward_fate(std::mt19937_64& random) {
  switch (random() % 10) {
    case 0:
    case 1:
    case 2:
      return RewardFate::never;
    case 3:
      return RewardFate::twice;
    case 4:
      return RewardFate::conflict;
    case 5:
      return RewardFate::late;
    default:
      return RewardFate::once;
  }
}

bool is_other(SoakStep step) { return step == SoakStep::other || step == SoakStep::check_other; }

constexpr std::size_t most_faults = 20;

std::uint64_t whole_in(const nlohmann::json& answer, const char* field, std::uint64_t without) {
  const auto found = answer.find(field);
  return found != answer.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : without;
}

}  // namespace

EventFate fate_of(std::uint64_t seed, std::uint64_t number, std::size_t parties) {
  // mt19937_64 starts similarly for consecutive seeds.
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  std::mt19937_64 random(words);
  EventFate fate;
  const std::array<std::uint64_t, 2> id{random(), random()};
  static_assert(sizeof id == sizeof fate.id);
  std::memcpy(fate.id.data(), id.data(), sizeof id);
  fate.features.reserve(parties * soak_columns);
  for (std::size_t i = 0; i < parties * soak_columns; ++i) {
    fate.features.push_back(static_cast<double>(random() % 33) / 64 - soak_largest);
  }
  for (std::size_t party = 0; party < parties; ++party) fate.pushed.push_back(!one_in(random, 50));
  fate.asked_again = one_in(random, 16);
  fate.activated = !one_in(random, 64);
  fate.activated_later = !fate.activated && one_in(random, 2);
  fate.reward = reward_fate(random);
  fate.value = static_cast<unsigned>(random() % 2);
  return fate;
}

std::string features_line(const EventFate& fate, std::size_t party, SoakStep step) {
  std::string line = fmt::format(R"({{"event":"{}","schema":1,"x":[)", event_text(fate.id));
  for (std::size_t i = 0; i < soak_columns; ++i) {
    const double value = fate.features[party * soak_columns + i];
    // The changed value is no multiple of 1/64, so it differs from every original value.
    line += fmt::format("{}{}", i == 0 ? "" : ",", is_other(step) ? value / 2 + 1. / 1024 : value);
  }
  return line + "]}";
}

std::string request_line(const EventFate& fate) {
  return fmt::format(R"({{"event":"{}"{}}})", event_text(fate.id), fate.activated ? "" : R"(,"activate":false)");
}

std::string reward_line(const EventFate& fate, SoakStep step) {
  return fmt::format(R"({{"event":"{}","value":{},"reward_id":"r"}})", event_text(fate.id),
                     is_other(step) ? 1 - fate.value : fate.value);
}

KillPlan::KillPlan(std::uint64_t seed, std::uint64_t decisions, std::uint64_t kills, std::vector<std::string> roles)
    : random_(seed), roles_(std::move(roles)) {
  for (std::uint64_t i = 0; i < kills; ++i) at_.insert(random_() % decisions);
}

std::vector<std::string> KillPlan::pick(std::vector<std::string> there) {
  std::vector<std::string> victims;
  const bool two = at_.size() > 1 && there.size() > 1 && random_() % 5 == 0;
  for (std::size_t count = two ? 2 : 1; count > 0 && !there.empty(); --count) {
    const auto victim = there.begin() + static_cast<std::ptrdiff_t>(random_() % there.size());
    victims.push_back(*victim);
    there.erase(victim);
    at_.erase(at_.begin());
  }
  return victims;
}

SoakLedger::SoakLedger(const SoakSettings& settings, SoakFigures& figures)
    : settings_(settings), figures_(figures), events_(settings.decisions) {}

EventFate SoakLedger::fate(std::uint64_t event) const { return fate_of(settings_.seed, event, settings_.parties); }

void SoakLedger::note_wrong(const std::string& what) {
  ++figures_.wrong;
  if (figures_.faults.size() < most_faults) figures_.faults.push_back(what);
}

bool SoakLedger::expect(const char* call, std::uint64_t event, const nlohmann::json& answer,
                        std::initializer_list<int> statuses) {
  const auto status = answer.find("status");
  const bool is_one = status != answer.end() && status->is_number() &&
                      std::find(statuses.begin(), statuses.end(), status->get<int>()) != statuses.end();
  if (!is_one) note_wrong(fmt::format("{} of event {}: {}", call, event_text(fate(event).id), answer.dump()));
  return is_one;
}

bool SoakLedger::take_decision(std::uint64_t event, const nlohmann::json& answer) {
  AnsweredEvent& event_record = at(event);
  const std::string status = answer.value("status", nlohmann::json()).is_string() ? answer["status"] : "";
  const std::uint64_t arm = whole_in(answer, "arm_index", settings_.arms);
  AnsweredEvent now;
  now.state = status == "decided" ? AnsweredEvent::State::decided : AnsweredEvent::State::baseline;
  now.number = static_cast<std::uint32_t>(whole_in(answer, "number", 0));
  now.arm = static_cast<std::uint8_t>(arm);
  const bool is_answer = (status == "decided" && now.number > 0) || status == "baseline";
  if (!is_answer || arm >= settings_.arms) {
    note_wrong(fmt::format("a decision of event {}: {}", event_text(fate(event).id), answer.dump()));
    return false;
  }
  if (event_record.state == AnsweredEvent::State::open) {
    event_record.state = now.state;
    event_record.number = now.number;
    event_record.arm = now.arm;
    return true;
  }
  if (event_record.state == now.state && event_record.number == now.number && event_record.arm == now.arm) return true;
  note_wrong(fmt::format("a second answer for event {}: {}, before it arm {} of number {}", event_text(fate(event).id),
                         answer.dump(), event_record.arm, event_record.number));
  return false;
}

ModelWords SoakLedger::expected(const BatchPlan& plan) const {
  const std::size_t features = plan.parameters.features();
  const std::size_t triangle = features * (features + 1) / 2;
  ModelWords model;
  model.gram.assign(settings_.arms * triangle, 0);
  model.targets.assign(settings_.arms * features, 0);
  for (std::size_t arm = 0; arm < settings_.arms; ++arm) {
    for (std::size_t i = 0, entry = arm * triangle; i < features; entry += features - i, ++i) {
      model.gram[entry] = std::uint64_t{1} << (2 * plan.context_bits);
    }
  }
  std::vector<std::uint64_t> x(features);
  for (std::uint64_t event = 0; event < events_.size(); ++event) {
    const AnsweredEvent& event_record = events_[event];
    if (event_record.state != AnsweredEvent::State::decided || !event_record.active) continue;
    const EventFate fate = this->fate(event);
    for (std::size_t i = 0; i < features; ++i) {
      x[i] = sotto::encode(fate.pushed[i / soak_columns] ? fate.features[i] : soak_default, plan.context_bits);
    }
    std::size_t entry = event_record.arm * triangle;
    for (std::size_t i = 0; i < features; ++i) {
      for (std::size_t j = i; j < features; ++j) model.gram[entry++] += x[i] * x[j];
      if (event_record.rewarded && fate.value == 1) model.targets[event_record.arm * features + i] += x[i];
    }
  }
  return model;
}

void SoakLedger::count() const {
  for (std::uint64_t event = 0; event < events_.size(); ++event) {
    const AnsweredEvent& event_record = events_[event];
    if (event_record.state == AnsweredEvent::State::baseline) ++figures_.baselines;
    if (event_record.state != AnsweredEvent::State::decided) continue;
    ++figures_.decided;
    figures_.rewards += event_record.rewarded ? 1 : 0;
    ++(event_record.active ? figures_.learned : figures_.not_activated);
    const EventFate fate = this->fate(event);
    figures_.missing_rows += static_cast<std::uint64_t>(std::count(fate.pushed.begin(), fate.pushed.end(), false));
  }
}

}  // namespace sotto::apps::lab
