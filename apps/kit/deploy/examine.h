// `sotto doctor`: tries one role's config against the world, before a run or while its role waits.
//
// Checks what is on this machine, listens where the role would, and asks every role that listens, so that the doctors
// of all machines answer each other; a role that sets up its links answers as well and goes on. Nothing is changed
// anywhere, and no secret leaves the machine: what is told is the config of the run, to roles of the run.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "apps/kit/deploy/finding.h"
#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {

struct Examination {
  // How long to try peers that do not answer, and to be there for doctors that come later.
  std::chrono::milliseconds wait{30'000};
  // Called with a line whenever something has changed.
  std::function<void(const std::string&)> progress;
  const std::atomic<bool>& interrupted;
};

// Throws Interrupted if the flag was raised; all else is a finding.
[[nodiscard]] Findings examine(const RoleSettings& config, const Examination& examination);

// Of a service, or a client of services: its key, its port, and whether the services that it connects to answer.
[[nodiscard]] Findings examine_service(const CommandSettings& settings, const Examination& examination);

}  // namespace sotto::apps
