// Configs of the roles of O3M: what is read, and what is refused with which words.

#include "sotto/apps/commands.h"
#include "sotto/apps/kit/deploy/role_mesh.h"
#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/apps/o3m/settings.h"
#include "sotto/net/mesh/peers.h"
#include "tests/apps/roles/configs.h"

namespace sotto::apps {
namespace {

std::string changed_active(const std::string& from, const std::string& to) { return replaced(active_config, from, to); }

O3mSettings read_active(const std::string& text, const std::vector<std::string>& assignments = {}) {
  ConfigDocument document = parse_document(all_keys(), text, "/conf/active.toml");
  ConfigOverlay overlay;
  for (const std::string& given : assignments) overlay.flags.push_back(setting_of_assignment(all_keys(), given));
  lay_over(document, overlay);
  return static_cast<const O3mSettings&>(*config_of(document).config);
}

std::string active_refusal(const std::string& text, const std::vector<std::string>& assignments = {}) {
  return error_of([&] { (void)read_active(text, assignments); });
}

void expect_refusal(const std::string& text, const std::string& words,
                    const std::vector<std::string>& assignments = {}) {
  EXPECT_THAT(active_refusal(text, assignments), HasSubstr(words));
}

TEST(O3mConfig, HasDefaultsOfThePaper) {
  const O3mSettings config = read_active(active_config);
  EXPECT_EQ(config.participants, 3u);
  EXPECT_EQ(config.algorithm, LinearAlgorithm::ts);
  EXPECT_EQ(config.beta, 0.5);
  EXPECT_EQ(config.v, 0.01);
  EXPECT_EQ(config.lambda, 1.0);
  EXPECT_EQ(config.mask_generator, NodeId{2});
  EXPECT_FALSE(config.insecure_blocks);
  EXPECT_EQ(config.role(), O3mRole::active);
  EXPECT_EQ(config.name(), "active participant");
  EXPECT_EQ(config.contexts, "/conf/a.csv");
  EXPECT_EQ(config.environment, "/conf/rewards.csv");
  EXPECT_EQ(config.topology(), o3m_topology(3, false));
  EXPECT_EQ(
      read_active(changed_active("mask_generator = 2", "insecure_blocks = true"), {"peers.passive_2=127.0.0.1:7102"})
          .topology(),
      o3m_topology(3, true));
}

TEST(O3mConfig, TheGeneratorIsAPassiveParticipantOrAThirdParty) {
  EXPECT_EQ(read_active(active_config, {"run.mask_generator=1"}).mask_generator, NodeId{1});
  const std::string third =
      changed_active("mask_generator = 2", "mask_generator = \"third party\"") + "passive_2 = \"127.0.0.1:7102\"\n";
  EXPECT_EQ(read_active(third).mask_generator, std::nullopt);
  EXPECT_THAT(agreed_text(read_active(third)), HasSubstr("mask_generator = \"third party\"\n"));
  expect_refusal(
      changed_active("mask_generator = 2", "mask_generator = 0"),
      "active.toml:8:18: mask_generator in [run]: the active participant, number 0, must not make the masks");
  for (const char* wrong : {"3", "-1", "\"\"", "\"2nd\"", "\"active\"", "1.0", "true", "[1]", "9"}) {
    expect_refusal(changed_active("mask_generator = 2", std::string("mask_generator = ") + wrong),
                   "mask_generator in [run] must be \"third party\" or the number of a passive");
  }
  expect_refusal(changed_active("name = \"active\"", "name = \"mask_generator\""),
                 "passive participant 2 generates the mask in this run");
}

TEST(O3mConfig, NothingStartsThatIsNotAcknowledged) {
  for (const char* without : {"", "acknowledge_leakage = false\n"}) {
    const std::string text = changed_active("acknowledge_leakage = true\n", without);
    expect_refusal(text, "acknowledge_leakage in [run]: O3M hides features from nobody");
    expect_refusal(text, "docs/o3m.md");
    expect_refusal(text, "--acknowledge-leakage");
    EXPECT_EQ(active_refusal(text, {"run.acknowledge_leakage=true"}), "");
  }
  expect_refusal(changed_active("acknowledge_leakage = true", "acknowledge_leakage = \"yes\""),
                 "acknowledge_leakage in [run] must be true or false");
}

TEST(O3mConfig, KeysOfTheOtherProtocolAreRefused) {
  expect_refusal(changed_active("arms = 3", "arms = 3\nepsilon = 0.1"),
                 "active.toml:7:11: epsilon in [run] is of runs of the private bandit, and this is one of O3M");
  expect_refusal(changed_active("contexts =", "data = \"b.csv\"\ncontexts ="), "data in [role] is of");
  expect_refusal(
      changed_active("active = \"127.0.0.1:7100\"", "active = \"127.0.0.1:7100\"\nparty_0 = \"127.0.0.1:7103\""),
      "party_0 in [peers] is of");
  expect_refusal(changed_active("protocol = \"o3m\"\n", ""), "participants in [run] is of runs of O3M");
  expect_refusal(changed_active("\"o3m\"", "\"O3M\""), "protocol in [run] must be \"bandit\" or \"o3m\"");
  expect_refusal(changed_active("name = \"active\"", "name = \"party\""), "name in [role] must be");
}

TEST(O3mConfig, EveryNumberHasARange) {
  for (const char* wrong : {"beta = -0.1", "v = -1", "lambda = 0", "lambda = -1.0", "beta = nan", "lambda = inf",
                            "beta = 1.1e6", "v = 1.1e6", "lambda = 1e-10", "lambda = 1.1e6"}) {
    const std::string key(wrong, std::string_view(wrong).find(' '));
    expect_refusal(changed_active("arms = 3", std::string("arms = 3\n") + wrong), key + " in [run] must be a number");
  }
  for (const char* wrong : {"participants = 1", "participants = 9", "participants = \"3\""}) {
    expect_refusal(changed_active("participants = 3", wrong), "participants in [run] must be 2 to 8");
  }
  expect_refusal(changed_active("algorithm = \"ts\"\n", ""), "[run] lacks algorithm");
  expect_refusal(changed_active("\"ts\"", "\"greedy\""), "algorithm in [run] must be \"ucb\" or \"ts\"");
  EXPECT_EQ(active_refusal(changed_active("arms = 3", "arms = 3\nbeta = 0\nv = 0\nlambda = 1e-9")), "");
}

TEST(O3mConfig, ARoleNamesItsOwnFilesAlone) {
  const std::string passive = changed_active("name = \"active\"", "name = \"passive\"\nid = 1");
  expect_refusal(passive, "environment in [role]: passive participant 1 has none");
  EXPECT_EQ(active_refusal(passive, {"role.environment="}), "");
  expect_refusal(changed_active("contexts = \"a.csv\"\n", ""), "[role] lacks contexts");
  expect_refusal(changed_active("environment = \"rewards.csv\"\n", ""), "[role] lacks environment");
  for (const char* id : {"0", "3"}) {
    expect_refusal(passive, "id in [role] must be", {"role.environment=", std::string("role.id=") + id});
  }
  expect_refusal(changed_active("[peers]", "combine = \"sum\"\n[peers]"),
                 "combine in [role]: there is nothing to combine the contexts with");
  EXPECT_EQ(read_active(active_config, {"role.arms_file=/arms.csv", "role.combine=sum"}).combine, Combine::outer_sum);
  expect_refusal(active_config, "--set role.combine", {"role.arms_file=/arms.csv", "role.combine=product"});
  expect_refusal(active_config, "is an input of the role", {"role.report=/conf/a.csv"});
}

TEST(O3mConfig, WhomNobodyConnectsToIsNotAmongThePeers) {
  expect_refusal(active_config + "passive_2 = \"127.0.0.1:7102\"\n",
                 "passive_2 in [peers]: nobody connects to it: of this run only active, passive_1 listen");
  expect_refusal(active_config + "mask_generator = \"127.0.0.1:7102\"\n",
                 "the mask generator only connects; leave mask_generator out of [peers]");
  const std::string last = changed_active("name = \"active\"", "name = \"passive\"\nid = 2");
  expect_refusal(last, "passive participant 2 only connects and needs no port",
                 {"role.environment=", "role.listen=0.0.0.0:1"});
}

TEST(O3mConfig, RolesHaveTheNumbersOfTheTopology) {
  O3mSettings run;
  run.participants = 3;
  std::string listening;
  for (const RunRole& role : run.roles()) {
    O3mSettings config = run;
    config.role_word = role.word;
    config.id = role.id;
    EXPECT_EQ(role_id(config), role.node);
    EXPECT_EQ(config.name(), run.topology().name(role.node));
    EXPECT_EQ(net::listens(run.topology(), role.node), role.listens);
    if (role.listens) listening += role.key + " ";
  }
  EXPECT_EQ(listening, "active passive_1 passive_2 ");
  EXPECT_EQ(run.roles().size(), 4u);
  EXPECT_EQ(run.roles().back().key, "mask_generator");
  run.mask_generator = NodeId{1};
  EXPECT_EQ(role_names(run), (std::vector<std::string>{"active", "passive_1", "passive_2"}));
  EXPECT_EQ(listening_roles(run), (std::vector<std::string>{"active", "passive_1"}));
}

TEST(O3mConfig, InsecureBlocksAreNamedInResults) {
  O3mSettings run = read_active(active_config);
  EXPECT_EQ(insecure_options(run), (std::vector<std::string>{"insecure-plaintext"}));
  run.insecure_blocks = true;
  EXPECT_EQ(insecure_options(run), (std::vector<std::string>{"insecure-plaintext", "insecure-blocks"}));
}

}  // namespace
}  // namespace sotto::apps
