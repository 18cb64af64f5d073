#include <cstdlib>
#include <fstream>

#include "tests/process/service_over_http.h"
#include "tests/process/traced_process.h"
#include "tests/relay/relay.h"

namespace sotto::testing {
namespace {

const std::string strangers_token = "0123456789abcdef0123456789abcdef";

class StrangersAt {
 public:
  explicit StrangersAt(std::string address) : address_(std::move(address)) {}
  void come(const SottoProcess& role, std::size_t count) {
    const SystemAddress target(address_);
    while (sockets_.size() < count) {
      Descriptor one = target.socket();
      ::fcntl(one.get(), F_SETFL, 0);
      if (::connect(one.get(), target.get(), target.size()) != 0) {
        role.look_again();
        continue;
      }
      say(one.get(), sockets_.size() % 4);
      sockets_.push_back(std::move(one));
    }
  }

 private:
  static void say(int socket, std::size_t kind) {
    const std::string garbage(5000, '\xa5');
    const std::string begin_of_tls("\x16\x03\x01\x02\x00\x01", 6);
    const std::string_view said = kind == 0 ? std::string_view() : kind == 1 ? garbage : begin_of_tls;
    (void)::send(socket, said.data(), said.size(), MSG_NOSIGNAL);
    if (kind == 3) ::shutdown(socket, SHUT_WR);
  }

  std::string address_;
  std::vector<Descriptor> sockets_;
};

TEST(Serve, Strangers) {
  const TestFolder folder;
  const fs::path token = folder.write("token", strangers_token + "\n");
  ::chmod(token.c_str(), 0600);
  const std::string http = Ports::take();
  ServiceOverHttp service(folder, [&](apps::live::LiveConfig& config) {
    config.live.reward_wait = 600'000;
    if (config.role_key() != "rewarder") return;
    config.http_listen = http;
    config.http_token_file = token;
  });
  std::vector<std::unique_ptr<StrangersAt>> strangers;
  const auto come_to = [&](const std::string& role, const std::string& address) {
    strangers.push_back(std::make_unique<StrangersAt>(address));
    strangers.back()->come(service.process(role), 40);
  };
  for (const auto& [role, address] : service.addresses()) come_to(role, address);
  come_to("rewarder", http);
  EXPECT_EQ(json::parse(service.decide(one_event).body)["status"], "decided");
  for (const std::string role : {"party_0", "dealer", "party_1"}) {
    service.kill(role);
    service.start(role);
    come_to(role, service.addresses().at(role));
    EXPECT_EQ(json::parse(
                  service.decide("0000000000000000000000000000000" + std::to_string(strangers.size())).body)["status"],
              "decided");
  }
  // The rewarder stores the reward, because a decide with the reward's event may still come.
  const std::string path = "/v1/events/" + std::string(32, 'f') + "/reward";
  const std::string body = R"({"value":1})";
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body).status, 401U);
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body, std::string(32, 'x')).status, 401U);
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body, strangers_token).status, 204U);
}

TEST(Serve, ConfigsThatDiffer) {
  const TestFolder folder;
  ServiceOverHttp service(folder);
  const HttpResult told = service.decide(one_event);
  ASSERT_EQ(told.status, 200U);
  const auto expect_refused = [&](const std::string& role, const ServiceOverHttp::Own& differs,
                                  const ServiceOverHttp::Own& fits, const std::string& line) {
    service.end(role);
    service.change(role, differs);
    service.start(role);
    for (const std::string other : {"actor", "party_0", "party_1", "rewarder", "dealer"}) {
      json status{{"state", ""}, {"why", ""}};
      while (status["state"] != "refused" || !has(status["why"].get<std::string>(), line)) {
        service.process(other).look_again();
        status = json::parse(service.call(other, "GET", "/v1/status").body);
      }
    }
    const HttpResult ready = service.try_once(role, "GET", "/readyz");
    EXPECT_EQ(ready.status, 503U);
    EXPECT_THAT(ready.body, HasSubstr(line));
    EXPECT_EQ(service.decide(one_event).body, told.body);
    service.end(role);
    service.change(role, fits);
    service.start(role);
  };
  expect_refused(
      "rewarder", [](apps::live::LiveConfig& config) { config.live.reward_wait = 2000; },
      [](apps::live::LiveConfig& config) { config.live.reward_wait = 1000; }, "reward_wait");
  expect_refused(
      "party_1", [](apps::live::LiveConfig& config) { config.live.schema = 2; },
      [](apps::live::LiveConfig& config) { config.live.schema = 1; }, "schema");
  for (const std::string role : {"actor", "party_0", "party_1", "rewarder", "dealer"}) {
    service.end(role);
    service.start(role);
  }
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000001").body)["status"], "decided");
}

TEST(Serve, AStoreOfOtherColumns) {
  const TestFolder folder;
  ServiceOverHttp service(folder);
  ASSERT_EQ(service.decide(one_event).status, 200U);
  service.end("party_0");
  const fs::path columns = folder.write("other.csv", "name,low,high,default\nother,-0.5,0.5,0.25\n");
  const fs::path before = folder.path() / "columns.csv";
  service.change("party_0", [&](apps::live::LiveConfig& config) { config.columns = columns; });
  service.start("party_0");
  expect_end(service.take("party_0"), 2, " at the beginning of the service; that is a new service");
  service.change("party_0", [&](apps::live::LiveConfig& config) { config.columns = before; });
  service.start("party_0");
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000001").body)["status"], "decided");
}

