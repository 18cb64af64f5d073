#include "tests/process/sotto_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <mutex>

#include "tests/regex.h"

namespace sotto::testing {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// The words of a command that sets the limits of the surroundings; empty if there are no limits. The limit on file
// sizes does not apply to the output, which goes through pipes.
Words limits(const Surroundings& surroundings) {
  if (!surroundings.largest_file) return {};
  return {"bash", "-o", "pipefail", "-c",
          "{ prlimit --fsize=" + std::to_string(*surroundings.largest_file) +
              R"( "$0" "$@" 2>&1 1>&4 4>&- | cat >&2; } 4>&1 | cat)"};
}

std::string next_number() {
  static std::atomic<int> number = 0;
  return std::to_string(++number);
}

long ticks(const std::string& stat) {
  std::istringstream in(stat);
  std::string word;
  long user = 0;
  long system = 0;
  for (int i = 1; i <= 13; ++i) in >> word;
  in >> user >> system;
  return user + system;
}

Words command_of(const Words& words) {
  return {words.begin(),
          std::find_if(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); })};
}

std::string help_of(Words command) {
  static std::mutex mutex;
  static std::map<Words, std::string> known;
  const std::lock_guard guard(mutex);
  const auto [found, is_new] = known.try_emplace(command);
  if (is_new) {
    const TestFolder folder;
    command.emplace_back("--help");
    SottoProcess process(folder, command);
    if (process.wait() == 0) found->second = process.out();
  }
  return found->second;
}

void expect_flags(const std::string& text, const Words& command, const std::string& said) {
  const std::string help = help_of(command);
  if (help.empty()) return;  // `command` is no command of sotto
  for (const auto& flag : matches_in(text, "(^|[^-'a-z])(--[a-z][a-z0-9-]*)")) {
    const std::string& name = flag[2];
    EXPECT_TRUE(has_match(help, name + "([^a-z0-9-]|$)"))
        << name << " is no flag of `sotto " << ::testing::PrintToString(command) << "`, which said: " << said;
  }
}

}  // namespace

Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string rows_in_turn(const std::string& even, const std::string& odd, int rows) {
  std::string text = "a";
  for (auto column = 'b'; column <= 'a' + std::count(even.begin(), even.end(), ','); ++column) {
    text += std::string(",") + column;
  }
  for (int row = 0; row < rows; ++row) text += "\n" + (row % 2 == 0 ? even : odd);
  return text + "\n";
}

std::string labels_in_turn(int arms, int rows) {
  std::string text = "label\n";
  for (int row = 0; row < rows; ++row) text += std::to_string(row % arms) + "\n";
  return text;
}

void write_small_run(const TestFolder& folder, const std::string& even, const std::string& odd, int arms, int rows) {
  for (const char* file : {"a.csv", "b.csv"}) folder.write(file, rows_in_turn(even, odd, rows));
  folder.write("labels.csv", labels_in_turn(arms, rows));
}

Words small_run(const Words& more, const std::string& command) {
  return joined(words_of(command + " --party a.csv --party b.csv --environment labels.csv --max-norm 1"), more);
}

Words in_shell(const std::string& before) { return {"sh", "-c", before + R"(; exec "$0" "$@")"}; }

SottoProcess::SottoProcess(const TestFolder& folder, const Words& arguments, const Surroundings& surroundings)
    : words_(arguments) {
  const std::string number = next_number();
  out_ = folder.path() / ("out" + number);
  err_ = folder.path() / ("err" + number);
  std::vector<std::string> words = limits(surroundings);
  words.insert(words.end(), surroundings.prefix.begin(), surroundings.prefix.end());
  words.emplace_back(sotto_program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables{"TMPDIR=" + (folder.path() / "tmp").string()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string(*variable).rfind("TMPDIR=", 0) != 0) variables.emplace_back(*variable);
  }
  // Uses posix_spawn instead of fork, because tests start roles from several threads.
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_.c_str(), flags, 0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_.c_str(), flags, 0600);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  // Resets SIGHUP, which the caller of the tests may ignore, as nohup does.
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  sigset_t hang_up{};
  ::sigaddset(&hang_up, SIGHUP);
  ::posix_spawnattr_setsigdefault(&attributes, &hang_up);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawnp(&pid_, words[0].c_str(), &actions, &attributes, pointers(words).data(),
                                   pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("the test cannot start " + words[0]);
}

SottoProcess::~SottoProcess() {
  if (pid_ > 0 && !ended_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
}

int SottoProcess::wait() {
  if (!ended_) ::wait4(pid_, &status_, 0, &usage_);
  ended_ = true;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_);
}

