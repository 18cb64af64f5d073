// The processes of a run on one machine. When one process fails, the other processes get time to end by themselves,
// then SIGTERM, then SIGKILL. If `interrupted` is set, all processes get SIGTERM at once.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

// Throws ResourceError if the system has no pipe.
struct Pipe {
  Pipe();
  Descriptor read;
  Descriptor write;
};

// A child process ends when its parent ends.
class ChildProcess {
 public:
  // The child inherits only `descriptors`. The child is in another process group, so Ctrl-C reaches only the parent.
  // Throws ResourceError if the child cannot be started.
  ChildProcess(std::string name, const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::vector<int>& descriptors);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int output() const noexcept { return output_.read.get(); }
  bool poll();
  void signal(int number) noexcept;

  [[nodiscard]] bool ended() const noexcept { return status_.has_value(); }
  [[nodiscard]] bool succeeded() const noexcept;
  [[nodiscard]] std::optional<int> exit_code() const noexcept;
  [[nodiscard]] std::optional<int> ended_by_signal() const noexcept;
  [[nodiscard]] bool was_signalled_here() const noexcept { return signalled_; }
  // The last output line that starts with "sotto: ", without this prefix.
  [[nodiscard]] std::string message() const;

 private:
  void read_output();

  std::string name_;
  Pipe output_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  bool signalled_ = false;
  std::string said_;
};

struct RoleEnd {
  std::string role;
  std::optional<int> exit_code;
  std::optional<int> signal;  // signal from outside the launcher
  std::string message;        // may be empty
  bool asked_to_end = false;
};

// Returns the error of the most likely cause. A role that was killed or interrupted from outside is the most likely
// cause, then a role that failed by itself, then a role that lost a peer.
[[nodiscard]] std::optional<Error> root_cause(const std::vector<RoleEnd>& ends);

class ProcessGroup {
 public:
  ProcessGroup(std::filesystem::path program, const std::atomic<bool>& interrupted)
      : program_(std::move(program)), interrupted_(interrupted) {}

  void start(const std::string& name, const std::vector<std::string>& arguments, const std::vector<int>& descriptors);

  // wait() calls `look` at least twenty times a second, and whenever the descriptor that `wake` returns can be read. If
  // a process fails, throws Error with the exit code and one line of the process that caused the failure. Throws
  // Interrupted if `interrupted` is set.
  void wait(const std::function<void()>& look, const std::function<int()>& wake);

 private:
  using Clock = std::chrono::steady_clock;

  void sleep(int wake);
  void take_ends();
  void end_lingering();
  [[nodiscard]] bool all_ended() const;

  std::filesystem::path program_;
  const std::atomic<bool>& interrupted_;
  std::vector<std::unique_ptr<ChildProcess>> children_;
  std::vector<RoleEnd> ends_;
  std::optional<Clock::time_point> failed_at_;
  std::optional<Clock::time_point> term_at_;
  bool asked_ = false;
  bool was_interrupted_ = false;
};

}  // namespace sotto::apps
