// A simulator for tests: a thread that listens at a Unix socket and answers each line by a function.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/framework.h"

namespace sotto::testing {

class TestWorld {
 public:
  // Returns the simulator's answer to a line, or a part of the answer. `greeting` is the first line of the connection.
  // A complete answer ends with an end of line. An empty answer sends nothing, and nullopt closes the connection.
  using Answer = std::function<std::optional<std::string>(const std::string& greeting, const std::string& line)>;

  TestWorld(std::filesystem::path path, Answer answer) : path_(std::move(path)), answer_(std::move(answer)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.c_str(), path_.native().size() + 1);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::pipe2(wake_, O_CLOEXEC), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~TestWorld() {
    EXPECT_EQ(::write(wake_[1], "x", 1), 1);
    thread_.join();
    for (const auto& [descriptor, line] : lines_) ::close(descriptor);
    for (const int descriptor : {listener_, wake_[0], wake_[1]}) ::close(descriptor);
    std::filesystem::remove(path_);
  }
  TestWorld(const TestWorld&) = delete;
  TestWorld& operator=(const TestWorld&) = delete;

  // The first line of each connection, in the order of the connections.
  [[nodiscard]] std::vector<std::string> greetings() const {
    const std::lock_guard lock(mutex_);
    return greetings_;
  }

 private:
  struct Line {
    std::string greeting;
    std::string heard;
  };

  void run() {
    for (;;) {
      std::vector<pollfd> waiting{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& [descriptor, line] : lines_) waiting.push_back({descriptor, POLLIN, 0});
      ::poll(waiting.data(), waiting.size(), -1);
      if (waiting[0].revents != 0) return;
      if (waiting[1].revents != 0) lines_[::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)];
      for (std::size_t i = 2; i < waiting.size(); ++i) {
        if (waiting[i].revents == 0 || hear(waiting[i].fd)) continue;
        ::close(waiting[i].fd);
        lines_.erase(waiting[i].fd);
      }
    }
  }

  bool hear(int descriptor) {
    char bytes[4096];
    const ssize_t count = ::recv(descriptor, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    Line& line = lines_[descriptor];
    line.heard.append(bytes, static_cast<std::size_t>(count));
    for (std::size_t end = line.heard.find('\n'); end != std::string::npos; end = line.heard.find('\n')) {
      const std::string said = line.heard.substr(0, end);
      line.heard.erase(0, end + 1);
      if (line.greeting.empty()) {
        line.greeting = said;
        const std::lock_guard lock(mutex_);
        greetings_.push_back(said);
        continue;
      }
      const std::optional<std::string> answer = answer_(line.greeting, said);
      if (!answer) return false;
      for (std::size_t sent = 0; sent < answer->size();) {
        const ssize_t out = ::send(descriptor, answer->data() + sent, answer->size() - sent, MSG_NOSIGNAL);
        if (out <= 0) return false;
        sent += static_cast<std::size_t>(out);
      }
    }
    return true;
  }

  std::filesystem::path path_;
  Answer answer_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::map<int, Line> lines_;
  mutable std::mutex mutex_;
  std::vector<std::string> greetings_;
  std::thread thread_;
};

}  // namespace sotto::testing
