// The JSON answers of the HTTP interface about events and about a role. docs/reference/openapi.json has the schemas.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apps/bandit/model/program/randomness_account.h"
#include "apps/kit/http/request.h"
#include "apps/live/api/lift_figures.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

struct DecisionTerms {
  double epsilon = 0.1;  // the probability of exploration, after the service has rounded it
  std::vector<std::string> arms;
  AgreementTerms agreement{};
  std::vector<bandit::RandomnessSource> randomness{};
  LiftBasis lift{};
};

// {"event","status":"decided","arm","arm_index","number","epsilon","least_probability"}; a baseline has no "number",
// "epsilon" and "least_probability". The service chose each allowed arm with at least the probability
// least_probability, which is epsilon / the number of arms.
[[nodiscard]] nlohmann::ordered_json decision_json(const LiveAnswer& answer, const DecisionTerms& terms);
// {"event","status":"pending"}
[[nodiscard]] nlohmann::ordered_json pending_json(const EventId& event);

using AskAnswer = std::variant<nlohmann::ordered_json, Problem>;
// `retry_after` is the number of seconds after which the caller may try again if the queue is full.
[[nodiscard]] AskAnswer ask_answer(const EventId& event, const AskReply& reply, const DecisionTerms& terms,
                                   unsigned retry_after);

inline constexpr unsigned seconds_to_wait_for_room = 10;
// Throws std::invalid_argument for CallRefusal::none.
[[nodiscard]] Problem problem_of(CallRefusal trouble);
[[nodiscard]] Problem with_event(Problem problem, const EventId& event);

[[nodiscard]] const char* name_of(Readiness readiness);
[[nodiscard]] const char* name_of(LiveRoleKind kind);

// {"event","state","at_ms","number","learned"}; the actor adds "active" and "arm", the rewarder adds "reward".
[[nodiscard]] nlohmann::ordered_json view_json(const EventId& event, const EventView& view, const DecisionTerms& terms);

[[nodiscard]] nlohmann::ordered_json status_json(const LiveStatus& status, LiveTime now);
// {"number","id"}
[[nodiscard]] nlohmann::ordered_json mark_json(const OrderMark& mark);
// The answer of GET /v1/privacy: what all decisions so far reveal to the actor about contexts, what the sums of
// agreement reveal to the actor, and what this role sees.
[[nodiscard]] nlohmann::ordered_json privacy_json(const LiveStatus& status, const LiveCounters& counters,
                                                  const DecisionTerms& terms);
// {"today","ever","eta","bits"}: the events with the subject's own rows, and bounds on what these events reveal about
// the subject.
[[nodiscard]] nlohmann::ordered_json subject_json(const SubjectCount& count, const DecisionTerms& terms);

}  // namespace sotto::apps::live
