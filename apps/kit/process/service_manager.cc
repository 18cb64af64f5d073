#include "apps/kit/process/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <utility>

#include "apps/kit/program/option_values.h"
#include "core/system/descriptor.h"

namespace sotto::apps {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<std::chrono::microseconds> watchdog_of_environment() {
  const auto time = number_of<long long>(variable("WATCHDOG_USEC"));
  if (!time || *time <= 0) return std::nullopt;
  const std::string_view process = variable("WATCHDOG_PID");
  if (!process.empty() && number_of<long long>(process) != static_cast<long long>(::getpid())) return std::nullopt;
  return std::chrono::microseconds(*time);
}

}  // namespace

ServiceManager ServiceManager::of_environment() {
  return ServiceManager(std::string(variable("NOTIFY_SOCKET")), watchdog_of_environment());
}

// sd_watchdog_enabled(3) advises a message after half of the watchdog time.
ServiceManager::ServiceManager(std::string socket, std::optional<std::chrono::microseconds> watchdog)
    : socket_(std::move(socket)) {
  if (watchdog) every_ = *watchdog / 2;
}

void ServiceManager::status(std::string_view text) const noexcept {
  try {
    std::string line = "STATUS=" + std::string(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    send(line);
  } catch (const std::exception&) {
    return;
  }
}

void ServiceManager::alive(Clock::time_point now) noexcept {
  if (!every_ || now < next_) return;
  next_ = now + *every_;
  send("WATCHDOG=1");
}

void ServiceManager::send(std::string_view lines) const noexcept {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  if (socket_.front() != '/' && socket_.front() != '@') return;
  address.sun_family = AF_UNIX;
  std::copy(socket_.begin(), socket_.end(), std::begin(address.sun_path));
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const Descriptor out(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (out.get() < 0) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(out.get(), lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
                 length);
}

}  // namespace sotto::apps
