// Keys as users make, show and trust them, and what a run says about its links.
#include <sys/stat.h>

#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using Keys = InFolder;

TEST_F(Keys, AreMadeShownAndTrusted) {
  const json key = result_of(folder, words_of("keys new --name dealer --json"));
  EXPECT_EQ(key.at("file"), "dealer.pem");
  EXPECT_EQ(key.at("certificate_file"), "dealer.crt");
  struct stat status {};
  ASSERT_EQ(::stat((folder.path() / "dealer.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_FALSE(has(contents(folder.path() / "dealer.crt"), "PRIVATE"));
  expect_refused(folder, words_of("keys new --name dealer"), "dealer.pem");
  const json both = result_of(folder, words_of("keys show dealer.pem dealer.crt --json"));
  for (const json& one : both) {
    expect_fields(one, {{"fingerprint", key.at("fingerprint")}, {"name", "dealer"}, {"valid", true}});
  }
  EXPECT_EQ(both.at(0).at("private_key"), true);
  EXPECT_EQ(both.at(1).at("private_key"), false);
  ::chmod((folder.path() / "dealer.pem").c_str(), 0644);
  expect_refused(folder, words_of("keys show dealer.pem"), "chmod 600 dealer.pem");

  const fs::path config = folder.write("party_0.toml", "# ours\n[run]\nparties = 2\n");
  const std::string fingerprint = key.at("fingerprint");
  EXPECT_THAT(succeed(folder, words_of("keys trust --config party_0.toml dealer dealer.crt")), HasSubstr(fingerprint));
  EXPECT_EQ(contents(config), "# ours\n[run]\nparties = 2\n\n[trust]\ndealer = \"" + fingerprint + "\"\n");
  const std::string other = "sha256:" + std::string(64, 'b');
  EXPECT_THAT(succeed(folder, words_of("keys trust --config party_0.toml dealer " + other)),
              ::testing::AllOf(HasSubstr(fingerprint), HasSubstr(other)));
}

TEST_F(Keys, NonsenseIsRefused) {
  const fs::path config = folder.write("party_0.toml", "[run]\nparties = 2\n");
  const std::string good = "sha256:" + std::string(64, 'b');
  for (const std::string& wrong : {"party_2 " + good, "carol " + good, std::string("dealer sha256:12"),
                                   std::string("dealer party_0.toml"), std::string("dealer none.crt")}) {
    expect_refused(folder, words_of("keys trust --config party_0.toml " + wrong), "");
  }
  EXPECT_EQ(contents(config), "[run]\nparties = 2\n");
  expect_refused(folder, words_of("keys new --out no/such/folder/a.pem"), "", 6);
  expect_refused(folder, words_of("keys new --days 0"), "");
  expect_refused(folder, words_of("keys show party_0.toml"), "");
}

TEST_F(Keys, ARoleSaysWhichKeyItLacks) {
  RolePlan dealer = plan_run(folder).at("dealer");
  dealer.config.key = folder.path() / "none.pem";
  expect_role_refused(folder, "dealer", dealer, "none.pem");
  dealer.config.key = apps::key_file(folder.path(), "party_0");
  expect_role_refused(folder, "dealer", dealer, dealer.config.trust.at("dealer"));
  ::chmod(dealer.config.key.c_str(), 0640);
  expect_role_refused(folder, "dealer", dealer, "chmod 600");
}

TEST_F(Keys, LinksWithoutTlsAreStamped) {
  for (const bool plaintext : {false, true}) {
    const RunPlan plans = plan_run(folder, {2, 40, false, plaintext});
    for (const auto& [key, end] : run(folder, plans)) {
      EXPECT_EQ(end.code, 0) << key << end.error;
      EXPECT_EQ(has(end.output, "INSECURE: insecure-plaintext"), plaintext) << key;
      const auto report = json::parse(contents(plans.at(key).config.report));
      const json expected = plaintext ? json{"insecure-plaintext"} : json::array();
      EXPECT_EQ(report.at("insecure"), expected) << key;
    }
  }
}

TEST_F(Keys, ALocalRunEncryptsUnlessItIsAskedNotTo) {
  write_small_run(folder);
  for (const bool plaintext : {false, true}) {
    Words words = small_run({"--out", "run"});
    if (plaintext) words.emplace_back("--insecure-plaintext");
    EXPECT_EQ(has(succeed(folder, words), "INSECURE: insecure-plaintext"), plaintext);
    const json result = json::parse(contents(folder.path() / "run" / "run.json"));
    EXPECT_EQ(result.at("insecure"), plaintext ? json{"insecure-plaintext"} : json::array());
    EXPECT_EQ(has(contents(folder.path() / "run" / "report.html"), "Insecure run: insecure-plain"), plaintext);
    fs::remove_all(folder.path() / "run");
  }
}

}  // namespace
}  // namespace sotto::testing
