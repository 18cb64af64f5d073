#include "sotto/apps/kit/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::size_t longest_output = 64 * 1024;  // the end of it is kept
constexpr std::string_view error_prefix = "sotto: ";

// Between fork and exec: system calls only.
[[noreturn]] void become(const char* program, char* const* arguments, const std::vector<int>& keep, int output,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::internal));  // it died before that
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  for (const int descriptor : keep) ::fcntl(descriptor, F_SETFD, 0);
  ::execv(program, arguments);
  constexpr std::string_view failed = "sotto: the program cannot be started again\n";
  if (::write(STDERR_FILENO, failed.data(), failed.size()) < 0) ::_exit(1);
  ::_exit(static_cast<int>(ExitCode::local_resource));
}

}  // namespace

Pipe::Pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw ResourceError(fmt::format("no pipe to a role's process: {}; raise ulimit -n", std::strerror(errno)));
  }
  read = Descriptor(ends[0]);
  write = Descriptor(ends[1]);
}

ChildProcess::ChildProcess(std::string name, const std::filesystem::path& program,
                           const std::vector<std::string>& arguments, const std::vector<int>& descriptors)
    : name_(std::move(name)) {
  std::vector<std::string> words{"sotto"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string path = program.string();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    throw ResourceError(
        fmt::format("the process of {} cannot be started: {}; close other programs", name_, std::strerror(errno)));
  }
  if (pid_ == 0) become(path.c_str(), pointers.data(), descriptors, output_.write.get(), parent);
  output_.write.close();
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0 || status_) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

void ChildProcess::read_output() {
  char buffer[4096];
  for (;;) {
    const ssize_t bytes = ::read(output_.read.get(), buffer, sizeof buffer);
    if (bytes <= 0) break;
    said_.append(buffer, static_cast<std::size_t>(bytes));
  }
  if (said_.size() > longest_output) said_.erase(0, said_.size() - longest_output);
}

bool ChildProcess::poll() {
  read_output();
  if (status_) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  status_ = status;
  read_output();
  return true;
}

void ChildProcess::signal(int number) noexcept {
  if (status_) return;
  signalled_ = true;
  ::kill(pid_, number);
}

bool ChildProcess::succeeded() const noexcept { return exit_code() == 0; }

std::optional<int> ChildProcess::exit_code() const noexcept {
  if (!status_ || !WIFEXITED(*status_)) return std::nullopt;
  return WEXITSTATUS(*status_);
}

std::optional<int> ChildProcess::ended_by_signal() const noexcept {
  if (!status_ || !WIFSIGNALED(*status_)) return std::nullopt;
  return WTERMSIG(*status_);
}

std::string ChildProcess::message() const {
  std::size_t begin = said_.rfind("\nsotto: ");
  if (begin != std::string::npos) {
    ++begin;
  } else if (said_.starts_with(error_prefix)) {
    begin = 0;
  } else {
    return {};
  }
  begin += error_prefix.size();
  return said_.substr(begin, said_.find('\n', begin) - begin);
}

}  // namespace sotto::apps
