// Options of a command from a config file and from the environment.
#include "sotto/apps/kit/settings/command_config.h"

#include <gtest/gtest.h>

#include "sotto/apps/kit/program/parse.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

struct Role {
  Role() {
    command.add_option("--clients", clients, "Clients")->number(whole(2))->required();
    command.add_option("--eps", eps, "Epsilon")->number(real())->shows_default();
    command.add_option("--trust", trust, "Fingerprints")->each_time();
    command.add_option("--key", key, "Key")->type_name("FILE");
    command.add_flag("--insecure-plaintext", plaintext, "Plain text");
    command.add_option("--noise", noise, "Noise")->one_of({"gaussian", "laplace"});
    command.add_option("--terms", terms, "Of a launcher")->group("");
  }
  // Flags, then the file and the variables.
  void run(const std::vector<std::string>& flags, const std::string& toml,
           const std::map<std::string, std::string>& variables = {}) {
    command.before([&] {
      fill_from(command, "server", toml, "/conf/server.toml", variables);
      return true;
    });
    command.callback([] {});
    parse_and_run(command, {}, flags);
  }

  Command command{"server", ""};
  std::uint64_t clients = 0;
  double eps = 1;
  std::vector<std::string> trust;
  std::filesystem::path key;
  bool plaintext = false;
  std::string noise;
  std::string terms;
};

TEST(CommandConfig, AFlagWinsOverAVariableAVariableOverTheFile) {
  const std::string toml =
      "[server]\nclients = 3\neps = 2\ntrust = [\"a\", \"b\"]\nkey = \"k/../key.pem\"\n"
      "insecure_plaintext = true\n";
  Role role;
  role.run({}, toml);
  EXPECT_EQ(role.clients, 3u);
  EXPECT_EQ(role.eps, 2);
  EXPECT_EQ(role.trust, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(role.key, "/conf/key.pem");
  EXPECT_TRUE(role.plaintext);
  role.run({"--clients", "5"}, toml, {{"SOTTO_SERVER_CLIENTS", "4"}, {"SOTTO_SERVER_EPS", "0.5"}});
  EXPECT_EQ(role.clients, 5u);
  EXPECT_EQ(role.eps, 0.5);
}

TEST(CommandConfig, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string toml;
    std::map<std::string, std::string> variables;
    std::string says;
  };
  const Case cases[] = {
      {"[server]\nclients = 1\n", {}, "/conf/server.toml:2:11: --clients: '1' is not a whole number"},
      {"[server]\nclients = true\n", {}, "/conf/server.toml:2:11: clients must be a single value"},
      {"[server]\nclient = 2\n", {}, "unknown key 'client' in [server]; did you mean clients?"},
      {"[server]\nterms = \"x\"\n", {}, "unknown key 'terms' in [server]"},
      {"[sever]\nclients = 2\n", {}, "unknown 'sever': the config of this role is the table [server]"},
      {"[server]\nnoise = \"white\"\n", {}, "'white' is none of gaussian, laplace"},
      {"[server]\ninsecure_plaintext = 1\n", {}, "insecure_plaintext must be true or false"},
      {"[server\n", {}, "/conf/server.toml:1:"},
      {"", {{"SOTTO_SERVER_CLIENTS", "many"}}, "SOTTO_SERVER_CLIENTS: --clients: 'many' is not"},
      {"", {{"SOTTO_SERVER_CLIENT", "2"}}, "did you mean SOTTO_SERVER_CLIENTS?"},
      {"", {}, "--clients is required"},
  };
  for (const Case& c : cases) {
    std::string said = "accepted";
    try {
      Role().run({}, c.toml, c.variables);
    } catch (const InputError& error) {
      said = error.what();
    } catch (const UsageError& error) {
      said = error.what();
    }
    EXPECT_NE(said.find(c.says), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace sotto::apps
