// The `sotto` command as a user runs it: a process of its own, with its output, its children and a
// folder of its own for temporary files.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace sotto::testing {

namespace fs = std::filesystem;

inline std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// A folder of one test, removed at its end.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (fs::temp_directory_path() / "sotto-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for the test");
    path_ = pattern;
    fs::create_directory(path_ / "tmp");
  }
  ~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  // What the runs of this test have left behind.
  [[nodiscard]] bool nothing_left() const { return fs::is_empty(path_ / "tmp"); }

 private:
  fs::path path_;
};

// A prefix: what a shell does before the program takes its place.
inline std::vector<std::string> in_shell(const std::string& before) {
  return {"sh", "-c", before + R"(; exec "$0" "$@")"};
}

// Where a process runs.
struct Surroundings {
  std::vector<std::string> prefix{};     // a program that runs it, and its arguments
  std::optional<rlim_t> largest_file{};  // bytes: as if the disk were full
};

class SottoProcess {
 public:
  SottoProcess(const TestFolder& folder, const std::vector<std::string>& arguments,
               const Surroundings& surroundings = {})
      : SottoProcess(folder, arguments, surroundings, ++count()) {}
  ~SottoProcess() {
    if (pid_ > 0 && !ended_) {
      ::kill(pid_, SIGKILL);
      wait();
    }
  }
  SottoProcess(const SottoProcess&) = delete;
  SottoProcess& operator=(const SottoProcess&) = delete;

  // Its exit code, or 1000 and the signal that ended it.
  int wait() {
    if (!ended_) ::wait4(pid_, &status_, 0, &usage_);
    ended_ = true;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_);
  }
  // After wait(): the largest of it and of the children that it waited for.
  [[nodiscard]] std::uint64_t peak_memory_bytes() const {
    return 1024 * static_cast<std::uint64_t>(usage_.ru_maxrss);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] std::string out() const { return contents(out_); }
  [[nodiscard]] std::string err() const { return contents(err_); }
  // The last line on stderr.
  [[nodiscard]] std::string error() const {
    std::string text = err();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t begin = text.rfind('\n');
    return begin == std::string::npos ? text : text.substr(begin + 1);
  }

  // The child that runs the role with this config file, once it has worked for a while.
  [[nodiscard]] pid_t busy_child(const std::string& config) const {
    for (;;) {
      for (const pid_t child : children()) {
        const fs::path proc = fs::path("/proc") / std::to_string(child);
        if (contents(proc / "cmdline").find(config) != std::string::npos &&
            ticks(contents(proc / "stat")) >= busy_ticks) {
          return child;
        }
      }
      look_again();
    }
  }
  [[nodiscard]] std::vector<pid_t> children() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::istringstream stat(contents(entry.path() / "stat"));
      std::string pid, command, state, parent;
      stat >> pid >> command >> state >> parent;
      if (parent == std::to_string(pid_) && state != "Z") found.push_back(std::stoi(pid));
    }
    return found;
  }

 private:
  SottoProcess(const TestFolder& folder, const std::vector<std::string>& arguments,
               const Surroundings& surroundings, int number)
      : out_(folder.path() / ("out" + std::to_string(number))),
        err_(folder.path() / ("err" + std::to_string(number))) {
    std::vector<std::string> words = limits(surroundings);
    words.insert(words.end(), surroundings.prefix.begin(), surroundings.prefix.end());
    words.emplace_back(SOTTO_PROGRAM);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables{"TMPDIR=" + (folder.path() / "tmp").string()};
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (std::string(*variable).rfind("TMPDIR=", 0) != 0) variables.emplace_back(*variable);
    }
    // Not by fork: tests start roles from several threads.
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
    // Whoever runs the tests may ignore it: nohup.
    posix_spawnattr_t attributes{};
    ::posix_spawnattr_init(&attributes);
    sigset_t hang_up{};
    ::sigaddset(&hang_up, SIGHUP);
    ::posix_spawnattr_setsigdefault(&attributes, &hang_up);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int error = ::posix_spawnp(&pid_, words[0].c_str(), &actions, &attributes,
                                     pointers(words).data(), pointers(variables).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("the test cannot start " + words[0]);
  }

  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
  }
  // The program that sets the limits, if there are any.
  static std::vector<std::string> limits(const Surroundings& surroundings) {
    if (!surroundings.largest_file) return {};
    return {"prlimit", "--fsize=" + std::to_string(*surroundings.largest_file)};
  }
  static std::atomic<int>& count() {
    static std::atomic<int> number = 0;
    return number;
  }
  static constexpr long busy_ticks = 10;

  void look_again() const {
    siginfo_t end{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT);
    if (end.si_pid == pid_) throw std::runtime_error("sotto ended too early: " + err());
    ::poll(nullptr, 0, 5);
  }
  // User and system time of a process, in clock ticks.
  static long ticks(const std::string& stat) {
    std::istringstream in(stat);
    std::string word;
    long user = 0;
    long system = 0;
    for (int i = 1; i <= 13; ++i) in >> word;
    in >> user >> system;
    return user + system;
  }

  fs::path out_;
  fs::path err_;
  pid_t pid_ = -1;
  int status_ = 0;
  rusage usage_{};
  bool ended_ = false;
};

inline bool runs(pid_t pid) {
  std::istringstream stat(contents(fs::path("/proc") / std::to_string(pid) / "stat"));
  std::string number, command, state;
  stat >> number >> command >> state;
  return !state.empty() && state != "Z" && state != "X";
}

}  // namespace sotto::testing
