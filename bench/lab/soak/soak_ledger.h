// A soak of the decision service. All roles are processes that are killed at random, and a client knows only the
// answers of the roles' HTTP interfaces. The client pushes features, requests decisions, and posts rewards late, twice
// or never; it repeats each call until the call is answered. At the end, the client repeats every acknowledged call and
// checks the roles' answers. The model is compared with the sums over the decisions and rewards.
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

// The settings and the results of a soak.

struct SoakSettings {
  std::uint64_t decisions = 10'000;
  std::uint64_t kills = 20;  // kills of roles, by SIGKILL
  std::uint64_t seed = 1;    // seed of the events' fates, and of the choice and time of the kills
  std::size_t parties = 2;
  std::size_t arms = 4;
  std::size_t on_their_way = 2048;  // number of events that are requested at once
  std::vector<std::string> roles;   // the roles that are killed: "party_0", "actor", ...; empty: all
};

struct SoakFigures {
  double seconds = 0;          // time from the first call until the service is drained
  double longest_silence = 0;  // longest time without a decision, in seconds
  std::uint64_t kills = 0;
  std::uint64_t pairs = 0;  // kills of two roles at once; each counts as two kills
  std::uint64_t epochs = 0;
  std::uint64_t numbers = 0;
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t missing_rows = 0;  // number of rows that were not pushed, so that default rows were used
  std::uint64_t learned = 0;       // number of events whose arms are in the model
  std::uint64_t not_activated = 0;
  std::uint64_t rewards = 0;  // acknowledged rewards, counted once for each event
  std::uint64_t late_rewards = 0;
  std::uint64_t calls = 0;  // number of answered calls; each line of a request is a call
  std::uint64_t calls_again = 0;
  std::uint64_t silent = 0;   // requests without an answer within a minute: the machine is busy, or a role hangs
  std::uint64_t checked = 0;  // number of acknowledged calls that were checked at the end
  std::uint64_t wrong = 0;
  std::vector<std::string> faults;  // the first errors
  bool model_is_right = false;

  [[nodiscard]] bool passed() const { return wrong == 0 && model_is_right; }
};

inline constexpr std::size_t soak_columns = 3;  // number of columns of each party
inline constexpr double soak_default = 0.125;   // default value of each column
inline constexpr double soak_largest = 0.25;    // largest magnitude of a feature

enum class RewardFate : std::uint8_t {
  never,
  once,
  twice,     // the same reward is posted twice
  conflict,  // another value is posted under the same id afterwards
  late,      // the reward is posted after reward_wait
};

struct EventFate {
  live::EventId id{};
  std::vector<double> features;  // features of all parties, one party after the other; multiples of 1/64
  std::vector<bool> pushed;      // for each party: true: pushed before the request; false: default row
  bool asked_again = false;      // the decision is requested again after it has arrived
  bool activated = true;         // the event is activated together with the decision
  bool activated_later = false;  // the event is activated later; only if `activated` is false
  RewardFate reward = RewardFate::never;
  unsigned value = 0;  // value of the reward, 0 or 1
};

[[nodiscard]] EventFate fate_of(std::uint64_t seed, std::uint64_t number, std::size_t parties);

// Calls to one path of one role's HTTP interface; one request may have many calls. Each call is repeated until it has a
// final answer: a broken connection, status 503 and `pending` do not count as final answers.

// A call about an event. The Write function of the call's lane makes the content of the call.
struct SoakCall {
  std::uint64_t event = 0;
  std::uint8_t step = 0;
};

class CallLane {
 public:
  struct Path {
    std::string path;        // path of the interface; in a path for single calls, {} is replaced by the event's id
    std::size_t most = 256;  // largest number of calls in a request; 1: requests have no body
    std::size_t connections = 4;
  };
  // The Write function returns the line of a call, or the event's id if the path is for single calls.
  using Write = std::function<std::string(const SoakCall&)>;
  // The Heard function is called once for each call. The answer of a single call without a body is {"status": code}.
  using Heard = std::function<void(const SoakCall&, const nlohmann::json& answer)>;

  // `io` must outlive this object.
  CallLane(net::Io& io, const ListenAt& role, Path path, Write write, Heard heard);
  CallLane(const CallLane&) = delete;
  CallLane& operator=(const CallLane&) = delete;

  // Adds a call that is sent at `due` or later.
  void put(const SoakCall& call, net::Clock::time_point due = {});
  // Sends the calls that are due, as far as connections are free.
  void proceed();
  // The number of calls without an answer.
  [[nodiscard]] std::size_t open() const noexcept { return waiting_.size() + on_their_way_; }
  [[nodiscard]] std::uint64_t again() const noexcept { return again_; }        // repeated calls
  [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }  // answered calls
  // The number of requests that a role took but did not answer within a minute.
  [[nodiscard]] std::uint64_t silent() const noexcept { return silent_; }

