// Notifies systemd (Type=notify) by datagrams to $NOTIFY_SOCKET, as in sd_notify(3).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

class ServiceManager {
 public:
  using Clock = std::chrono::steady_clock;

  // Nothing is sent without $NOTIFY_SOCKET.
  [[nodiscard]] static ServiceManager of_environment();
  // `watchdog` is the longest silence that the service manager allows.
  explicit ServiceManager(std::string socket, std::optional<std::chrono::microseconds> watchdog = std::nullopt);

  // These functions never fail and never wait.
  void ready() const noexcept { send("READY=1"); }
  void stopping() const noexcept { send("STOPPING=1"); }
  void status(std::string_view text) const noexcept;
  // Callers may call alive() all the time; a message is sent only as often as needed.
  void alive(Clock::time_point now) noexcept;

 private:
  void send(std::string_view lines) const noexcept;

  std::string socket_;
  std::optional<std::chrono::microseconds> every_;
  Clock::time_point next_{};
};

}  // namespace sotto::apps
