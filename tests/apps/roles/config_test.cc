#include "apps/roles/config.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

const std::string whole = R"([run]
session = "0123456789abcdef0123456789abcdef"
parties = 2
steps = 10
arms = 3

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
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "sotto_config_test.toml";
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
    (void)read_role_config(written(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RoleConfig, SurvivesToToml) {
  const RoleConfig config = read_role_config(written(whole));
  EXPECT_EQ(config.name(), "party 1");
  EXPECT_EQ(config.run.epsilon, 0.1);
  RoleConfig other = config;
  other.run.epsilon = 0.25;
  other.run.max_norm = 2;
  other.run.insecure_seed = 7;
  other.run.separate_rewarder = true;
  other.data = "/data/a \"strange\" name\\.csv";
  const RoleConfig back = read_role_config(written(to_toml(other)));
  EXPECT_EQ(to_toml(back), to_toml(other));
  EXPECT_EQ(back.data, other.data);
  EXPECT_EQ(back.run.canonical_text(), other.run.canonical_text());
  EXPECT_NE(back.run.canonical_text(), config.run.canonical_text());
}

TEST(RoleConfig, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string text;
    std::string says;
  };
  const std::vector<Case> cases = {
      {replaced("steps = 10", "steps = \"ten\""), ".toml:4:"},
      {replaced("steps = 10", "stepps = 10"), "steps"},
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
      {whole + "\n[more]\n", "more"},
      {"", "[run]"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(refusal(c.text).find(c.says), std::string::npos) << c.says << ": " << refusal(c.text);
  }
}

TEST(RoleConfig, LinksAreReadFromATableOfTheirOwn) {
  const RoleConfig plain = read_role_config(written(whole));
  EXPECT_FALSE(plain.run.link.emulated());
  EXPECT_EQ(to_toml(plain).find("[link]"), std::string::npos);
  const RoleConfig config = read_role_config(written(
      whole +
      "\n[link]\ndelay = \"20ms\"\njitter = \"500us\"\nrate = \"100mbit\"\nloss = \"0.5/s\"\n"));
  EXPECT_EQ(config.run.link.delay, std::chrono::milliseconds(20));
  EXPECT_EQ(config.run.link.jitter, std::chrono::microseconds(500));
  EXPECT_EQ(config.run.link.bits_per_second, 100'000'000u);
  EXPECT_EQ(config.run.link.cut_probability, 0.5);
  EXPECT_EQ(read_role_config(written(to_toml(config))).run.link, config.run.link);
  // Roles must agree on it.
  EXPECT_EQ(config.run.canonical_text(), plain.run.canonical_text() +
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
