#include "apps/kit/settings/command_config.h"

#include "apps/kit/program/main.h"
#include "tests/apps/support.h"

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
    command.runs(std::make_shared<CommandRole>(CommandRole{"server", &unused}));
  }
  void run(const std::vector<std::string>& flags, const std::string& toml,
           const std::map<std::string, std::string>& variables = {}) {
    command.before([&] {
      CommandSettings settings(command, {"server"});
      const ConfigOverlay overlay{settings_of_variables(settings.keys(), variables), {}};
      const ConfigDocument read = fill_from(settings, toml, toml.empty() ? "" : "/conf/server.toml", overlay);
      printed = annotated_toml(settings, origins_of(read));
      return true;
    });
    command.callback([] {});
    parse_and_run(command, {}, flags);
  }

  Command command{"server", ""};
  KeyArguments unused;
  std::string printed;
  std::uint64_t clients = 0;
  double eps = 1;
  std::vector<std::string> trust;
  fs::path key;
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

TEST(CommandConfig, WhatIsPrintedReadsBackTheSame) {
  Role role;
  role.run({"--clients", "5"}, "[server]\ntrust = [\"a\", \"b\"]\nkey = \"k.pem\"\ninsecure_plaintext = true\n",
           {{"SOTTO_SERVER_NOISE", "laplace"}});
  for (const char* line :
       {"\nclients = 5  # --clients\n", "\neps = 1.0  # default\n", "\ntrust = [\"a\", \"b\"]  # server.toml:2\n",
        "\nkey = \"/conf/k.pem\"  # server.toml:3\n", "\nnoise = \"laplace\"  # SOTTO_SERVER_NOISE\n",
        "\ninsecure_plaintext = true  # server.toml:4; INSECURE: Plain text\n"}) {
    EXPECT_NE(role.printed.find(line), std::string::npos) << line << role.printed;
  }
  Role again;
  again.run({}, role.printed);
  EXPECT_EQ(again.clients, 5u);
  EXPECT_EQ(again.trust, role.trust);
  EXPECT_EQ(again.key, role.key);
  EXPECT_EQ(again.noise, "laplace");
  EXPECT_TRUE(again.plaintext);
}

TEST(CommandConfig, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string toml;
    std::map<std::string, std::string> variables;
    std::string says;
  };
  const Case cases[] = {
      {"[server]\nclients = 1\n",
       {},
       "/conf/server.toml:2:11: clients in [server] must be a whole number from 2 to 2^63 - 1, not 1"},
      {"[server]\nclients = true\n", {}, "/conf/server.toml:2:11: clients in [server] must be a whole number"},
      {"[server]\nclient = 2\n", {}, "unknown key 'client' in [server]; did you mean clients?"},
      {"[server]\nterms = \"x\"\n", {}, "unknown key 'terms' in [server]"},
      {"[sever]\nclients = 2\n", {}, "unknown table 'sever'; did you mean server?"},
      {"[server]\nnoise = \"white\"\n", {}, "noise in [server] must be one of gaussian, laplace, not \"white\""},
      {"[server]\ninsecure_plaintext = 1\n", {}, "insecure_plaintext in [server] must be true or false"},
      {"[server\n", {}, "/conf/server.toml:1:"},
      {"", {{"SOTTO_SERVER_CLIENTS", "many"}}, "SOTTO_SERVER_CLIENTS: clients in [server] must be a whole number"},
      {"", {{"SOTTO_SERVER_CLIENT", "2"}}, "did you mean SOTTO_SERVER_CLIENTS?"},
      {"[server]\nclients = [\"2\"]\n", {}, "clients in [server] must be a whole number"},
      {"[server]\nnoise = [\"gaussian\", \"laplace\"]\n", {}, "noise in [server] must be"},
      {"[server]\nkey = 3\n", {}, "key in [server] must be a file name, not 3"},
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
    EXPECT_THAT(said, HasSubstr(c.says));
  }
}

}  // namespace
}  // namespace sotto::apps
