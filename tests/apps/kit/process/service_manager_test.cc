#include "apps/kit/process/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "core/system/descriptor.h"
#include "tests/apps/kit/files/test_files.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

using Moment = ServiceManager::Clock::time_point;

// A manager's socket, by its path, or by a name with @ for one without a file.
class ManagerSocket {
 public:
  explicit ManagerSocket(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  // What has come, a datagram an element.
  [[nodiscard]] std::vector<std::string> heard() const {
    std::vector<std::string> all;
    std::array<char, 512> text{};
    for (;;) {
      const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), 0);
      if (size < 0) return all;
      all.emplace_back(text.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  Descriptor socket_;
};

using Datagrams = std::vector<std::string>;

TEST(ServiceManager, IsToldByAPathAndByANameWithoutAFile) {
  const TestFolder folder;
  const std::string path = (folder.path() / "notify").string();
  for (const std::string& name : {path, "@sotto-test-" + std::to_string(::getpid())}) {
    const ManagerSocket socket(name);
    const ServiceManager manager(name);
    manager.ready();
    manager.status("party 0 is ready in epoch 3");
    manager.status("two\nlines");
    manager.stopping();
    EXPECT_EQ(socket.heard(),
              (Datagrams{"READY=1", "STATUS=party 0 is ready in epoch 3", "STATUS=two lines", "STOPPING=1"}));
  }
}

TEST(ServiceManager, HearsTwiceInItsTimeThatTheProcessLives) {
  const TestFolder folder;
  const std::string path = (folder.path() / "notify").string();
  const ManagerSocket socket(path);
  ServiceManager manager(path, std::chrono::seconds(10));
  const Moment begin{std::chrono::hours(1)};
  for (int second = 0; second < 20; ++second) manager.alive(begin + std::chrono::seconds(second));
  EXPECT_EQ(socket.heard(), Datagrams(4, "WATCHDOG=1"));
  ServiceManager unasked(path);
  unasked.alive(begin);
  EXPECT_EQ(socket.heard(), Datagrams{});
}

TEST(ServiceManager, WhereNobodyListensNothingHappens) {
  for (const std::string& name :
       {std::string(), std::string("/nowhere/notify"), std::string("vsock:2:1"), "/" + std::string(300, 'x')}) {
    ServiceManager manager(name, std::chrono::seconds(1));
    manager.ready();
    manager.status("fine");
    manager.alive(Moment{std::chrono::hours(1)});
    manager.stopping();
  }
}

// The environment of one test.
class Variables {
 public:
  explicit Variables(const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
      ::setenv(name.c_str(), value.c_str(), 1);
      names_.push_back(name);
    }
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  ~Variables() {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

TEST(ServiceManager, IsAsTheEnvironmentSays) {
  const TestFolder folder;
  const std::string path = (folder.path() / "notify").string();
  const ManagerSocket socket(path);
  const Moment begin{std::chrono::hours(1)};
  const auto alive_once = [&](const std::vector<std::pair<std::string, std::string>>& values) {
    const Variables variables(values);
    ServiceManager manager = ServiceManager::of_environment();
    manager.alive(begin);
    return socket.heard().size();
  };
  const std::string self = std::to_string(::getpid());
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000000"}}), 1u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000000"}, {"WATCHDOG_PID", self}}), 1u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000000"}, {"WATCHDOG_PID", "1"}}), 0u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "0"}}), 0u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "soon"}}), 0u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}}), 0u);
  EXPECT_EQ(alive_once({{"WATCHDOG_USEC", "1000000"}}), 0u);
}

}  // namespace
}  // namespace sotto::apps
