// Keys as users make, show and trust them, and what a run says about its links.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "sotto/net/transport/tls/identity.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using nlohmann::json;

struct Said {
  int code = 0;
  std::string out;
  std::string error;
};

Said sotto(const TestFolder& folder, const std::vector<std::string>& arguments) {
  SottoProcess process(folder, arguments);
  const int code = process.wait();
  return {code, process.out(), process.error()};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Keys, AreMadeShownAndTrusted) {
  const TestFolder folder;
  const Said made = sotto(folder, {"keys", "new", "--name", "dealer", "--json"});
  ASSERT_EQ(made.code, 0) << made.error;
  const json key = json::parse(made.out);
  EXPECT_EQ(key.at("file"), "dealer.pem");
  EXPECT_EQ(key.at("certificate_file"), "dealer.crt");
  struct stat status {};
  ASSERT_EQ(::stat((folder.path() / "dealer.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_FALSE(contains(contents(folder.path() / "dealer.crt"), "PRIVATE"));

  const Said again = sotto(folder, {"keys", "new", "--name", "dealer"});
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(contains(again.error, "dealer.pem")) << again.error;

  const Said shown = sotto(folder, {"keys", "show", "dealer.pem", "dealer.crt", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.error;
  const json both = json::parse(shown.out);
  for (const json& one : both) {
    EXPECT_EQ(one.at("fingerprint"), key.at("fingerprint"));
    EXPECT_EQ(one.at("name"), "dealer");
    EXPECT_EQ(one.at("valid"), true);
  }
  EXPECT_EQ(both.at(0).at("private_key"), true);
  EXPECT_EQ(both.at(1).at("private_key"), false);
  ::chmod((folder.path() / "dealer.pem").c_str(), 0644);
  const Said open = sotto(folder, {"keys", "show", "dealer.pem"});
  EXPECT_EQ(open.code, 2);
  EXPECT_TRUE(contains(open.error, "chmod 600 dealer.pem")) << open.error;

  const fs::path config = folder.write("party_0.toml", "# ours\n[run]\nparties = 2\n");
  const Said trusted = sotto(folder, {"keys", "trust", "--config", config.string(), "dealer", "dealer.crt"});
  ASSERT_EQ(trusted.code, 0) << trusted.error;
  const std::string fingerprint = key.at("fingerprint");
  EXPECT_TRUE(contains(trusted.out, fingerprint));
  EXPECT_EQ(contents(config), "# ours\n[run]\nparties = 2\n\n[trust]\ndealer = \"" + fingerprint + "\"\n");
  const std::string other = "sha256:" + std::string(64, 'b');
  const Said changed = sotto(folder, {"keys", "trust", "--config", config.string(), "dealer", other});
  EXPECT_TRUE(contains(changed.out, fingerprint) && contains(changed.out, other)) << changed.out;
}

TEST(Keys, NonsenseIsRefused) {
  const TestFolder folder;
  const std::string config = folder.write("party_0.toml", "[run]\nparties = 2\n").string();
  const std::string good = "sha256:" + std::string(64, 'b');
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"party_2", good},
                                                {"carol", good},
                                                {"dealer", "sha256:12"},
                                                {"dealer", "party_0.toml"},
                                                {"dealer", "none.crt"}}) {
    const Said said = sotto(folder, {"keys", "trust", "--config", config, wrong[0], wrong[1]});
    EXPECT_EQ(said.code, 2) << wrong[0] << " " << wrong[1];
  }
  EXPECT_EQ(contents(config), "[run]\nparties = 2\n");
  EXPECT_EQ(sotto(folder, {"keys", "new", "--out", "no/such/folder/a.pem"}).code, 6);
  EXPECT_EQ(sotto(folder, {"keys", "new", "--days", "0"}).code, 2);
  EXPECT_EQ(sotto(folder, {"keys", "show", "party_0.toml"}).code, 2);
}

TEST(Keys, ARoleSaysWhichKeyItLacks) {
  const TestFolder folder;
  const auto end_of_dealer = [&](const RunPlan& plans) {
    const auto process = start(folder, "dealer", plans.at("dealer"));
    return end_of(*process);
  };
  RunPlan plans = plan_run(folder);
  plans.at("dealer").config.key = folder.path() / "none.pem";
  Ended end = end_of_dealer(plans);
  EXPECT_EQ(end.code, 2) << end.error;
  EXPECT_TRUE(contains(end.error, "none.pem")) << end.error;

  plans.at("dealer").config.key = apps::key_file(folder.path(), "party_0");
  end = end_of_dealer(plans);
  EXPECT_EQ(end.code, 2) << end.error;
  EXPECT_TRUE(contains(end.error, plans.at("dealer").config.trust.at("dealer"))) << end.error;

  ::chmod(apps::key_file(folder.path(), "party_0").c_str(), 0640);
  end = end_of_dealer(plans);
  EXPECT_EQ(end.code, 2) << end.error;
  EXPECT_TRUE(contains(end.error, "chmod 600")) << end.error;
}

// Party 1 has made a new key, and the others still trust the one before.
TEST(Keys, ACertificateThatNobodyTrustsEndsTheRun) {
  const TestFolder folder;
  RunPlan plans = plan_run(folder);
  const net::Identity renewed = net::Identity::create("party_1");
  const fs::path file = folder.path() / "renewed.pem";
  renewed.write(file);
  plans.at("party_1").config.key = file;
  plans.at("party_1").config.trust.at("party_1") = renewed.fingerprint();
  // Party 1 calls the dealer and party 0, and is refused; for those two it is a stranger. The actor, which calls party
  // 1, refuses it and tells the others.
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 7) << key << ": " << end.error;
    EXPECT_TRUE(contains(end.error, renewed.fingerprint())) << key << ": " << end.error;
  }
}

