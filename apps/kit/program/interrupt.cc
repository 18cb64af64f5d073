#include "apps/kit/program/interrupt.h"

#include <csignal>

namespace sotto::apps {
namespace {

std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the flag is set in a signal handler");

std::atomic<bool> reload_asked{false};

void on_reload(int) { reload_asked = true; }

void on_signal(int signal_number) {
  was_interrupted = true;
  // A closed terminal may cause two signals SIGHUP.
  if (signal_number != SIGHUP) std::signal(signal_number, SIG_DFL);
}

}  // namespace

std::atomic<bool>& interrupted() { return was_interrupted; }

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, a blocked call returns.
  for (const int number : {SIGINT, SIGTERM, SIGQUIT}) ::sigaction(number, &action, nullptr);
  // SIGHUP stays ignored under nohup.
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

std::atomic<bool>& catch_reload() {
  struct sigaction action {};
  action.sa_handler = on_reload;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGHUP, &action, nullptr);
  return reload_asked;
}

}  // namespace sotto::apps