TEST(Serve, KilledWhileItBegins) {
  const TestFolder folder;
  ServiceOverHttp service(folder);
  ASSERT_EQ(service.decide("00000000000000000000000000000001").status, 200U);
  service.end("dealer");
  const fs::path state = folder.path() / "dealer-state";
  fs::remove_all(state);
  const Words words{"serve", "--config", (folder.path() / "dealer.toml").string()};
  std::size_t kills = 0;
  for (Traced traced = Traced::killed; traced != Traced::came_to_its_children; ++kills) {
    traced = run_until_change(folder, words, kills);
    if (traced == Traced::cannot_be_traced) GTEST_SKIP() << "this system does not let a process be traced";
    ASSERT_NE(traced, Traced::ended) << "it refuses what it finds";
  }
  EXPECT_GT(kills, 3u);
  service.start("dealer");
  EXPECT_EQ(json::parse(service.decide(one_event).body)["status"], "decided");
}

// The role's store has a small file system, which no other process sees and which disappears when the role ends.
Surroundings with_small_disk(const apps::live::LiveConfig& config) {
  return {{"unshare", "--mount", "sh", "-c",
           "mkdir -p '" + config.state.string() + "' && mount -t tmpfs -o size=4m,mode=0700 sotto-test '" +
               config.state.string() + R"(' && exec "$0" "$@")"},
          {}};
}

bool can_mount(const TestFolder& folder) {
  const std::string place = folder.path().string();
  return std::system(("unshare --mount mount -t tmpfs sotto-test '" + place + "' 2>/dev/null").c_str()) == 0;
}

class Filler {
 public:
  Filler(const SottoProcess& role, const fs::path& state)
      : file_(fs::path("/proc") / std::to_string(role.pid()) / "root" / state.relative_path() / "filler") {
    std::ofstream out(file_, std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) continue;
    EXPECT_EQ(fs::space(file_).available, 0U);
    EXPECT_GT(fs::file_size(file_), 0U);
  }
  ~Filler() { fs::remove(file_); }
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;

 private:
  fs::path file_;
};

TEST(Serve, AFullFileSystem) {
  const TestFolder folder;
  if (!can_mount(folder)) GTEST_SKIP() << "needs root, and a system that lets it mount a file system";
  std::map<std::string, fs::path> states;
  ServiceOverHttp service(
      folder,
      [&](apps::live::LiveConfig& config) {
        config.live.reward_wait = 600'000;
        states[config.role_key()] = config.state;
      },
      with_small_disk);
  const HttpResult told = service.decide(one_event);
  ASSERT_EQ(json::parse(told.body)["status"], "decided");
  const std::string reward = "/v1/events/" + one_event + "/reward";
  const std::string features = "/v1/events/" + std::string(32, 'e') + "/features";
  const std::string row = R"({"schema":1,"x":[0.5]})";
  const std::string event_1(32, '1');
  const std::string next = R"({"event":")" + event_1 + R"(","deadline_ms":1})";
  const auto expect_full = [&](const HttpResult& result) {
    EXPECT_EQ(result.status, 503U) << result.body;
    EXPECT_THAT(result.body, HasSubstr("urn:sotto:disk-full"));
  };
  const auto fill = [&](const std::string& role) {
    return std::make_unique<Filler>(service.process(role), states.at(role));
  };
  {
    const auto actors = fill("actor");
    // No answer is sent that is not on the disk, so the caller gets neither the arm nor the baseline.
    expect_full(service.try_once("actor", "POST", "/v1/decisions", next));
    const auto rewarders = fill("rewarder");
    expect_full(service.try_once("rewarder", "POST", reward, R"({"value":1})"));
    const auto partys = fill("party_1");
    expect_full(service.try_once("party_1", "PUT", features, row));
    for (const std::string role : {"actor", "rewarder", "party_1"}) {
      EXPECT_EQ(service.try_once(role, "GET", "/readyz").status, 503U) << role;
      EXPECT_EQ(service.try_once(role, "GET", "/healthz").status, 200U)
          << role << " lives: room mends it, not a restart";
    }
  }
  EXPECT_EQ(service.call("party_1", "PUT", features, row).status, 204U);
  EXPECT_EQ(service.call("rewarder", "POST", reward, R"({"value":1})").status, 204U);
  EXPECT_EQ(json::parse(service.call("actor", "POST", "/v1/decisions", next).body)["event"], event_1);
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000002").body)["status"], "decided");
  EXPECT_EQ(service.decide(one_event).body, told.body);
  EXPECT_EQ(json::parse(service.call("rewarder", "GET", "/v1/events/" + one_event).body)["reward"], 1.0);
  EXPECT_EQ(json::parse(service.call("party_1", "GET", "/v1/events/" + std::string(32, 'e')).body)["state"], "waiting");
}

}  // namespace
}  // namespace sotto::testing
