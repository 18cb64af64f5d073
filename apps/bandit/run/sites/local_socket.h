// Unix sockets of a role, whose calls end when the role is interrupted.
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

inline constexpr int wake_milliseconds = 100;

[[nodiscard]] Descriptor unix_socket(const char* purpose);
[[nodiscard]] sockaddr_un unix_address(const std::filesystem::path& path);
// Tries to connect for `seconds` seconds. Returns nothing if every attempt fails. Throws Interrupted, or ResourceError
// if the system provides no socket.
[[nodiscard]] std::optional<Descriptor> connect_within(double seconds, const std::filesystem::path& path,
                                                       const char* purpose, const std::atomic<bool>& interrupted);
// Returns the events of poll(2) that happened, or 0 after the deadline. Throws Interrupted.
[[nodiscard]] short wait_for_events(int descriptor, short events, SocketClock::time_point deadline,
                                    const std::atomic<bool>& interrupted);
[[nodiscard]] SocketClock::time_point seconds_from_now(double seconds);

// In a simulation, the actor's process sends each pulled arm to the rewarder's process over this socket. The message is
// not part of the protocol, and its bytes are not counted. The rewarder listens at a path that only its owner can open.
// Throws NetworkError if the other process is lost, and ResourceError if the path cannot be used.

[[nodiscard]] std::unique_ptr<ArmLink> listen_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                       const std::atomic<bool>& interrupted);
[[nodiscard]] std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                                        const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
