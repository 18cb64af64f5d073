// Runs one role of O3M, from its config to its report.
//
// It reads what the role owns (a participant its contexts, the active one the environment as well), connects and shakes
// hands, takes the run's parameters from the config and what the participants announce of their files
// (apps/kit/deploy/announcement.h), runs the protocol (masked_contexts.h), plays the bandit at the active participant,
// and writes the role's report. It throws what can go wrong on the way; while others still wait for this role, every
// peer has been told by then:
//   InputError         a file that does not fit, or parameters that cannot be run
//   DisagreementError  files of different numbers of steps, configs that differ
//   ProtocolError      a peer breaks the protocol; a mask block whose columns are not orthonormal
//   NetworkError, TrustError, Interrupted as net/mesh/mesh.h and net/mesh/driver/run.h have them
#pragma once

#include <atomic>

#include "sotto/apps/kit/deploy/role_process.h"
#include "sotto/apps/o3m/role_report.h"
#include "sotto/apps/o3m/settings.h"

namespace sotto::apps {

O3mRoleReport run_o3m_role(const O3mSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
