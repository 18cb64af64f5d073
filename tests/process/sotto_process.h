// The `sotto` command as a user runs it: a process of its own, with its output, its children and a folder of its own
// for temporary files.
#pragma once

#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

// The path of the program under test; the build writes it.
extern const char* const sotto_program;

namespace sotto::testing {

namespace fs = std::filesystem;

[[nodiscard]] std::string contents(const fs::path& path);
[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder of one test, removed at its end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const;
  // What the runs of this test have left behind.
  [[nodiscard]] bool nothing_left() const { return fs::is_empty(path_ / "tmp"); }

 private:
  fs::path path_;
};

// A prefix: what a shell does before the program takes its place.
[[nodiscard]] std::vector<std::string> in_shell(const std::string& before);

// Where a process runs.
struct Surroundings {
  std::vector<std::string> prefix{};     // a program that runs it, and its arguments
  std::optional<rlim_t> largest_file{};  // bytes: as if the disk were full
};

class SottoProcess {
 public:
  SottoProcess(const TestFolder& folder, const std::vector<std::string>& arguments,
               const Surroundings& surroundings = {});
  ~SottoProcess();
  SottoProcess(const SottoProcess&) = delete;
  SottoProcess& operator=(const SottoProcess&) = delete;

  // Its exit code, or 1000 and the signal that ended it.
  int wait();
  // After wait(): the largest of it and of the children that it waited for.
  [[nodiscard]] std::uint64_t peak_memory_bytes() const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  [[nodiscard]] std::string out() const { return contents(out_); }
  [[nodiscard]] std::string err() const { return contents(err_); }
  // The object that it printed on stdout.
  [[nodiscard]] nlohmann::json json() const;
  // The last line on stderr.
  [[nodiscard]] std::string error() const;

  // The child that runs the role with this config file, once it has worked for a while.
  [[nodiscard]] pid_t busy_child(const std::string& config) const;
  [[nodiscard]] std::vector<pid_t> children() const;

 private:
  void look_again() const;

  fs::path out_;
  fs::path err_;
  pid_t pid_ = -1;
  int status_ = 0;
  rusage usage_{};
  bool ended_ = false;
};

[[nodiscard]] bool runs(pid_t pid);

}  // namespace sotto::testing
