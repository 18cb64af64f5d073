// A role's page in a browser, with live figures that only the role's own organisation may see. The page loads nothing
// from other servers and changes nothing. The page asks its role for /v1/status, /v1/figures, /v1/history, /v1/privacy
// and /metrics, and stores none of the answers.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "apps/kit/http/router.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// GET /. The page itself needs no token, but the calls that it makes do. If the role has a token, the page asks the
// user for this token and stores it only in memory.
[[nodiscard]] Route dashboard_route();

// The whole page.
[[nodiscard]] const std::string& dashboard_page();

// Parts of the page.
extern const char* const dashboard_style;
extern const char* const dashboard_body;
extern const char* const dashboard_reading;  // script: asks the role, and parses the answers
extern const char* const dashboard_drawing;  // script: shows the answers

// The answer of GET /v1/figures: figures that only the role's own organisation may see. The actor's figures say how
// often the actor answered with each arm. A party's figures give the range of each of its columns, and the drift of its
// rows (RowDrift in call_bodies.h). The rewarder's figures give the rewards that were learned.
//
// Figures about events are stored, and cover the time since `since_ms`. Figures about programs, and the drift of rows,
// cover the time since the start of the process. The metrics contain nothing about arms, columns and rewards, except
// how many values of each column drift.

// The answer of GET /v1/history: the course of the stored figures, for the page's first chart.
[[nodiscard]] nlohmann::ordered_json history_json(LiveRoleKind kind, const LiveCounters& counters);

[[nodiscard]] nlohmann::ordered_json figures_json(LiveRoleKind kind, const LiveCounters& counters,
                                                  const ApiContext& context);

inline constexpr std::array all_reward_statuses{
    RewardStatus::used,    RewardStatus::duplicate, RewardStatus::late,       RewardStatus::conflict,
    RewardStatus::unknown, RewardStatus::invalid,   RewardStatus::not_learned};
static_assert(all_reward_statuses.size() == reward_statuses);
// The name: "used", "duplicate", "late", "conflict", "unknown", "invalid" or "not_learned".
[[nodiscard]] const char* name_of(RewardStatus status);

// The metrics of a role of the decision service, for Prometheus. The metrics contain nothing private: no arm, event,
// subject or feature, and no average of rewards.

// After this call metrics.text() reads the service's counters and status. The service must outlive all calls of
// metrics.text().
void add_live_metrics(Metrics& metrics, const LiveService& service);

// Makes an observer for a service. The observer records in histograms of `metrics` the times that the service reports.
// `metrics` must outlive the service.
[[nodiscard]] LiveObserver observer_into(Metrics& metrics);

}  // namespace sotto::apps::live