 private:
  void send(std::size_t connection, std::vector<SoakCall> calls);
  void take(const std::vector<SoakCall>& calls, const HttpResult& result);
  void repeat(const SoakCall& call);

  Path path_;
  Write write_;
  Heard heard_;
  std::multimap<net::Clock::time_point, SoakCall> waiting_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::vector<bool> busy_;  // by connection
  std::size_t on_their_way_ = 0;
  std::uint64_t again_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t silent_ = 0;
};

// The purposes of a soak's calls, and the lines that they send.

enum class SoakStep : std::uint8_t {
  first,  // the first call: features, a request, a reward or an activation
  again,  // the first call, repeated unchanged
  other,  // a call with another value for a known id
  check,  // at the end: the first call, repeated unchanged
  check_other,
};

[[nodiscard]] inline SoakCall call_of(std::uint64_t event, SoakStep step) {
  return {event, static_cast<std::uint8_t>(step)};
}
[[nodiscard]] inline SoakStep step_of(const SoakCall& call) { return static_cast<SoakStep>(call.step); }

// The functions below return the JSON of a call to a party, the actor or the rewarder.
[[nodiscard]] std::string features_line(const EventFate& fate, std::size_t party, SoakStep step);
[[nodiscard]] std::string request_line(const EventFate& fate);
[[nodiscard]] std::string reward_line(const EventFate& fate, SoakStep step);

// The roles that a soak kills, and the times of the kills. A time is a number of decisions, so a kill can interrupt any
// work.

class KillPlan {
 public:
  // Plans `kills` kills of the given roles, at random times among `decisions` decisions.
  KillPlan(std::uint64_t seed, std::uint64_t decisions, std::uint64_t kills, std::vector<std::string> roles);

  // Whether a kill is due after `told` decisions.
  [[nodiscard]] bool is_due(std::uint64_t told) const { return !at_.empty() && *at_.begin() <= told; }
  // Chooses among the roles that run now: one role, or in one of five cases two roles at once. The result is empty if
  // none of the plan's roles runs.
  template <class Runs>
  [[nodiscard]] std::vector<std::string> take(Runs runs) {
    std::vector<std::string> there;
    for (const std::string& role : roles_) {
      if (runs(role)) there.push_back(role);
    }
    return pick(std::move(there));
  }
  // How long a killed role stays away before it starts again.
  [[nodiscard]] std::chrono::milliseconds away() { return std::chrono::milliseconds(random_() % 500); }

 private:
  [[nodiscard]] std::vector<std::string> pick(std::vector<std::string> there);

  std::mt19937_64 random_;
  std::vector<std::string> roles_;
  std::multiset<std::uint64_t> at_;
};

// For each event, the decision that the client received and the calls that were acknowledged. The ledger also computes
// the model that must result from the decisions and the acknowledged calls.

// An AnsweredEvent is small (twelve bytes), because a soak may have millions of events.
struct AnsweredEvent {
  enum class State : std::uint8_t { open, decided, baseline };
  std::uint32_t number = 0;  // number of the event's decision batch
  State state = State::open;
  std::uint8_t arm = 0;
  std::uint8_t pushes_left = 0;  // number of pushes that are not acknowledged yet
  bool rewarded = false;         // the reward was acknowledged in time
  bool active = false;
};

class SoakLedger {
 public:
  // `figures` must outlive this object.
  SoakLedger(const SoakSettings& settings, SoakFigures& figures);

  [[nodiscard]] EventFate fate(std::uint64_t event) const;
  [[nodiscard]] AnsweredEvent& at(std::uint64_t event) { return events_.at(event); }
  [[nodiscard]] const AnsweredEvent& at(std::uint64_t event) const { return events_.at(event); }

  // Takes an answer of the actor to an event's request: stores the first answer, and compares every later answer with
  // the first answer. Returns false if the answer is wrong.
  bool take_decision(std::uint64_t event, const nlohmann::json& answer);
  // Checks that the status of an answer is one of `statuses`. Notes the answer as wrong if its status is not one of
  // `statuses`.
  bool expect(const char* call, std::uint64_t event, const nlohmann::json& answer, std::initializer_list<int> statuses);
  void note_wrong(const std::string& what);

  // The model's exact sums over the learned events; W and w are left empty.
  [[nodiscard]] bandit::ModelWords expected(const bandit::BatchPlan& plan) const;
  // Adds the outcomes of all events to the figures.
  void count() const;

 private:
  const SoakSettings& settings_;
  SoakFigures& figures_;
  std::vector<AnsweredEvent> events_;
};

}  // namespace sotto::apps::lab
