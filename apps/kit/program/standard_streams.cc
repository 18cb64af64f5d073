#include "sotto/apps/kit/program/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

namespace sotto::apps {

void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free, which is this one. Without the right to write where a write has to fail.
    const int held = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (held > STDERR_FILENO) ::close(held);
  }
}

bool standard_output_failed() noexcept { return std::ferror(stdout) != 0 || std::cout.bad(); }

void finish_standard_output() {
  const bool failed = standard_output_failed();
  std::cout.flush();
  // What failed before is tried again, which tells why.
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed && !standard_output_failed()) return;
  throw output_lost(errno == 0 ? "" : std::generic_category().message(errno));
}

ResourceError output_lost(const std::string& why) {
  return ResourceError(
      fmt::format("not all of the output could be written to stdout{}{}: make room there, or read it to its end",
                  why.empty() ? "" : ": ", why));
}

}  // namespace sotto::apps
