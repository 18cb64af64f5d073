// The `sotto` command as a user runs it: a process of its own, with its output, its children, and a folder of its own
// for temporary files.
#pragma once

#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "apps/kit/files/json.h"
#include "tests/apps/kit/files/test_files.h"
#include "tests/framework.h"

namespace sotto::testing {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

[[nodiscard]] inline std::string contents(const fs::path& path) { return apps::slurp(path); }
[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
[[nodiscard]] Words words_of(const std::string& line);
[[nodiscard]] Words joined(Words words, const Words& more);

class TestFolder : public apps::TestFolder {
 public:
  TestFolder() { fs::create_directory(path() / "tmp"); }
  fs::path write(const std::string& name, const std::string& text) const { return put(name, text); }
  [[nodiscard]] bool nothing_left() const { return fs::is_empty(path() / "tmp"); }
};

class InFolder : public ::testing::Test {
 protected:
  TestFolder folder;
};

// The function rows_in_turn returns a table whose rows are `even` and `odd` in turn, and labels_in_turn returns labels
// that name the arms in turn.
[[nodiscard]] std::string rows_in_turn(const std::string& even, const std::string& odd, int rows = 30);
[[nodiscard]] std::string labels_in_turn(int arms = 2, int rows = 30);
void write_small_run(const TestFolder& folder, const std::string& even = "0.5,0.1", const std::string& odd = "-0.2,0.4",
                     int arms = 2, int rows = 30);
[[nodiscard]] Words small_run(const Words& more = {}, const std::string& command = "bandit");

// The prefix of a command that first runs `before` in a shell. After `before`, the program replaces the shell.
[[nodiscard]] Words in_shell(const std::string& before);

struct Surroundings {
  Words prefix{};  // a program that starts the process, and the arguments of this program
  // Largest size of a file in bytes, which makes writes fail as on a full disk. The test cannot send signals to a
  // process with this limit.
  std::optional<rlim_t> largest_file{};
};

class SottoProcess {
 public:
  SottoProcess(const TestFolder& folder, const Words& arguments, const Surroundings& surroundings = {});
  ~SottoProcess();
  SottoProcess(const SottoProcess&) = delete;
  SottoProcess& operator=(const SottoProcess&) = delete;

  // The exit code, or 1000 plus the signal that ended the process.
  int wait();
  // The largest peak memory of the process and of the children for which it waited. Call peak_memory_bytes() after
  // wait().
  [[nodiscard]] std::uint64_t peak_memory_bytes() const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const Words& words() const { return words_; }
  void signal(int number) const;
  [[nodiscard]] std::string out() const { return contents(out_); }
  [[nodiscard]] std::string err() const { return contents(err_); }
  [[nodiscard]] nlohmann::json json() const;
  [[nodiscard]] std::string error() const;

  [[nodiscard]] pid_t child(const std::string& config) const { return child(config, 0); }
  [[nodiscard]] pid_t busy_child(const std::string& config) const { return child(config, busy_ticks); }
  [[nodiscard]] std::vector<pid_t> children() const;
  void wait_for(const std::string& said) const;
  void look_again() const;

 private:
  static constexpr long busy_ticks = 10;
  [[nodiscard]] pid_t child(const std::string& config, long least_ticks) const;

  Words words_;
  fs::path out_;
  fs::path err_;
  pid_t pid_ = -1;
  int status_ = 0;
  rusage usage_{};
  bool ended_ = false;
};

[[nodiscard]] bool runs(pid_t pid);

// Checks a message of `sotto WORDS`: each flag in the message must be a flag of that command, or of the command in
// `backticks` around the flag.
void expect_advice_to_be_there(const Words& words, const std::string& said);

// Checks that the process ends with `code`. The last line on stderr must contain `says`, and the advice in this line
// must be possible to follow.
void expect_end(SottoProcess& process, int code, const std::string& says);

std::string succeed(const TestFolder& folder, const Words& words, const Surroundings& surroundings = {});
json result_of(const TestFolder& folder, const Words& words);
void expect_fields(const json& object, const json& expected);
// Expects one line on stderr that contains `says`, and nothing on stdout except the object of --json.
void expect_refused(const TestFolder& folder, const Words& words, const std::string& says, int code = 2,
                    const Surroundings& surroundings = {});
// Each pair has further words of the command, and the text with which the command is refused.
using Refusals = std::vector<std::pair<std::string, std::string>>;
void expect_refusals(const TestFolder& folder, const std::string& command, const Refusals& refusals);
// Digits of cells that no message may repeat. expect_refused checks that they do not appear.
inline const std::string secret_digits = "7351928";
void expect_interrupted(SottoProcess& process, const TestFolder& folder, std::size_t count, int signal);

}  // namespace sotto::testing
