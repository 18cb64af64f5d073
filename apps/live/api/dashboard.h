// The page of a role: what its own side may see of it, live. One page without outside parts, read only; it asks its own
// role for /v1/status, /v1/figures, /v1/privacy and /metrics, and holds nothing of them itself.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "apps/kit/http/router.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// GET /. The page needs no token, what it asks for does: where there is one, the page asks its reader for it and keeps
// it in its memory alone.
[[nodiscard]] Route dashboard_route();

// The whole page.
[[nodiscard]] const std::string& dashboard_page();

// Parts of it.
extern const char* const dashboard_style;
extern const char* const dashboard_body;
extern const char* const dashboard_reading;  // script: asks, and takes the answers apart
extern const char* const dashboard_drawing;  // script: shows them

// What a role's own page shows of what is its own, as JSON of GET /v1/figures: at the actor how often it told each arm,
// at a party the range of each of its columns, and how the rows that its recipe makes drift (call_bodies.h), at the
// rewarder the rewards that were learned. What is of events is kept in the store, and counted since `since_ms`; what is
// of programs, and how rows drift, since the process began. It is for that role's own side. Of arms, columns and
// rewards metrics have no more than how many values of a column drift.

[[nodiscard]] nlohmann::ordered_json figures_json(LiveRoleKind kind, const LiveCounters& counters,
                                                  const ApiContext& context);

inline constexpr std::array all_reward_statuses{
    RewardStatus::used,    RewardStatus::duplicate, RewardStatus::late,       RewardStatus::conflict,
    RewardStatus::unknown, RewardStatus::invalid,   RewardStatus::not_learned};
static_assert(all_reward_statuses.size() == reward_statuses);
// "used", "duplicate", "late", "conflict", "unknown", "invalid", "not_learned".
[[nodiscard]] const char* name_of(RewardStatus status);

// The metrics of a role of the decision service, for Prometheus. None holds what is private: no arm, event, subject or
// feature, no average of rewards.

// From now on metrics.text() reads the service's counters and status, which must outlive its calls.
void add_live_metrics(Metrics& metrics, const LiveService& service);

// Puts what a service tells as it happens into histograms; `metrics` must outlive the service.
[[nodiscard]] LiveObserver observer_into(Metrics& metrics);

}  // namespace sotto::apps::live
