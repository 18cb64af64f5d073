#include "bench/lab/measure/processes.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <tuple>

#include "apps/kit/process/process_group.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps::lab {
namespace {

constexpr int look_milliseconds = 100;
constexpr char numbers_follow = 'n';
constexpr char error_follows = 'e';

// The write may block until the parent reads.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(descriptor, text.data(), text.size());
    if (bytes > 0) {
      text.remove_prefix(static_cast<std::size_t>(bytes));
      continue;
    }
    pollfd writable{descriptor, POLLOUT, 0};
    if (errno != EAGAIN && errno != EINTR) return;
    ::poll(&writable, 1, -1);
  }
}

[[noreturn]] void run_body(const MeasuringProcess& process, int output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before prctl
  std::string said(1, numbers_follow);
  try {
    const std::vector<double> numbers = process.body();
    const std::size_t begin = said.size();
    said.resize(begin + numbers.size() * sizeof(double));
    if (!numbers.empty()) {
      std::memcpy(said.data() + begin, numbers.data(), numbers.size() * sizeof(double));
    }
  } catch (const std::exception& error) {
    said = std::string(1, error_follows) + error.what();
  }
  write_all(output, said);
  ::_exit(0);  // _exit() does not flush the copies of the parent's buffers
}

class Child {
 public:
  explicit Child(const MeasuringProcess& process) : name_(process.name) {
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
      throw ResourceError(
          fmt::format("the process of {} cannot be started: {}; close other programs", name_, std::strerror(errno)));
    }
    if (pid_ == 0) run_body(process, pipe_.write.get(), parent);
    pipe_.write.close();
  }
  ~Child() {
    if (!ended_) ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] pollfd readable() const { return pollfd{pipe_.read.get(), POLLIN, 0}; }

  void look() {
    char buffer[4096];
    for (;;) {
      const ssize_t bytes = ::read(pipe_.read.get(), buffer, sizeof buffer);
      if (bytes < 0) return;
      if (bytes == 0) break;
      said_.append(buffer, static_cast<std::size_t>(bytes));
    }
    ended_ = true;
    if (said_.empty()) {
      throw Error(ExitCode::internal, fmt::format("{} was killed while it measured", name_));
    }
    if (said_.front() == error_follows) {
      throw Error(ExitCode::internal, fmt::format("{}: {}", name_, said_.substr(1)));
    }
  }

  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> result((said_.size() - 1) / sizeof(double));
    if (!result.empty()) {
      std::memcpy(result.data(), said_.data() + 1, result.size() * sizeof(double));
    }
    return result;
  }

 private:
  std::string name_;
  Pipe pipe_;
  pid_t pid_ = -1;
  std::string said_;
  bool ended_ = false;
};

int checked(int result) {
  if (result < 0) {
    throw ResourceError(
        fmt::format("no TCP connection on loopback can be made: {}; see ulimit -n", std::strerror(errno)));
  }
  return result;
}

Descriptor new_socket() { return Descriptor(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))); }

}  // namespace

std::vector<std::vector<double>> run_processes(const std::vector<MeasuringProcess>& processes,
                                               const std::atomic<bool>& interrupted) {
  std::vector<std::unique_ptr<Child>> children;
  children.reserve(processes.size());
  for (const MeasuringProcess& process : processes) {
    children.push_back(std::make_unique<Child>(process));
  }
  const auto all_ended = [&] {
    return std::all_of(children.begin(), children.end(), [](const auto& child) { return child->ended(); });
  };
  while (!all_ended()) {
    if (interrupted) throw Interrupted();
    std::vector<pollfd> descriptors;
    for (const auto& child : children) {
      if (!child->ended()) descriptors.push_back(child->readable());
    }
    ::poll(descriptors.data(), descriptors.size(), look_milliseconds);
    for (const auto& child : children) {
      if (!child->ended()) child->look();
    }
  }
  std::vector<std::vector<double>> numbers;
  numbers.reserve(children.size());
  for (const auto& child : children) numbers.push_back(child->numbers());
  return numbers;
}

std::pair<Descriptor, Descriptor> loopback_pair() {
  const Descriptor listener = new_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  checked(::bind(listener.get(), generic, size));
  checked(::listen(listener.get(), 1));
  checked(::getsockname(listener.get(), generic, &size));
  std::pair<Descriptor, Descriptor> pair{new_socket(), Descriptor()};
  checked(::connect(pair.first.get(), generic, size));
  pair.second = Descriptor(checked(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)));
  net::tune_for_frames(pair.first.get());
  net::tune_for_frames(pair.second.get());
  return pair;
}

LoopbackMesh::LoopbackMesh(std::size_t nodes) : nodes_(nodes), sockets_(nodes * nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::tie(sockets_[i * nodes + j], sockets_[j * nodes + i]) = loopback_pair();
    }
  }
}

}  // namespace sotto::apps::lab
