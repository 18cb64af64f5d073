#include "apps/kit/program/say.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>

#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

iovec piece(std::string_view text) {
  return iovec{const_cast<char*>(text.data()), text.size()};  // only read
}

// Writes the line, its end with it, so that lines of several threads stay whole.
void write_line(std::string_view line) noexcept {
  const std::array<iovec, 2> pieces{piece(line), piece("\n")};
  ssize_t written = -1;
  do {
    written = ::writev(STDERR_FILENO, pieces.data(), pieces.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return;
  const auto done = static_cast<std::size_t>(written);
  if (done < line.size()) say_part(line.substr(done));
  if (done < line.size() + 1) say_part("\n");
}

}  // namespace

void say(std::string_view line) noexcept {
  try {
    write_line(terminal_safe(line));
  } catch (const std::exception&) {
    write_line("sotto: no memory for a message");
  }
}

void say_part(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace sotto::apps
