// The page of a role shows live what the role's own organisation may see of the role. The page has no outside parts and
// changes nothing. It asks its own role for /v1/status, /v1/figures, /v1/privacy and /metrics, and stores none of the
// answers.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "apps/kit/http/router.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// GET /. The page needs no token, but its calls do. If there is a token, the page asks its reader for it and keeps it
// only in its memory.
[[nodiscard]] Route dashboard_route();

// The whole page.
[[nodiscard]] const std::string& dashboard_page();

// Parts of the page.
extern const char* const dashboard_style;
extern const char* const dashboard_body;
extern const char* const dashboard_reading;  // script: asks the role, and takes the answers apart
extern const char* const dashboard_drawing;  // script: shows the answers

// The figures that a role's page shows only to the role's own organisation, as JSON of GET /v1/figures. The actor's
// figures say how often it answered with each arm. A party's figures give the range of each of its columns, and how the
// rows that its recipe makes drift (call_bodies.h). The rewarder's figures give the rewards that were learned.
//
// Figures of events are kept in the store, and count from `since_ms`. Figures of programs, and the drift of rows, count
// from the start of the process. Metrics say nothing about arms, columns and rewards, except how many values of a
// column drift.
// column drift.

[[nodiscard]] nlohmann::ordered_json figures_json(LiveRoleKind kind, const LiveCounters& counters,
                                                  const ApiContext& context);

inline constexpr std::array all_reward_statuses{
    RewardStatus::used,    RewardStatus::duplicate, RewardStatus::late,       RewardStatus::conflict,
    RewardStatus::unknown, RewardStatus::invalid,   RewardStatus::not_learned};
static_assert(all_reward_statuses.size() == reward_statuses);
// "used", "duplicate", "late", "conflict", "unknown", "invalid", "not_learned".
[[nodiscard]] const char* name_of(RewardStatus status);

// The metrics of a role of the decision service, for Prometheus. They hold nothing private: no arm, event, subject or
// feature, no average of rewards.

// From now on metrics.text() reads the service's counters and status. The service must outlive all calls of
// metrics.text().
void add_live_metrics(Metrics& metrics, const LiveService& service);

// Puts the reports of a service into histograms; `metrics` must outlive the service.
[[nodiscard]] LiveObserver observer_into(Metrics& metrics);

}  // namespace sotto::apps::live
