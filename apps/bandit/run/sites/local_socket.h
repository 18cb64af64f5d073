// What the Unix sockets of a role have alike: blocking, but they wake when the role is interrupted.
#pragma once

#include <sys/un.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/bandit/run/sites/site.h"
#include "core/system/descriptor.h"

namespace sotto::apps::bandit::run {

using SocketClock = std::chrono::steady_clock;

inline constexpr int wake_milliseconds = 100;  // how late an interrupt may be noticed

// ResourceError, "no socket for the pulled arms: ...", where the system has none.
[[nodiscard]] Descriptor unix_socket(const char* purpose);
// Throws ResourceError where the path is too long for one.
[[nodiscard]] sockaddr_un unix_address(const std::filesystem::path& path);
// Tries until somebody listens at `path`; nothing after `seconds` of it. Throws Interrupted, and ResourceError as
// above.
[[nodiscard]] std::optional<Descriptor> connect_within(double seconds, const std::filesystem::path& path,
                                                       const char* purpose, const std::atomic<bool>& interrupted);
// Waits until one of these events of poll(2) holds, and says which; 0 once the deadline has passed. Throws Interrupted.
[[nodiscard]] short wait_for_events(int descriptor, short events, SocketClock::time_point deadline,
                                    const std::atomic<bool>& interrupted);
[[nodiscard]] SocketClock::time_point seconds_from_now(double seconds);

// The private socket over which, in a simulation with a separate rewarder, the actor's process tells the environment in
// the rewarder's process which arm it pulled. In a real run the world does that; so it is no message of the protocol
// and is not counted.
//
// A Unix-domain socket: the rewarder listens at a path that only its owner can open, the actor connects. Blocking, but
// wakes when `interrupted` is set. Throws NetworkError if the other side goes away or does not come within the
// deadline, ResourceError if the path cannot be used.

[[nodiscard]] std::unique_ptr<ArmLink> listen_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                       const std::atomic<bool>& interrupted);
[[nodiscard]] std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                        const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
