#include "sotto/net/transport/tcp/look_up.h"

#include <netdb.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "sotto/core/error/errors.h"

namespace sotto::net {

struct LookUp::Shared {
  Shared() : wakes(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wakes >= 0) return;
    throw ResourceError("a name cannot be looked up: " + std::generic_category().message(errno) +
                        "; raise ulimit -n");
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { ::close(wakes); }

  void finish(Found result) {
    found = std::move(result);
    done.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    // A counter that nobody reads cannot be full.
    static_cast<void>(::write(wakes, &one, sizeof one));
  }

  Found found;  // the thread's until `done`, the caller's after
  std::atomic<bool> done{false};
  const int wakes;
};

namespace {

std::string failure_of(int code, int system_error) {
  return code == EAI_SYSTEM ? std::error_code(system_error, std::generic_category()).message()
                            : gai_strerror(code);
}

std::vector<std::string> numeric_hosts(const addrinfo* entry) {
  std::vector<std::string> hosts;
  for (; entry != nullptr; entry = entry->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
      continue;
    }
    const std::string host = text.data();
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return hosts;
}

Found ask(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (code != 0) return Found{{}, failure_of(code, errno)};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
  Found found{numeric_hosts(list), ""};
  if (found.hosts.empty()) found.failure = "it has no address";
  return found;
}

// Signals are the caller's.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

bool is_numeric(const std::string& host) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return false;
  freeaddrinfo(list);
  return true;
}

LookUp::LookUp(const std::string& host) : shared_(std::make_shared<Shared>()) {
  if (is_numeric(host)) {
    shared_->finish(Found{{host}, ""});
    return;
  }
  try {
    const SignalsBlocked blocked;
    std::thread([shared = shared_, host] {
      try {
        shared->finish(ask(host));
      } catch (...) {
        shared->finish(Found{{}, "out of memory"});
      }
    }).detach();
  } catch (const std::system_error&) {
    shared_->finish(Found{{}, "no thread is left to look it up in (ulimit -u)"});
  }
}

bool LookUp::done() const { return shared_->done.load(std::memory_order_acquire); }

Found LookUp::take() { return std::move(shared_->found); }

Waitable LookUp::wait_for() const {
  return Waitable{shared_->wakes, true, false, done() ? Clock::now() : Clock::time_point::max()};
}

Found look_up_now(const std::string& host, std::chrono::milliseconds at_most) {
  LookUp look_up(host);
  const Clock::time_point end = Clock::now() + at_most;
  while (!look_up.done()) {
    const Clock::time_point now = Clock::now();
    if (now >= end) return Found{{}, "no name server answers"};
    const Waitable waitable = look_up.wait_for();
    wait_any(std::span(&waitable, 1), end - now);
  }
  return look_up.take();
}

}  // namespace sotto::net
