#include "apps/kit/process/process_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace sotto::apps {
namespace {

constexpr std::size_t longest_output = 64 * 1024;  // only this many bytes of a child's output are kept, the last ones
constexpr std::string_view error_prefix = "sotto: ";

// Between fork and exec only system calls are safe.
[[noreturn]] void become(const char* program, char* const* arguments, const std::vector<int>& keep, int output,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::internal));  // the parent is dead
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

std::string round_of_loss(const std::vector<RoleEnd>& ends, const std::string& role) {
  constexpr std::string_view mark = " was lost in round ";
  for (const RoleEnd& end : ends) {
    const std::size_t found = end.message.find(role + std::string(mark));
    if (found == std::string::npos) continue;
    const std::size_t begin = found + role.size() + mark.size();
    const std::size_t stop = end.message.find_first_not_of("0123456789", begin);
    return " in round " + end.message.substr(begin, stop - begin);
  }
  return {};
}

bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

bool failed(const RoleEnd& end) { return end.signal || end.exit_code.value_or(0) != 0; }

bool interrupted_from_outside(const RoleEnd& end) {
  return end.exit_code == static_cast<int>(ExitCode::interrupted) && !end.asked_to_end;
}

int rank(const RoleEnd& end) {
  if (end.signal || interrupted_from_outside(end)) return 0;
  const bool hearsay = end.message.find(" reports: ") != std::string::npos;
  switch (static_cast<ExitCode>(end.exit_code.value_or(0))) {
    case ExitCode::peer_lost:
      return hearsay ? 5 : 4;
    case ExitCode::interrupted:
      return 6;
    default:
      return hearsay ? 3 : 1;
  }
}

std::string link_name(const std::string& role) { return role == "dealer" ? "the dealer" : role; }

Error describe(const RoleEnd& end, const std::vector<RoleEnd>& ends) {
  if (end.signal) {
    return Error(is_crash(*end.signal) ? ExitCode::internal : ExitCode::peer_lost,
                 fmt::format("{} was killed by signal {} ({}){}", link_name(end.role), *end.signal,
                             ::strsignal(*end.signal), round_of_loss(ends, link_name(end.role))));
  }
  if (interrupted_from_outside(end)) {
    return Error(ExitCode::peer_lost, fmt::format("{} was interrupted by a signal from outside", link_name(end.role)));
  }
  const int code = end.exit_code.value_or(static_cast<int>(ExitCode::internal));
  const std::string message =
      end.message.empty() ? fmt::format("it ended with code {} and no message", code) : end.message;
  return Error(static_cast<ExitCode>(code), fmt::format("{}: {}", end.role, message));
}

// Other roles have this time to learn of a failure and to end by themselves.
constexpr std::chrono::milliseconds time_to_hear{3000};
constexpr std::chrono::milliseconds time_to_end{1500};  // SIGTERM to SIGKILL
constexpr int look_milliseconds = 50;

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

std::optional<Error> root_cause(const std::vector<RoleEnd>& ends) {
  const RoleEnd* cause = nullptr;
  for (const RoleEnd& end : ends) {
    if (failed(end) && (cause == nullptr || rank(end) < rank(*cause))) cause = &end;
  }
  if (cause == nullptr) return std::nullopt;
  return describe(*cause, ends);
}

void ProcessGroup::start(const std::string& name, const std::vector<std::string>& arguments,
                         const std::vector<int>& descriptors) {
  children_.push_back(std::make_unique<ChildProcess>(name, program_, arguments, descriptors));
}

void ProcessGroup::wait(const std::function<void()>& look, const std::function<int()>& wake) {
  while (!all_ended()) {
    sleep(wake());
    look();
    take_ends();
    end_lingering();
  }
  if (was_interrupted_) throw Interrupted();
  if (const std::optional<Error> cause = root_cause(ends_)) throw Error(*cause);
}

void ProcessGroup::sleep(int wake) {
  std::vector<pollfd> descriptors;
  for (const auto& child : children_) {
    if (!child->ended()) descriptors.push_back(pollfd{child->output(), POLLIN, 0});
  }
  if (wake >= 0) descriptors.push_back(pollfd{wake, POLLIN, 0});
  ::poll(descriptors.data(), descriptors.size(), look_milliseconds);
}

void ProcessGroup::take_ends() {
  for (const auto& child : children_) {
    if (!child->poll()) continue;
    const std::optional<int> by = child->ended_by_signal();
    ends_.push_back(RoleEnd{child->name(), child->exit_code(), by && child->was_signalled_here() ? std::nullopt : by,
                            child->message(), child->was_signalled_here()});
    if (!child->succeeded() && !failed_at_) failed_at_ = Clock::now();
  }
}

void ProcessGroup::end_lingering() {
  const Clock::time_point now = Clock::now();
  if (interrupted_ && !was_interrupted_) {
    was_interrupted_ = true;
    term_at_ = now;
  } else if (failed_at_ && !term_at_) {
    term_at_ = *failed_at_ + time_to_hear;
  }
  if (!term_at_ || now < *term_at_) return;
  const bool kill = now >= *term_at_ + time_to_end;
  if (!kill && asked_) return;
  asked_ = true;
  for (const auto& child : children_) child->signal(kill ? SIGKILL : SIGTERM);
}

bool ProcessGroup::all_ended() const {
  return std::all_of(children_.begin(), children_.end(), [](const auto& child) { return child->ended(); });
}

}  // namespace sotto::apps
