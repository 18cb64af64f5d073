// A role's page in a browser, with live figures that only the role's own organisation may see. The page loads nothing
// from other servers and changes nothing.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "apps/kit/http/router.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// The page itself needs no token, but the calls that it makes do. The page asks the user for the token and stores it
// only in memory.
[[nodiscard]] Route dashboard_route();

[[nodiscard]] const std::string& dashboard_page();

extern const char* const dashboard_style;
extern const char* const dashboard_body;
extern const char* const dashboard_reading;
extern const char* const dashboard_drawing;

// The answer of GET /v1/figures contains two kinds of counts. Counts of events begin at the time `since_ms`. Counts of
// programs, and the drift of rows (RowDrift in call_bodies.h), begin when the process starts.

// The answer of GET /v1/history: the course of the stored figures, for the page's first chart.
[[nodiscard]] nlohmann::ordered_json history_json(LiveRoleKind kind, const LiveCounters& counters);

[[nodiscard]] nlohmann::ordered_json figures_json(LiveRoleKind kind, const LiveCounters& counters,
                                                  const ApiContext& context);

inline constexpr std::array all_reward_statuses{
    RewardStatus::used,    RewardStatus::duplicate, RewardStatus::late,       RewardStatus::conflict,
    RewardStatus::unknown, RewardStatus::invalid,   RewardStatus::not_learned};
static_assert(all_reward_statuses.size() == reward_statuses);
[[nodiscard]] const char* name_of(RewardStatus status);

// The metrics of a role, for Prometheus. The metrics contain nothing private: no arm, event, subject or feature, and no
// average of rewards.

// The service must outlive all calls of metrics.text().
void add_live_metrics(Metrics& metrics, const LiveService& service);

// `metrics` must outlive the service.
[[nodiscard]] LiveObserver observer_into(Metrics& metrics);

}  // namespace sotto::apps::live
