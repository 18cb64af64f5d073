// The metrics of a role of the decision service, for Prometheus. None holds what is private: no arm, event, subject or
// feature, no average of rewards.
#pragma once

#include "apps/kit/metrics/metrics.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// From now on metrics.text() reads the service's counters and status, which must outlive its calls.
void add_live_metrics(Metrics& metrics, const LiveService& service);

// Puts what a service tells as it happens into histograms; `metrics` must outlive the service.
[[nodiscard]] LiveObserver observer_into(Metrics& metrics);

}  // namespace sotto::apps::live
