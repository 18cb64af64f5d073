// Notifies the service manager that started the process, as systemd's Type=notify requires, without systemd's library.
// A datagram with lines such as "READY=1" goes to the Unix socket that $NOTIFY_SOCKET names, as sd_notify(3) says. The
// first character of the socket's name may be @, for a socket without a file.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

class ServiceManager {
 public:
  using Clock = std::chrono::steady_clock;

  // Makes a ServiceManager from $NOTIFY_SOCKET, and from $WATCHDOG_USEC unless $WATCHDOG_PID names another process.
  // Without $NOTIFY_SOCKET nothing is ever sent.
  [[nodiscard]] static ServiceManager of_environment();
  // `watchdog` is how long the process may be silent before the service manager treats the process as dead.
  explicit ServiceManager(std::string socket, std::optional<std::chrono::microseconds> watchdog = std::nullopt);

  // The functions below never fail and never wait. A line that cannot be sent is dropped. The text of status() is one
  // line for people.
  void ready() const noexcept { send("READY=1"); }
  void stopping() const noexcept { send("STOPPING=1"); }
  void status(std::string_view text) const noexcept;
  // The thread that must stay alive calls alive() all the time. Notifications are sent only as often as the service
  // manager needs them.
  void alive(Clock::time_point now) noexcept;

 private:
  void send(std::string_view lines) const noexcept;

  std::string socket_;
  std::optional<std::chrono::microseconds> every_;
  Clock::time_point next_{};
};

}  // namespace sotto::apps
