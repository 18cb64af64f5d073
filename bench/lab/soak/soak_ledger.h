// A soak of the decision service: all roles as processes that are killed at random, and a client that knows of them
// only what HTTP says. It pushes features, asks for decisions, posts rewards late, twice or never, each call again
// until it is answered. At the end every acknowledged call is compared with what the roles answer then, and the model
// with the sums over what was told and rewarded.
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

// What a soak is asked for, and what it came to.

struct SoakSettings {
  std::uint64_t decisions = 10'000;
  std::uint64_t kills = 20;  // of roles, by SIGKILL
  std::uint64_t seed = 1;    // of what happens to events, and of who is killed when
  std::size_t parties = 2;
  std::size_t arms = 4;
  std::size_t on_their_way = 2048;  // events that are asked at once
  std::vector<std::string> roles;   // that are killed: "party_0", "actor", ...; empty: all
};

struct SoakFigures {
  double seconds = 0;          // from the first call to the drained service
  double longest_silence = 0;  // seconds without a decision
  std::uint64_t kills = 0;
  std::uint64_t pairs = 0;  // of two roles at once, each counts as two kills
  std::uint64_t epochs = 0;
  std::uint64_t numbers = 0;
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t missing_rows = 0;  // decided with a party's default row
  std::uint64_t learned = 0;       // events with their arms in the model
  std::uint64_t not_activated = 0;
  std::uint64_t rewards = 0;  // acknowledged, each event's once
  std::uint64_t late_rewards = 0;
  std::uint64_t calls = 0;  // that were answered; lines, of lists
  std::uint64_t calls_again = 0;
  std::uint64_t silent = 0;   // requests without an answer within a minute: the machine is busy, or a role hangs
  std::uint64_t checked = 0;  // acknowledged calls, at the end
  std::uint64_t wrong = 0;
  std::vector<std::string> faults;  // what was wrong, the first of them
  bool model_is_right = false;

  [[nodiscard]] bool passed() const { return wrong == 0 && model_is_right; }
};

inline constexpr std::size_t soak_columns = 3;  // of each party
inline constexpr double soak_default = 0.125;   // of each column
inline constexpr double soak_largest = 0.25;    // of a feature

enum class RewardFate : std::uint8_t {
  never,
  once,
  twice,     // the same again
  conflict,  // another value under the same id after it
  late,      // after reward_wait
};

struct EventFate {
  live::EventId id{};
  std::vector<double> features;  // of all parties side by side; multiples of 1/64
  std::vector<bool> pushed;      // by party: before it is asked; else the default row stands
  bool asked_again = false;      // once it was told
  bool activated = true;         // with the decision
  bool activated_later = false;  // where not
  RewardFate reward = RewardFate::never;
  unsigned value = 0;  // of the reward, 0 or 1
};

[[nodiscard]] EventFate fate_of(std::uint64_t seed, std::uint64_t number, std::size_t parties);

// Calls of one path of one role's HTTP interface, many in a request, each again until it has an answer that is none of
// "later": what breaks a connection, 503, and `pending` are no answers.

// A call about an event; what it says is its lane's.
struct SoakCall {
  std::uint64_t event = 0;
  std::uint8_t step = 0;
};

class CallLane {
 public:
  struct Path {
    std::string path;        // of a list; {} stands for the event's id where it takes one call alone
    std::size_t most = 256;  // calls in a request; 1: without a body
    std::size_t connections = 4;
  };
  // The line of a call, or of a path for one call the event's id.
  using Write = std::function<std::string(const SoakCall&)>;
  // Once for each call. The answer of a call alone is {"status": code} where it has no body.
  using Heard = std::function<void(const SoakCall&, const nlohmann::json& answer)>;

  // `io` must outlive this.
  CallLane(net::Io& io, const ListenAt& role, Path path, Write write, Heard heard);
  CallLane(const CallLane&) = delete;
  CallLane& operator=(const CallLane&) = delete;

