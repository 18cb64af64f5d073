// What a process tells the service manager that started it: systemd's Type=notify, without its library. A datagram with
// lines such as "READY=1" goes to the Unix socket that $NOTIFY_SOCKET names, as sd_notify(3) says; its first character
// may be @, for a socket that has no file.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

class ServiceManager {
 public:
  using Clock = std::chrono::steady_clock;

  // As the environment says: $NOTIFY_SOCKET, and $WATCHDOG_USEC for this process ($WATCHDOG_PID). Where nobody listens,
  // nothing is ever sent.
  [[nodiscard]] static ServiceManager of_environment();
  // `watchdog` is how long the process may be silent before it is taken for dead.
  explicit ServiceManager(std::string socket, std::optional<std::chrono::microseconds> watchdog = std::nullopt);

  // None of these fails or waits: a line that cannot be sent is lost. A status is one line for people.
  void ready() const noexcept { send("READY=1"); }
  void stopping() const noexcept { send("STOPPING=1"); }
  void status(std::string_view text) const noexcept;
  // To be called all the time by the thread that is to be alive; says so as often as the manager needs.
  void alive(Clock::time_point now) noexcept;

 private:
  void send(std::string_view lines) const noexcept;

  std::string socket_;
  std::optional<std::chrono::microseconds> every_;
  Clock::time_point next_{};
};

}  // namespace sotto::apps
