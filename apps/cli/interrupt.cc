#include "apps/cli/interrupt.h"

#include <csignal>

namespace sotto::apps {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the flag is set in a signal handler");

void on_signal(int signal_number) {
  flag = true;
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

std::atomic<bool>& interrupted() { return flag; }

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a blocked call must return and look at the flag.
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace sotto::apps
