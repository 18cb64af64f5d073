// Functions that all Unix sockets of a role use. Calls on these sockets wait, but end when the role is interrupted.
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

inline constexpr int wake_milliseconds = 100;  // the longest time until an interrupt is noticed

// Throws ResourceError, "no socket for the pulled arms: ...", if the system has no free socket.
[[nodiscard]] Descriptor unix_socket(const char* purpose);
// Throws ResourceError if the path is too long for a socket.
[[nodiscard]] sockaddr_un unix_address(const std::filesystem::path& path);
// Tries to connect until somebody listens at `path`; returns nothing after `seconds`. Throws Interrupted, and
// ResourceError as unix_socket() and unix_address() do.
[[nodiscard]] std::optional<Descriptor> connect_within(double seconds, const std::filesystem::path& path,
                                                       const char* purpose, const std::atomic<bool>& interrupted);
// Waits until one of the given events of poll(2) happens, and returns that event, or 0 once the deadline has passed.
// Throws Interrupted.
[[nodiscard]] short wait_for_events(int descriptor, short events, SocketClock::time_point deadline,
                                    const std::atomic<bool>& interrupted);
[[nodiscard]] SocketClock::time_point seconds_from_now(double seconds);

// The private socket of a simulation with a separate rewarder. Over this socket, the actor's process sends each pulled
// arm to the environment in the rewarder's process. In a real run, the arm reaches the rewarder through the real world.
// So the message with the arm is not part of the protocol, and its bytes are not counted.
//
// The private socket is a Unix-domain socket. The rewarder listens at a path that only its owner can open, and the
// actor connects. Calls on the socket wait, but end when `interrupted` is set. Throws NetworkError if the other process
// closes the socket or does not connect within the deadline, and ResourceError if the path cannot be used.

[[nodiscard]] std::unique_ptr<ArmLink> listen_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                       const std::atomic<bool>& interrupted);
[[nodiscard]] std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                        const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
