// The common parts of the Unix sockets of a role. They block, but wake when the role is interrupted.
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

inline constexpr int wake_milliseconds = 100;  // the most time until an interrupt is noticed

// Throws ResourceError, "no socket for the pulled arms: ...", if the system has none.
[[nodiscard]] Descriptor unix_socket(const char* purpose);
// Throws ResourceError if the path is too long for a socket.
[[nodiscard]] sockaddr_un unix_address(const std::filesystem::path& path);
// Tries to connect until somebody listens at `path`; returns nothing after `seconds`. Throws Interrupted, and
// ResourceError as above.
[[nodiscard]] std::optional<Descriptor> connect_within(double seconds, const std::filesystem::path& path,
                                                       const char* purpose, const std::atomic<bool>& interrupted);
// Waits until one of these events of poll(2) holds, and returns it; 0 once the deadline has passed. Throws Interrupted.
[[nodiscard]] short wait_for_events(int descriptor, short events, SocketClock::time_point deadline,
                                    const std::atomic<bool>& interrupted);
[[nodiscard]] SocketClock::time_point seconds_from_now(double seconds);

// The private socket of a simulation with a separate rewarder. The actor's process sends each pulled arm over it to the
// environment in the rewarder's process. In a real run the world carries the arm to the reward. So this message is not
// part of the protocol, and is not counted.
//
// It is a Unix-domain socket. The rewarder listens at a path that only its owner can open, and the actor connects. It
// blocks, but wakes when `interrupted` is set. Throws NetworkError if the other side closes the socket or does not come
// within the deadline, and ResourceError if the path cannot be used.

[[nodiscard]] std::unique_ptr<ArmLink> listen_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                       const std::atomic<bool>& interrupted);
[[nodiscard]] std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                        const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
