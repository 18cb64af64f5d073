// A soak of the decision service. All roles are killed at random, and a client repeats each call until it is answered.
// At the end, the client repeats every acknowledged call and checks the roles' answers. The model is compared with the
// sums over the decisions and rewards.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/kit/http/client.h"
#include "apps/live/engine/live_programs.h"
#include "apps/live/order/entry.h"

namespace sotto::apps::lab {

struct SoakSettings {
  std::uint64_t decisions = 10'000;
  std::uint64_t kills = 20;  // by SIGKILL
  std::uint64_t seed = 1;
  std::size_t parties = 2;
  std::size_t arms = 4;
  std::size_t on_their_way = 2048;
  std::vector<std::string> roles;  // to kill: "party_0", "actor", ...; empty: all
};

struct SoakFigures {
  double seconds = 0;          // from the first call until the service is drained
  double longest_silence = 0;  // longest time without a decision, in seconds
  std::uint64_t kills = 0;
  std::uint64_t pairs = 0;  // kills of two roles at once; each counts as two kills
  std::uint64_t epochs = 0;
  std::uint64_t numbers = 0;
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t missing_rows = 0;
  std::uint64_t learned = 0;
  std::uint64_t not_activated = 0;
  std::uint64_t rewards = 0;
  std::uint64_t late_rewards = 0;
  std::uint64_t calls = 0;  // number of answered calls; each line of a request is a call
  std::uint64_t calls_again = 0;
  std::uint64_t silent = 0;  // requests without an answer within a minute: the machine is busy, or a role hangs
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::vector<std::string> faults;  // the first errors
  bool model_is_right = false;

  [[nodiscard]] bool passed() const { return wrong == 0 && model_is_right; }
};

inline constexpr std::size_t soak_columns = 3;  // of each party
inline constexpr double soak_default = 0.125;   // default value of each column
inline constexpr double soak_largest = 0.25;    // largest magnitude of a feature

enum class RewardFate : std::uint8_t {
  never,
  once,
  twice,
  conflict,
  late,  // posted after reward_wait
};

struct EventFate {
  live::EventId id{};
  std::vector<double> features;  // one party after the other; multiples of 1/64
  std::vector<bool> pushed;
  bool asked_again = false;
  bool activated = true;
  bool activated_later = false;
  RewardFate reward = RewardFate::never;
  unsigned value = 0;  // 0 or 1
};

[[nodiscard]] EventFate fate_of(std::uint64_t seed, std::uint64_t number, std::size_t parties);

struct SoakCall {
  std::uint64_t event = 0;
  std::uint8_t step = 0;
};

// Calls to one path of a role's HTTP interface. Each call is repeated until it has a final answer: a broken connection,
// status 503 and `pending` do not count as final answers.
class CallLane {
 public:
  struct Path {
    std::string path;        // in a path for single calls, {} is replaced by the event's id
    std::size_t most = 256;  // largest number of calls in a request; 1: single calls, whose requests have no body
    std::size_t connections = 4;
  };
  // Returns the line of a call, or the event's id for single calls.
  using Write = std::function<std::string(const SoakCall&)>;
  // The answer of a single call without a body is {"status": code}.
  using OnAnswer = std::function<void(const SoakCall&, const nlohmann::json& answer)>;

  // `io` must outlive this object.
  CallLane(net::Io& io, const ListenAt& role, Path path, Write write, OnAnswer on_answer);
  CallLane(const CallLane&) = delete;
  CallLane& operator=(const CallLane&) = delete;

  void put(const SoakCall& call, net::Clock::time_point due = {});
  void proceed();
  // Calls without an answer.
  [[nodiscard]] std::size_t open() const noexcept { return waiting_.size() + on_their_way_; }
  [[nodiscard]] std::uint64_t again() const noexcept { return again_; }
  [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }
  // Requests that a role took but did not answer within a minute.
  [[nodiscard]] std::uint64_t silent() const noexcept { return silent_; }