  // Not before `due`.
  void put(const SoakCall& call, net::Clock::time_point due = {});
  // Sends what is due, as far as there are connections.
  void go_on();
  // Calls without an answer.
  [[nodiscard]] std::size_t open() const noexcept { return waiting_.size() + on_their_way_; }
  [[nodiscard]] std::uint64_t again() const noexcept { return again_; }        // calls that were repeated
  [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }  // calls
  // Requests that a role took and did not answer within a minute.
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

// What each call of a soak is for, and the line that it sends.

enum class SoakStep : std::uint8_t {
  first,  // features, a request, a reward, an activation: acknowledged or answered for the first time
  again,  // the same again
  other,  // another value for what is known
  check,  // at the end: the same again
  check_other,
};

[[nodiscard]] inline SoakCall call_of(std::uint64_t event, SoakStep step) {
  return {event, static_cast<std::uint8_t>(step)};
}
[[nodiscard]] inline SoakStep step_of(const SoakCall& call) { return static_cast<SoakStep>(call.step); }

// JSON of a call to a party, the actor, the rewarder.
[[nodiscard]] std::string features_line(const EventFate& fate, std::size_t party, SoakStep step);
[[nodiscard]] std::string request_line(const EventFate& fate);
[[nodiscard]] std::string reward_line(const EventFate& fate, SoakStep step);

// Whom a soak kills, and when: after so many decisions, which come in the midst of anything.

class KillPlan {
 public:
  // `kills` of these roles, at random among so many decisions.
  KillPlan(std::uint64_t seed, std::uint64_t decisions, std::uint64_t kills, std::vector<std::string> roles);

  // After so many decisions one is to be killed.
  [[nodiscard]] bool is_due(std::uint64_t told) const { return !at_.empty() && *at_.begin() <= told; }
  // Of the roles that run now: one, or in one of five cases two at once. None if none of the plan's runs.
  template <class Runs>
  [[nodiscard]] std::vector<std::string> take(Runs runs) {
    std::vector<std::string> there;
    for (const std::string& role : roles_) {
      if (runs(role)) there.push_back(role);
    }
    return pick(std::move(there));
  }
  // How long a role that was killed stays away.
  [[nodiscard]] std::chrono::milliseconds away() { return std::chrono::milliseconds(random_() % 500); }

 private:
  [[nodiscard]] std::vector<std::string> pick(std::vector<std::string> there);

  std::mt19937_64 random_;
  std::vector<std::string> roles_;
  std::multiset<std::uint64_t> at_;
};

// What a soak was told and what was acknowledged to it, by event; and what the model must be then.

// Ten bytes an event: there are millions.
struct ToldEvent {
  enum class State : std::uint8_t { open, decided, baseline };
  std::uint32_t number = 0;  // of a decide
  State state = State::open;
  std::uint8_t arm = 0;
  std::uint8_t pushes_left = 0;  // that are not acknowledged
  bool rewarded = false;         // acknowledged, and in time
  bool active = false;
};

class SoakLedger {
 public:
  // `figures` must outlive this.
  SoakLedger(const SoakSettings& settings, SoakFigures& figures);

  [[nodiscard]] EventFate fate(std::uint64_t event) const;
  [[nodiscard]] ToldEvent& at(std::uint64_t event) { return events_.at(event); }
  [[nodiscard]] const ToldEvent& at(std::uint64_t event) const { return events_.at(event); }

  // An answer of the actor to an event's request: kept the first time, else compared. False where it is wrong.
  bool take_decision(std::uint64_t event, const nlohmann::json& answer);
  // The status of an answer is one of these; else it is noted as wrong.
  bool expect(const char* call, std::uint64_t event, const nlohmann::json& answer, std::initializer_list<int> statuses);
  void note_wrong(const std::string& what);

  // The exact sums over what was learned; W and w are left empty.
  [[nodiscard]] bandit::ModelWords expected(const bandit::BatchPlan& plan) const;
  // Into the figures: what became of the events.
  void count() const;

 private:
  const SoakSettings& settings_;
  SoakFigures& figures_;
  std::vector<ToldEvent> events_;
};

}  // namespace sotto::apps::lab
