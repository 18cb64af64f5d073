// The processes of a run on one machine: started one by one, watched together, ended together.
//
// When one fails, the others are told of it by their links and given time to end by themselves; those that linger get
// SIGTERM and after that SIGKILL. The same happens when the caller's flag is raised.
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

// Reading and writing end, both closed on exec. Throws ResourceError.
struct Pipe {
  Pipe();
  Descriptor read;
  Descriptor write;
};

// A child process of a local run: started with the descriptors that it is meant to have and no other, watched without
// blocking, ended with its parent whatever happens to that.
class ChildProcess {
 public:
  // Runs `program` with `arguments`. It inherits `descriptors`, and has its output and errors in a pipe. It is in a
  // process group of its own, so that Ctrl-C reaches the parent alone, and is killed when the parent dies. Throws
  // ResourceError if the system cannot start it.
  ChildProcess(std::string name, const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::vector<int>& descriptors);
  // Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] int output() const noexcept { return output_.read.get(); }
  // Takes in what it has said and whether it has ended. True if it ended since the last call.
  bool poll();
  void signal(int number) noexcept;

  [[nodiscard]] bool ended() const noexcept { return status_.has_value(); }
  [[nodiscard]] bool succeeded() const noexcept;
  // Of a child that has ended: its exit code, unless a signal ended it.
  [[nodiscard]] std::optional<int> exit_code() const noexcept;
  [[nodiscard]] std::optional<int> ended_by_signal() const noexcept;
  [[nodiscard]] bool was_signalled_here() const noexcept { return signalled_; }
  // Its error: the last line of its output that starts with "sotto: ", without that.
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

// How a role's process ended, in the order in which they ended.
struct RoleEnd {
  std::string role;
  std::optional<int> exit_code;
  std::optional<int> signal;  // that ended it, unless the launcher sent it
  std::string message;        // its own line; empty if it had nothing to say
  bool asked_to_end = false;  // the launcher had sent it a signal
};

// Nothing if all ended well. A role that somebody outside killed or interrupted is the cause whatever the others say
// about it; then comes a role that failed by itself; a role that lost a peer is believed last. The error has the exit
// code of the cause and names the role.
[[nodiscard]] std::optional<Error> root_cause(const std::vector<RoleEnd>& ends);

class ProcessGroup {
 public:
  ProcessGroup(std::filesystem::path program, const std::atomic<bool>& interrupted)
      : program_(std::move(program)), interrupted_(interrupted) {}

  // `name` is what an error calls it; arguments and descriptors as ChildProcess takes them.
  void start(const std::string& name, const std::vector<std::string>& arguments, const std::vector<int>& descriptors);

  // Returns once all have ended, all well. `look` is called at least twenty times a second, and when there is something
  // to read from `wake`, a descriptor or -1. Throws Error with the exit code of the root cause and one line that names
  // the process; Interrupted once the flag was raised.
  void wait(const std::function<void()>& look, const std::function<int()>& wake);

 private:
  using Clock = std::chrono::steady_clock;

  void sleep(int wake);
  void take_ends();
  void end_what_lingers();
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
