// A child process of a local run: started with the descriptors that it is meant to have and no other, watched without
// blocking, ended with its parent whatever happens to that.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sotto/core/system/descriptor.h"

namespace sotto::apps {

// Reading and writing end, both closed on exec. Throws ResourceError.
struct Pipe {
  Pipe();
  Descriptor read;
  Descriptor write;
};

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

}  // namespace sotto::apps