TEST(Keys, LinksWithoutTlsAreStamped) {
  const TestFolder folder;
  for (const bool plaintext : {false, true}) {
    const RunPlan plans = plan_run(folder, {2, 40, false, plaintext});
    for (const auto& [key, end] : run(folder, plans)) {
      EXPECT_EQ(end.code, 0) << key << end.error;
      EXPECT_EQ(contains(end.output, "INSECURE: insecure-plaintext"), plaintext) << key;
      const auto report = json::parse(contents(plans.at(key).config.report));
      const json expected = plaintext ? json{"insecure-plaintext"} : json::array();
      EXPECT_EQ(report.at("insecure"), expected) << key;
    }
  }
}

TEST(Keys, ALocalRunEncryptsUnlessItIsAskedNotTo) {
  const TestFolder folder;
  (void)folder.write("a.csv", "x\n0.5\n0.25\n-0.5\n");
  (void)folder.write("b.csv", "x\n0.5\n0.25\n0.125\n");
  (void)folder.write("labels.csv", "label\n0\n1\n1\n");
  for (const bool plaintext : {false, true}) {
    std::vector<std::string> arguments{"bandit",        "--party",    "a.csv", "--party", "b.csv",
                                       "--environment", "labels.csv", "--out", "run"};
    if (plaintext) arguments.emplace_back("--insecure-plaintext");
    const Said said = sotto(folder, arguments);
    ASSERT_EQ(said.code, 0) << said.error;
    EXPECT_EQ(contains(said.out, "INSECURE: insecure-plaintext"), plaintext);
    const json result = json::parse(contents(folder.path() / "run" / "run.json"));
    EXPECT_EQ(result.at("insecure"), plaintext ? json{"insecure-plaintext"} : json::array());
    EXPECT_EQ(contains(contents(folder.path() / "run" / "report.html"), "Insecure run: insecure-plain"), plaintext);
    EXPECT_TRUE(folder.nothing_left());  // no key stays behind
    fs::remove_all(folder.path() / "run");
  }
}

}  // namespace
}  // namespace sotto::testing
