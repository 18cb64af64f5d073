// What reports say of this process: the command as the user typed it, the time, and what was built.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

namespace sotto::apps {

// Called once by main.
void remember_command_line(const std::string& program, int argc, char** argv);

// Words quoted as a shell needs them.
[[nodiscard]] std::string command_line();

// Whether --json is among the words, also where the rest of them makes no sense.
[[nodiscard]] bool json_wanted();

// A word as a shell takes it.
[[nodiscard]] std::string shell_quoted(const std::string& word);

// "2026-01-31T10:45:02Z".
[[nodiscard]] std::string utc_text(std::time_t time);
[[nodiscard]] std::string utc_now();

// The project's, as the build system knows it. What follows is written anew by the build system whenever the commit
// changes (cmake/GitCommit.cmake).
[[nodiscard]] const char* version();
// "5f9ded7a21", "5f9ded7a21-dirty", or "unknown" where the sources are in no git repository.
[[nodiscard]] const char* git_commit();
// The build type and what else sets the speed: "Release".
[[nodiscard]] const char* build_type();

// What this process has used: time and memory.

// Processor time of all its threads so far, in seconds.
[[nodiscard]] double process_cpu_seconds();

// Wall time since then, in seconds.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Bytes resident at the worst moment since this program started (VmHWM of Linux); 0 where the system does not say.
// getrusage would also count what the parent held when it forked.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace sotto::apps