 private:
  void send(std::size_t connection, std::vector<SoakCall> calls);
  void take(const std::vector<SoakCall>& calls, const HttpResult& result);
  void repeat(const SoakCall& call);

  Path path_;
  Write write_;
  OnAnswer on_answer_;
  std::multimap<net::Clock::time_point, SoakCall> waiting_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::vector<bool> busy_;  // by connection
  std::size_t on_their_way_ = 0;
  std::uint64_t again_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t silent_ = 0;
};

enum class SoakStep : std::uint8_t {
  first,  // features, a request for a decision, a reward or an activation
  again,  // the first call, repeated unchanged
  other,  // a call with another value for a known id
  check,  // at the end: the first call, repeated unchanged
  check_other,
};

[[nodiscard]] inline SoakCall call_of(std::uint64_t event, SoakStep step) {
  return {event, static_cast<std::uint8_t>(step)};
}
[[nodiscard]] inline SoakStep step_of(const SoakCall& call) { return static_cast<SoakStep>(call.step); }

[[nodiscard]] std::string features_line(const EventFate& fate, std::size_t party, SoakStep step);
[[nodiscard]] std::string request_line(const EventFate& fate);
[[nodiscard]] std::string reward_line(const EventFate& fate, SoakStep step);

// Which roles a soak kills, and after how many decisions.
class KillPlan {
 public:
  KillPlan(std::uint64_t seed, std::uint64_t decisions, std::uint64_t kills, std::vector<std::string> roles);

  [[nodiscard]] bool is_due(std::uint64_t event_record) const { return !at_.empty() && *at_.begin() <= event_record; }
  // Chooses one of the running roles. In one of five cases, chooses two of them.
  template <class Runs>
  [[nodiscard]] std::vector<std::string> take(Runs runs) {
    std::vector<std::string> there;
    for (const std::string& role : roles_) {
      if (runs(role)) there.push_back(role);
    }
    return pick(std::move(there));
  }
  [[nodiscard]] std::chrono::milliseconds away() { return std::chrono::milliseconds(random_() % 500); }

 private:
  [[nodiscard]] std::vector<std::string> pick(std::vector<std::string> there);

  std::mt19937_64 random_;
  std::vector<std::string> roles_;
  std::multiset<std::uint64_t> at_;
};

// An AnsweredEvent has only twelve bytes, because a soak may have millions of events.
struct AnsweredEvent {
  enum class State : std::uint8_t { open, decided, baseline };
  std::uint32_t number = 0;
  State state = State::open;
  std::uint8_t arm = 0;
  std::uint8_t pushes_left = 0;
  bool rewarded = false;  // acknowledged in time
  bool active = false;
};

// For each event, the received decision and the acknowledged calls.
class SoakLedger {
 public:
  // `figures` must outlive this object.
  SoakLedger(const SoakSettings& settings, SoakFigures& figures);

  [[nodiscard]] EventFate fate(std::uint64_t event) const;
  [[nodiscard]] AnsweredEvent& at(std::uint64_t event) { return events_.at(event); }
  [[nodiscard]] const AnsweredEvent& at(std::uint64_t event) const { return events_.at(event); }

  // Compares an answer of the actor with the event's first answer. Returns false if the answer is wrong.
  bool take_decision(std::uint64_t event, const nlohmann::json& answer);
  // Notes the answer as wrong unless its status is one of `statuses`.
  bool expect(const char* call, std::uint64_t event, const nlohmann::json& answer, std::initializer_list<int> statuses);
  void note_wrong(const std::string& what);

  // The model's exact sums over the learned events; W and w are left empty.
  [[nodiscard]] bandit::ModelWords expected(const bandit::BatchPlan& plan) const;
  void count() const;

 private:
  const SoakSettings& settings_;
  SoakFigures& figures_;
  std::vector<AnsweredEvent> events_;
};

}  // namespace sotto::apps::lab
