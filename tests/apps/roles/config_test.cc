#include "sotto/apps/bandit/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

const std::string whole = R"([run]
session = "0123456789abcdef0123456789abcdef"
parties = 2
steps = 10
arms = 3
insecure_plaintext = true
[role]
name = "party"
id = 1
data = "b.csv"

[peers]
party_0 = "127.0.0.1:7100"
party_1 = "127.0.0.1:7101"
dealer = "127.0.0.1:7104"
)";

std::filesystem::path written(const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) /
                                     fmt::format("sotto_config_test_{}.toml", ::getpid());  // tests run side by side
  std::ofstream(path) << text;
  return path;
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = whole;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    (void)read_role_config<BanditSettings>(written(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RoleConfig, SurvivesToToml) {
  const BanditSettings config = read_role_config<BanditSettings>(written(whole));
  EXPECT_EQ(config.name(), "party 1");
  EXPECT_EQ(config.epsilon, 0.1);
  BanditSettings other = config;
  other.epsilon = 0.25;
  other.max_norm = 2;
  other.joint_norm_holds = true;
  other.insecure_seed = 7;
  other.separate_rewarder = true;
  other.data = "/data/a \"strange\" name\\.csv";
  const BanditSettings back = read_role_config<BanditSettings>(written(to_toml(other)));
  EXPECT_EQ(to_toml(back), to_toml(other));
  EXPECT_EQ(back.data, other.data);
  EXPECT_EQ(agreed_text(back), agreed_text(other));
  EXPECT_NE(agreed_text(back), agreed_text(config));
}

TEST(RoleConfig, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string text;
    std::string says;
  };
  const std::vector<Case> cases = {
      {replaced("steps = 10", "steps = \"ten\""), ".toml:4:"},
      {replaced("steps = 10", "stepps = 10"), "steps"},
      {replaced("arms = 3", "arms = 3\njoint_norm_holds = true"), "there is no max_norm"},
      {replaced("arms = 3", "arms = 3\nmax_norm = 1\njoint_norm_holds = 1"),
       "joint_norm_holds in [run] must be true or false"},
      {replaced("arms = 3", "arms = 3\ncolour = 1"), ".toml:6:"},
      {replaced("steps = 10", "steps = -1"), ".toml:4:"},
      {replaced("steps = 10", "steps = "), ".toml:4:"},
      {replaced("parties = 2", "parties = 1"), "2 to 8"},
      {replaced("0123456789abcdef0", "xyz"), "session"},
      {replaced("\"party\"", "\"boss\""), "boss"},
      {replaced("id = 1", "id = 2"), "id"},
      {replaced("id = 1\n", ""), "id"},
      {replaced("data = \"b.csv\"\n", ""), "data"},
      {replaced("party_1 = \"127.0.0.1:7101\"\n", ""), "party_1"},
      {replaced("dealer = ", "actor = \"127.0.0.1:1\"\ndealer = "), "actor"},
      {replaced("\"127.0.0.1:7104\"", "7104"), ".toml:15:"},
      {replaced("dealer = ", "boss = \"127.0.0.1:1\"\ndealer = "), "unknown key 'boss' in [peers]"},
      {replaced("dealer = ", "party_2 = \"127.0.0.1:1\"\ndealer = "),
       ".toml:15:11: party_2 in [peers]: nobody connects to it: of this run only party_0, party_1, dealer listen"},
      {replaced("127.0.0.1:7104", "127.0.0.1"), ".toml:15:10: dealer in [peers]: '127.0.0.1' is no"},
      {replaced("127.0.0.1:7104", "b\u00e4r:7104"), ".toml:15:10: dealer in [peers]"},
      {replaced("127.0.0.1:7104", "127.0.0.1:7100"), "is the address of dealer too"},
      {replaced("127.0.0.1:7104", "a\\nb:7104"), ".toml:15:10: dealer in [peers] must be an address"},
      {whole + "\n[more]\n", "unknown table 'more'"},
      {whole + "\n[trsut]\n", "did you mean trust?"},
      {"steps = 3\n" + whole, "unknown key 'steps' outside the tables"},
      {"peers = 3\n", ".toml:1:1: [peers] must be a table"},
      {"[[run]]\n", "[run] must be a table"},
      {replaced("id = 1", "id = 1\nsteps = 3"), "unknown key 'steps' in [role]; it belongs in [run]"},
      {replaced("steps = 10", "stepps = 10"), "did you mean steps?"},
      {replaced("arms = 3", "arms = 0"), ".toml:5:8: arms in [run] must be a whole number of arms"},
      {replaced("arms = 3", "arms = 3\nepsilon = nan"), ".toml:6:11: epsilon in [run]"},
      {replaced("arms = 3", "arms = 3\nbits = 25"), "bits in [run] must be 12 to 24, not 25"},
      {replaced("arms = 3", "arms = 3\ninsecure_seed = -1"), "insecure_seed in [run] must be"},
      {"", "[run]"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(refusal(c.text).find(c.says), std::string::npos) << c.says << ": " << refusal(c.text);
  }
}

TEST(RoleConfig, ValuesOfARoleMustBeSaneAndFitTogether) {
  struct Case {
    std::string lines;  // in [role]
    std::string says;
  };
  const std::vector<Case> cases = {
      {"round_deadline_seconds = 0", ".toml:10:26: round_deadline_seconds in [role] must be"},
      {"round_deadline_seconds = inf", ".toml:10:26: round_deadline_seconds in [role] must be"},
      {"connect_deadline_seconds = 86401", "at most 86400, not 86401"},
      {"listen = \"nowhere\"", ".toml:10:10: listen in [role]: 'nowhere' is no address"},
      {"state = \"s\"\nkey = \"k.pem\"", ".toml:10:9: state in [role]: there is nothing to store"},
      {"delay = \"until 50ms\"", ".toml:10:9: delay in [role]: only the actor and the rewarder"},
      {"report = \"./b.csv\"", "is an input of the role, which the report would overwrite"},
      {"arm_socket = \"/" + std::string(120, 'a') + "\"", "too long for a socket's path, 107 bytes"},
  };
  for (const Case& c : cases) {
    const std::string text = refusal(replaced("id = 1", "id = 1\n" + c.lines));
    EXPECT_NE(text.find(c.says), std::string::npos) << text;
  }
  const std::string stored = replaced("arms = 3", "arms = 3\ncheckpoint_every = 5");
  EXPECT_NE(refusal(stored).find("checkpoints every 5 steps need a folder"), std::string::npos);
}

TEST(RoleConfig, DelaysOfTheActorStayBelowTheRoundDeadline) {
  const auto with = [](const std::string& delay) {
    return refusal(
        replaced("name = \"party\"\nid = 1\ndata = ", "name = \"actor\"\ndelay = \"" + delay + "\"\nenvironment = "));
  };
  EXPECT_EQ(with("until 50ms"), "accepted");
  EXPECT_EQ(with("uniform 0ms 50ms"), "accepted");
  for (const char* wrong : {"often", "until 90s", "until -1ms"}) {
    EXPECT_NE(with(wrong).find(".toml:9:9: delay in [role]: "), std::string::npos) << with(wrong);
  }
}

TEST(RoleConfig, FingerprintsAreWellFormedAndDiffer) {
  const auto with = [](const std::string& lines) { return refusal(whole + "\n[trust]\n" + lines); };
  const std::string one = "sha256:" + std::string(64, '1');
  for (const std::string& wrong : {std::string("sha256:"), std::string(71, '1'), "sha256:" + std::string(63, '1'),
                                   "sha256:" + std::string(64, 'A'), "sha512:" + std::string(64, '1'), one + "1"}) {
    const std::string text = with("dealer = \"" + wrong + "\"\n");
    EXPECT_NE(text.find(".toml:18:10: dealer in [trust] must be a fingerprint, \"sha256:\" and 64"), std::string::npos)
        << text;
  }
  EXPECT_NE(with("dealer = \"" + one + "\"\nactor = \"" + one + "\"\n").find("same certificate"), std::string::npos);
  const std::string encrypted = replaced("insecure_plaintext = true", "insecure_plaintext = false");
  EXPECT_NE(refusal(encrypted).find("sotto keys new --out key.pem --name party_1"), std::string::npos);
  std::string keyed = encrypted;
  keyed.replace(keyed.find("id = 1"), 6, "id = 1\nkey = \"k.pem\"");
  EXPECT_NE(refusal(keyed).find(".toml: party_0 in [trust]: the fingerprint is missing"), std::string::npos)
      << refusal(keyed);
  keyed += "[trust]\n";
  for (const auto& [role, digit] :
       {std::pair{"party_0", '1'}, std::pair{"party_1", '2'}, std::pair{"dealer", '3'}, std::pair{"actor", '4'}}) {
    EXPECT_NE(refusal(keyed).find(std::string(role) + " in [trust]"), std::string::npos);
    keyed += std::string(role) + " = \"sha256:" + std::string(64, digit) + "\"\n";
  }
  EXPECT_EQ(refusal(keyed), "accepted");
  EXPECT_NE(with("rewarder = \"" + one + "\"\n").find("the run has no such role"), std::string::npos);
}

TEST(RoleConfig, LinksAreReadFromATableOfTheirOwn) {
  const BanditSettings plain = read_role_config<BanditSettings>(written(whole));
  EXPECT_FALSE(plain.link.emulated());
  EXPECT_EQ(to_toml(plain).find("[link]"), std::string::npos);
  const BanditSettings config = read_role_config<BanditSettings>(
      written(whole + "\n[link]\ndelay = \"20ms\"\njitter = \"500us\"\nrate = \"100mbit\"\nloss = \"0.5/s\"\n"));
  EXPECT_EQ(config.link.delay, std::chrono::milliseconds(20));
  EXPECT_EQ(config.link.jitter, std::chrono::microseconds(500));
  EXPECT_EQ(config.link.bits_per_second, 100'000'000u);
  EXPECT_EQ(config.link.cut_probability, 0.5);
  EXPECT_EQ(read_role_config<BanditSettings>(written(to_toml(config))).link, config.link);
  // Roles must agree on it.
  EXPECT_EQ(agreed_text(config), agreed_text(plain) +
                                     "link_delay = \"20ms\"\nlink_jitter = \"500us\"\n"
                                     "link_rate = \"100mbit\"\nlink_loss = \"0.5/s\"\n");
  for (const auto& [line, says] :
       {std::pair{"delay = 20", ".toml:18:9: delay in [link] must be a text"},
        std::pair{"delay = \"20\"", ".toml:18:9: delay in [link]: '20' is no time of a link"},
        std::pair{"rate = \"fast\"", "rate in [link]: 'fast' is no rate of a link"},
        std::pair{"loss = \"1/s\"", "loss in [link]: '1/s' is no loss of a link"},
        std::pair{"dealy = \"20ms\"", "unknown key 'dealy' in [link]"}}) {
    const std::string text = refusal(whole + "\n[link]\n" + line + "\n");
    EXPECT_NE(text.find(says), std::string::npos) << text;
  }
}

TEST(RoleConfig, SessionsAreFresh) {
  EXPECT_EQ(fresh_session().size(), 32u);
  EXPECT_NE(fresh_session(), fresh_session());
}

}  // namespace
}  // namespace sotto::apps
