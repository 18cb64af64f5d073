// Where the three standard streams lead nowhere: output that is lost is no success, and a log that is lost is no
// failure.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "tests/process/ports.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

struct Inputs {
  explicit Inputs(const TestFolder& folder) {
    std::string rows = "x\n";
    std::string labels = "label\n";
    std::string contexts = "a,b,c\n";
    for (int i = 0; i < 20; ++i) {
      rows += i % 2 == 0 ? "0.5\n" : "-0.25\n";
      labels += i % 2 == 0 ? "0\n" : "1\n";
    }
    for (int i = 0; i < 20'000; ++i) contexts += "1,2,3\n";
    (void)folder.write("a.csv", rows);
    (void)folder.write("b.csv", rows);
    (void)folder.write("labels.csv", labels);
    (void)folder.write("contexts.csv", contexts);
  }
  static Words on_data(const std::string& command, const Words& more = {}) {
    Words words{command, "--party", "a.csv", "--party", "b.csv", "--environment", "labels.csv", "--max-norm", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

int code_of(const TestFolder& folder, const Words& words, const std::string& before) {
  SottoProcess process(folder, words, {in_shell(before), {}});
  const int code = process.wait();
  if (code == 6) {
    EXPECT_THAT(process.error(), HasSubstr("could be written to stdout")) << words.front();
    EXPECT_THAT(process.error(), ::testing::StartsWith("sotto: "));
  }
  return code;
}

TEST(StandardStreams, OutputThatIsLostIsNoSuccess) {
  const TestFolder folder;
  const Inputs inputs(folder);
  const std::vector<Words> commands{
      {"--help"},
      {"--version"},
      {"bandit", "--help"},
      Inputs::on_data("plan"),
      Inputs::on_data("plan", {"--json"}),
      Inputs::on_data("bandit"),
      Inputs::on_data("bandit", {"--json"}),
      {"keys", "new"},
      {"init", "--parties", "2", "--steps", "10", "--arms", "2"},
      {"p2b", "epsilon", "--p", "0.5"},
      {"p2b", "encoder", "--dimension", "3", "--codes", "8"},
      {"robin", "--help"},
  };
  int number = 0;
  for (const Words& command : commands) {
    for (const auto& [before, code] :
         {std::pair{"exec >/dev/full", 6}, std::pair{"exec >&-", 6}, std::pair{"true", 0}}) {
      Words words = command;
      // What must not be there yet.
      const bool makes = words[0] == "keys" || words[0] == "init" || words.back() == "8";
      if (makes) words.insert(words.end(), {"--out", "made" + std::to_string(++number)});
      EXPECT_EQ(code_of(folder, words, before), code) << ::testing::PrintToString(words) << " " << before;
    }
  }
}

// More than is gathered before it is written: printing itself fails.
TEST(StandardStreams, OutputThatIsLostOnTheWayIsNoSuccess) {
  const TestFolder folder;
  const Inputs inputs(folder);
  const Words encoder{"p2b", "encoder", "--dimension", "3", "--codes", "8", "--out", "e.csv"};
  ASSERT_EQ(SottoProcess(folder, encoder).wait(), 0);
  for (const std::string format : {"--json", ""}) {
    Words words{"p2b", "encode", "--centroids", "e.csv", "--contexts", "contexts.csv"};
    if (!format.empty()) words.push_back(format);
    EXPECT_EQ(code_of(folder, words, "true"), 0);
    EXPECT_EQ(code_of(folder, words, "exec >/dev/full"), 6) << format;
    EXPECT_EQ(code_of(folder, words, "exec >&-"), 6) << format;
  }
}

TEST(StandardStreams, ACommandThatFailsKeepsItsCodeAndARunItsResults) {
  const TestFolder folder;
  const Inputs inputs(folder);
  Words none = Inputs::on_data("plan");
  none[2] = "none.csv";
  EXPECT_EQ(code_of(folder, none, "exec >/dev/full"), 2);
  EXPECT_EQ(code_of(folder, Inputs::on_data("bandit", {"--out", "run"}), "exec >&-"), 6);
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")).at("status"), "complete");
}

TEST(StandardStreams, AnErrorThatNobodyHearsKeepsItsCode) {
  const TestFolder folder;
  for (const char* before : {"exec 2>/dev/full", "exec 2>&-"}) {
    EXPECT_EQ(SottoProcess(folder, {"plan"}, {in_shell(before), {}}).wait(), 2) << before;
  }
}

// Sends what is no greeting, and waits until it is dropped.
void disturb(const SottoProcess& service, const std::string& address) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int socket = -1;
  for (;;) {
    socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) break;
    ::close(socket);
    ASSERT_TRUE(runs(service.pid())) << "the service has ended";
    ::poll(nullptr, 0, 2);
  }
  const std::string nonsense(5000, '\xff');
  EXPECT_GT(::send(socket, nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 0);
  char answer[256];
  while (::recv(socket, answer, sizeof answer, 0) > 0) continue;
  ::close(socket);
}

Words service(const std::string& address, const std::string& store) {
  return {
      "p2b",   "server", "--store", store, "--codes", "8", "--arms", "2", "--listen", address, "--insecure-plaintext",
      "--json"};
}

// It is still there, and ends well when it is told to.
void expect_serving(SottoProcess& process) {
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(process.json().at("tuples"), 0);
}

TEST(StandardStreams, AServiceGoesOnWhenItsLogIsFull) {
  const TestFolder folder;
  const std::string address = Ports::take();
  SottoProcess process(folder, service(address, "s.db"), {in_shell("exec 2>/dev/full"), {}});
  for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(disturb(process, address));
  expect_serving(process);
}

TEST(StandardStreams, AServiceGoesOnWhenItsLogIsGone) {
  const TestFolder folder;
  const std::string address = Ports::take();
  int log[2];
  ASSERT_EQ(::pipe2(log, O_CLOEXEC), 0);
  ASSERT_EQ(::fcntl(log[1], F_SETFD, 0), 0);  // for the service
  SottoProcess process(folder, service(address, "s.db"), {in_shell("exec 2>&" + std::to_string(log[1])), {}});
  ::close(log[1]);
  char line[256];
  EXPECT_GT(::read(log[0], line, sizeof line), 0) << "that it listens";
  ::close(log[0]);
  for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(disturb(process, address));
  expect_serving(process);
}

// What goes to a stream that is closed may not end up in a file or at a client.
TEST(StandardStreams, NothingTakesThePlaceOfAClosedOne) {
  const TestFolder folder;
  const std::string address = Ports::take();
  SottoProcess process(folder, service(address, "s.db"), {in_shell("exec <&- >&- 2>&-"), {}});
  ASSERT_NO_FATAL_FAILURE(disturb(process, address));
  const fs::path descriptors = fs::path("/proc") / std::to_string(process.pid()) / "fd";
  for (const char* stream : {"0", "1", "2"}) {
    EXPECT_EQ(fs::read_symlink(descriptors / stream), "/dev/null") << stream;
  }
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 6) << "its summary is lost";
}

}  // namespace
}  // namespace sotto::testing
