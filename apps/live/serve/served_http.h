// The HTTP interface of a role as its config describes it.
#pragma once

#include <memory>

#include "apps/kit/program/log.h"
#include "apps/live/api/live_http.h"
#include "apps/live/config/live_config.h"
#include "apps/live/serve/store_backups.h"

namespace sotto::apps::live {

// What [http], [features] and the run say. Reads the role's key where http.tls is set, and a party's columns. Throws
// InputError.
[[nodiscard]] LiveHttpConfig http_config(const LiveConfig& config);

// On the service of a role of that config. What fails is in the log, at debug each answer: its path's pattern, its
// status and its time. `backups`, if any, outlives it. As LiveHttp's constructors.
[[nodiscard]] std::unique_ptr<LiveHttp> serve_http(net::Io& io, const LiveConfig& config, LiveService& service,
                                                   Metrics& metrics, const Log& log, StoreBackups* backups = nullptr);

}  // namespace sotto::apps::live
