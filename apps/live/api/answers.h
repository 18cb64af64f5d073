// The JSON that the HTTP interface answers about events and about a role; docs/reference/openapi.json has the schemas.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apps/bandit/model/program/randomness_account.h"
#include "apps/kit/http/request.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// The terms that decisions are made with. Each decision's answer has them.
struct DecisionTerms {
  double epsilon = 0.1;  // the chance of exploring that is really used
  std::vector<std::string> arms;
  AgreementTerms agreement{};
  std::vector<bandit::RandomnessSource> randomness{};  // where the service's random numbers come from
};

// {"event","status":"decided","arm","arm_index","number","epsilon","least_probability"}; a baseline lacks the last
// three. least_probability is epsilon / A: an arm that was allowed had at least that chance.
[[nodiscard]] nlohmann::ordered_json decision_json(const LiveAnswer& answer, const DecisionTerms& terms);
// {"event","status":"pending"}
[[nodiscard]] nlohmann::ordered_json pending_json(const EventId& event);

// An answer to a caller: its JSON, or the problem in its place.
using AskAnswer = std::variant<nlohmann::ordered_json, Problem>;
// `retry_after`: seconds after which the caller may try again, for a full queue.
[[nodiscard]] AskAnswer ask_answer(const EventId& event, const AskReply& reply, const DecisionTerms& terms,
                                   unsigned retry_after);

// After how many seconds a full disk may have room again.
inline constexpr unsigned seconds_to_wait_for_room = 10;
// Why a call was not done. std::invalid_argument for Trouble::none.
[[nodiscard]] Problem problem_of(Trouble trouble);
[[nodiscard]] Problem with_event(Problem problem, const EventId& event);

// "ready", "setting-up", "refused", "disk-full", "draining", "ended".
[[nodiscard]] const char* name_of(Readiness readiness);
// "actor", "party", "rewarder", "dealer", "helper".
[[nodiscard]] const char* name_of(LiveRoleKind kind);

// {"event","state","at_ms","number","learned"}; the actor adds "active" and "arm", the rewarder adds "reward".
[[nodiscard]] nlohmann::ordered_json view_json(const EventId& event, const EventView& view, const DecisionTerms& terms);

// The answer of GET /v1/status. `now` is the time of the role's clock.
[[nodiscard]] nlohmann::ordered_json status_json(const LiveStatus& status, LiveTime now);
// {"number","id"}
[[nodiscard]] nlohmann::ordered_json mark_json(const OrderMark& mark);
// The answer of GET /v1/privacy: what all decisions so far reveal to the actor about contexts, what sums of agreement
// reveal to it, and what this role sees.
[[nodiscard]] nlohmann::ordered_json privacy_json(const LiveStatus& status, const LiveCounters& counters,
                                                  const DecisionTerms& terms);
// {"today","ever","eta","bits"}: the most that decisions with a subject's own rows reveal about the subject.
[[nodiscard]] nlohmann::ordered_json subject_json(const SubjectCount& count, const DecisionTerms& terms);

}  // namespace sotto::apps::live