std::uint64_t SottoProcess::peak_memory_bytes() const { return 1024 * static_cast<std::uint64_t>(usage_.ru_maxrss); }

// After wait(), the number of the process may belong to another process.
void SottoProcess::signal(int number) const {
  if (!ended_) ::kill(pid_, number);
}

nlohmann::json SottoProcess::json() const { return nlohmann::json::parse(out()); }

std::string SottoProcess::error() const {
  std::string text = err();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

pid_t SottoProcess::child(const std::string& config, long least_ticks) const {
  for (;; look_again()) {
    for (const pid_t child : children()) {
      const fs::path proc = fs::path("/proc") / std::to_string(child);
      if (has(contents(proc / "cmdline"), config) && ticks(contents(proc / "stat")) >= least_ticks) return child;
    }
  }
}

std::vector<pid_t> SottoProcess::children() const {
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

void SottoProcess::look_again() const {
  siginfo_t end{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT);
  if (end.si_pid == pid_) throw std::runtime_error("sotto ended too early: " + err());
  ::poll(nullptr, 0, 5);
}

void SottoProcess::wait_for(const std::string& said) const {
  while (!has(err(), said)) look_again();
}

bool runs(pid_t pid) {
  std::istringstream stat(contents(fs::path("/proc") / std::to_string(pid) / "stat"));
  std::string number, command, state;
  stat >> number >> command >> state;
  return !state.empty() && state != "Z" && state != "X";
}

void expect_end(SottoProcess& process, int code, const std::string& says) {
  EXPECT_EQ(process.wait(), code) << process.err();
  EXPECT_THAT(process.error(), HasSubstr(says));
  expect_advice_to_be_there(process.words(), process.error());
}

std::string succeed(const TestFolder& folder, const Words& words, const Surroundings& surroundings) {
  SottoProcess process(folder, words, surroundings);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(folder.nothing_left());
  return process.out();
}

json result_of(const TestFolder& folder, const Words& words) { return json::parse(succeed(folder, words)); }

void expect_fields(const json& object, const json& expected) {
  for (const auto& [key, value] : expected.items()) EXPECT_EQ(object.at(key), value) << key;
}

void expect_refused(const TestFolder& folder, const Words& words, const std::string& says, int code,
                    const Surroundings& surroundings) {
  SCOPED_TRACE(::testing::PrintToString(words));
  SottoProcess process(folder, words, surroundings);
  EXPECT_EQ(process.wait(), code);
  const std::string said = process.err();
  EXPECT_THAT(said, ::testing::AllOf(::testing::StartsWith("sotto: "), HasSubstr(says)));
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  EXPECT_FALSE(has(said, secret_digits)) << said;
  expect_advice_to_be_there(words, said);
  if (std::find(words.begin(), words.end(), "--json") == words.end()) {
    EXPECT_EQ(process.out(), "");
  } else {
    EXPECT_EQ(process.json().at("exit_code"), code);
  }
}

void expect_refusals(const TestFolder& folder, const std::string& command, const Refusals& refusals) {
  for (const auto& [words, says] : refusals) expect_refused(folder, words_of(command + " " + words), says);
}

void expect_interrupted(SottoProcess& process, const TestFolder& folder, std::size_t count, int signal) {
  const std::vector<pid_t> children = process.children();
  EXPECT_EQ(children.size(), count);
  process.signal(signal);
  EXPECT_EQ(process.wait(), 130) << process.err();
  EXPECT_EQ(process.error(), "sotto: interrupted");
  for (const pid_t child : children) EXPECT_FALSE(runs(child));
  EXPECT_TRUE(folder.nothing_left());
}

// Flags in `backticks` must be flags of the command in the backticks. All other flags must be flags of the command that
// printed the message.

void expect_advice_to_be_there(const Words& words, const std::string& said) {
  const bool is_whole_program = fs::path(sotto_program).filename() == "sotto";
  std::string rest;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t begin = said.find('`', at);
    rest += said.substr(at, begin - at);
    const std::size_t end = begin == std::string::npos ? begin : said.find('`', begin + 1);
    if (end == std::string::npos) break;
    const std::string quoted = said.substr(begin + 1, end - begin - 1);
    if (is_whole_program && quoted.starts_with("sotto ")) {
      const Words typed = words_of(quoted.substr(6));
      expect_flags(quoted, command_of(typed), said);
    }
    at = end + 1;
  }
  // Leaves out the report of another role, because it names flags of that role's command.
  expect_flags(rest.substr(0, rest.find(" reports: ")), command_of(words), said);
}

}  // namespace sotto::testing
