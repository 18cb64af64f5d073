// The private socket over which, in a simulation with a separate rewarder, the actor's process tells the environment in
// the rewarder's process which arm it pulled. In a real run the world does that; so it is no message of the protocol
// and is not counted.
//
// A Unix-domain socket: the rewarder listens at a path that only its owner can open, the actor connects. Blocking, but
// wakes when `interrupted` is set. Throws NetworkError if the other side goes away or does not come within the
// deadline, ResourceError if the path cannot be used.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "apps/bandit/run/sites/site.h"

namespace sotto::apps::bandit::run {

[[nodiscard]] std::unique_ptr<ArmLink> listen_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                       const std::atomic<bool>& interrupted);
[[nodiscard]] std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                        const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
