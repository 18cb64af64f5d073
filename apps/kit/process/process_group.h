// The processes of a run on one machine, which are started one by one, watched together, and ended together.
//
// When a process fails, the other processes learn of the failure over their links and get time to end by themselves.
// Processes that do not end in time get SIGTERM and later SIGKILL. When the caller's flag `interrupted` is set, all
// processes get SIGTERM at once and later SIGKILL.
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

// The reading end and the writing end of a pipe, both closed on exec. The constructor throws ResourceError if the
// system has no pipe.
struct Pipe {
  Pipe();
  Descriptor read;
  Descriptor write;
};

// A child process of a local run. The child is started with exactly the descriptors that it needs, and the parent
// watches it without blocking. The child ends with its parent, however the parent ends.
class ChildProcess {
 public:
  // Runs `program` with `arguments`. The child inherits `descriptors` and writes its output and errors into a pipe. The
  // child is in a process group of its own, so that Ctrl-C reaches only the parent. The child is killed when the parent
  // dies. Throws ResourceError if the system cannot start the child.
  ChildProcess(std::string name, const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::vector<int>& descriptors);
  // Kills the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int output() const noexcept { return output_.read.get(); }
  // Reads the child's output and status. Returns true if the child ended since the last call.
  bool poll();
  void signal(int number) noexcept;

  [[nodiscard]] bool ended() const noexcept { return status_.has_value(); }
  [[nodiscard]] bool succeeded() const noexcept;
  // The exit code of a child that has ended. Returns nothing if a signal ended the child.
  [[nodiscard]] std::optional<int> exit_code() const noexcept;
  [[nodiscard]] std::optional<int> ended_by_signal() const noexcept;
  [[nodiscard]] bool was_signalled_here() const noexcept { return signalled_; }
  // The child's error message: the last output line that starts with "sotto: ", without this prefix.
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

// Describes how the process of a role ended. Lists of RoleEnd are in the order in which the processes ended.
struct RoleEnd {
  std::string role;
  std::optional<int> exit_code;
  std::optional<int> signal;  // the signal that ended the role, unless the launcher sent it
  std::string message;        // the error line of the role; empty if there is none
  bool asked_to_end = false;  // true: the launcher sent the role a signal
};

// Returns the error of the role that caused the failure of a run, or nothing if all roles ended well. The most likely
// cause is a role that was killed or interrupted from outside, whatever the other roles report. The next candidate is a
// role that failed by itself, and the last candidate is a role that lost a peer. The error has the exit code of the
// cause and names the role.
[[nodiscard]] std::optional<Error> root_cause(const std::vector<RoleEnd>& ends);

class ProcessGroup {
 public:
  ProcessGroup(std::filesystem::path program, const std::atomic<bool>& interrupted)
      : program_(std::move(program)), interrupted_(interrupted) {}

  // Starts a process. `name` is the name of the process in errors. `arguments` and `descriptors` are the same as for
  // ChildProcess.
  void start(const std::string& name, const std::vector<std::string>& arguments, const std::vector<int>& descriptors);

  // Returns once all processes have ended well. `look` is called at least twenty times a second, and whenever there is
  // data to read from `wake` (a descriptor or -1). If a process fails, throws Error with the exit code of the root
  // cause and one line that names the process. Throws Interrupted if the flag `interrupted` was set.
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
