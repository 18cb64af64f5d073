#include "apps/bandit/run/settings/settings.h"
#include "apps/commands.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/o3m/settings.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/programs/configs.h"
#include "tests/apps/support.h"

namespace sotto::apps {

using namespace sotto::apps::bandit::run;
using namespace sotto::apps::o3m;
namespace {

BanditSettings read_party(const std::string& text) {
  const TestFolder folder;
  return read_role_config<BanditSettings>(folder.put("role.toml", text));
}

std::string party_refusal(const std::string& text) {
  return error_of<InputError>([&] { (void)read_party(text); });
}

std::string changed_party(const std::string& from, const std::string& to) { return replaced(party_config, from, to); }

TEST(RoleConfig, WhatIsWrongIsNamedWithItsPlace) {
  const std::pair<std::string, const char*> cases[] = {
      {changed_party("steps = 10", "steps = \"ten\""), ".toml:4:"},
      {changed_party("steps = 10", "stepps = 10"), "steps"},
      {changed_party("arms = 3", "arms = 3\njoint_norm_holds = true"), "there is no max_norm"},
      {changed_party("arms = 3", "arms = 3\nmax_norm = 1\njoint_norm_holds = 1"),
       "joint_norm_holds in [run] must be true or false"},
      {changed_party("arms = 3", "arms = 3\ncolour = 1"), ".toml:6:"},
      {changed_party("steps = 10", "steps = -1"), ".toml:4:"},
      {changed_party("steps = 10", "steps = "), ".toml:4:"},
      {changed_party("parties = 2", "parties = 1"), "2 to 8"},
      {changed_party("0123456789abcdef0", "xyz"), "session"},
      {changed_party("\"party\"", "\"boss\""), "boss"},
      {changed_party("id = 1", "id = 2"), "id"},
      {changed_party("id = 1\n", ""), "id"},
      {changed_party("data = \"b.csv\"\n", ""), "data"},
      {changed_party("party_1 = \"127.0.0.1:7101\"\n", ""), "party_1"},
      {changed_party("dealer = ", "actor = \"127.0.0.1:1\"\ndealer = "), "actor"},
      {changed_party("\"127.0.0.1:7104\"", "7104"), ".toml:15:"},
      {changed_party("dealer = ", "boss = \"127.0.0.1:1\"\ndealer = "), "unknown key 'boss' in [peers]"},
      {changed_party("dealer = ", "party_2 = \"127.0.0.1:1\"\ndealer = "),
       ".toml:15:11: party_2 in [peers]: nobody connects to it: of this run only party_0, party_1, dealer listen"},
      {changed_party("127.0.0.1:7104", "127.0.0.1"), ".toml:15:10: dealer in [peers]: '127.0.0.1' is no"},
      {changed_party("127.0.0.1:7104", "b\u00e4r:7104"), ".toml:15:10: dealer in [peers]"},
      {changed_party("127.0.0.1:7104", "0.0.0.0:7104"),
       ".toml:15:10: dealer in [peers]: 0.0.0.0:7104 is an address to listen on, and no role can be reached there"},
      {changed_party("127.0.0.1:7104", "[::]:7104"), "dealer in [peers]: [::]:7104 is an address to listen on"},
      {changed_party("127.0.0.1:7104", "127.0.0.1:7100"), "is the address of dealer too"},
      {changed_party("127.0.0.1:7104", "a\\nb:7104"), ".toml:15:10: dealer in [peers] must be an address"},
      {party_config + "\n[more]\n", "unknown table 'more'"},
      {party_config + "\n[trsut]\n", "did you mean trust?"},
      {"steps = 3\n" + party_config, "unknown key 'steps' outside the tables"},
      {"peers = 3\n", ".toml:1:1: [peers] must be a table"},
      {"[[run]]\n", "[run] must be a table"},
      {changed_party("id = 1", "id = 1\nsteps = 3"), "unknown key 'steps' in [role]; it belongs in [run]"},
      {changed_party("steps = 10", "stepps = 10"), "did you mean steps?"},
      {changed_party("arms = 3", "arms = 0"), ".toml:5:8: arms in [run] must be a whole number of arms"},
      {changed_party("arms = 3", "arms = 3\nepsilon = nan"), ".toml:6:11: epsilon in [run]"},
      {changed_party("arms = 3", "arms = 3\nbits = 25"), "bits in [run] must be 12 to 24, not 25"},
      {changed_party("arms = 3", "arms = 3\ninsecure_seed = -1"), "insecure_seed in [run] must be"},
      {"", "[run]"},
  };
  for (const auto& [text, says] : cases) EXPECT_THAT(party_refusal(text), HasSubstr(says));
}

TEST(RoleConfig, ValuesOfARoleMustBeSaneAndFitTogether) {
  const std::pair<std::string, const char*> cases[] = {
      // Each case has a line for the table [role], and a part of the message.
      {"round_deadline_seconds = 0", ".toml:10:26: round_deadline_seconds in [role] must be"},
      {"round_deadline_seconds = inf", ".toml:10:26: round_deadline_seconds in [role] must be"},
      {"connect_deadline_seconds = 86401", "at most 86400, not 86401"},
      {"listen = \"nowhere\"", ".toml:10:10: listen in [role]: 'nowhere' is no address"},
      {"state = \"s\"\nkey = \"k.pem\"", ".toml:10:9: state in [role]: there is nothing to store"},
      {"delay = \"until 50ms\"", ".toml:10:9: delay in [role]: only the actor and the rewarder"},
      {"report = \"./b.csv\"", "is an input of the role, which the report would overwrite"},
      {"world = \"unix:/w\"", ".toml:10:9: world in [role]: excludes data and environment"},
      {"world = \"/w\"", ".toml:10:9: world in [role]: must be unix:PATH"},
      {"columns = 3", ".toml:10:11: columns in [role]: is of a party whose features a world tells"},
      {"arm_socket = \"/" + std::string(120, 'a') + "\"", "too long for a socket's path, 107 bytes"},
  };
  for (const auto& [lines, says] : cases)
    EXPECT_THAT(party_refusal(changed_party("id = 1", "id = 1\n" + lines)), HasSubstr(says));
  const std::string stored = changed_party("arms = 3", "arms = 3\ncheckpoint_every = 5");
  EXPECT_THAT(party_refusal(stored), HasSubstr("checkpoints every 5 steps need a folder"));
}

TEST(RoleConfig, WhatIsSaidOfPropensitiesMustGoTogether) {
  const auto refusal = [](const std::string& lines) {
    return party_refusal(changed_party("arms = 3", "arms = 3\ntask = \"evaluate\"\n" + lines));
  };
  EXPECT_EQ(refusal("arms_offered = 2"), "");
  EXPECT_EQ(refusal("full_support = true\narms_offered = 3"), "");
  EXPECT_THAT(refusal("propensities = \"frequencies\"\narms_offered = 2"),
              AllOf(HasSubstr("arms_offered in [run]: an arm's share of the log"), Not(HasSubstr("--"))));
  EXPECT_THAT(refusal("full_support = true\narms_offered = 2"),
              HasSubstr("full_support in [run]: each event had a choice of 2 of 3 arms, as is said as well"));
}

TEST(RoleConfig, AWorldStandsInForTheFileOfARole) {
  const auto with = [](const std::string& lines, const std::string& more = "\nmax_norm = 1.0") {
    std::string text = changed_party("data = \"b.csv\"", lines);
    return party_refusal(text.replace(text.find("arms = 3"), 8, "arms = 3" + more));
  };
  const std::string world = "world = \"unix:/run/world.sock\"";
  EXPECT_EQ(with(world + "\ncolumns = 3"), "");
  EXPECT_THAT(with(world), HasSubstr("[role] lacks columns"));
  EXPECT_THAT(with(world + "\ncolumns = 3", ""), HasSubstr("world in [role]: needs max_norm in [run]"));
  EXPECT_THAT(with(world + "\ncolumns = 0"), HasSubstr("columns in [role] must be a whole number of columns"));
}

TEST(RoleConfig, DelaysOfTheActorStayBelowTheRoundDeadline) {
  const auto with = [](const std::string& delay) {
    return party_refusal(changed_party("name = \"party\"\nid = 1\ndata = ",
                                       "name = \"actor\"\ndelay = \"" + delay + "\"\nenvironment = "));
  };
  EXPECT_EQ(with("until 50ms"), "");
  EXPECT_EQ(with("uniform 0ms 50ms"), "");
  for (const char* wrong : {"often", "until 90s", "until -1ms"}) {
    EXPECT_THAT(with(wrong), HasSubstr(".toml:9:9: delay in [role]: "));
  }
}

TEST(RoleConfig, FingerprintsAreWellFormedAndDiffer) {
  const auto with = [](const std::string& lines) { return party_refusal(party_config + "\n[trust]\n" + lines); };
  const std::string one = "sha256:" + std::string(64, '1');
  for (const std::string& wrong : {std::string("sha256:"), std::string(71, '1'), "sha256:" + std::string(63, '1'),
                                   "sha256:" + std::string(64, 'A'), "sha512:" + std::string(64, '1'), one + "1"}) {
    const std::string text = with("dealer = \"" + wrong + "\"\n");
    EXPECT_THAT(text, HasSubstr(".toml:18:10: dealer in [trust] must be a fingerprint, \"sha256:\" and 64"));
  }
  EXPECT_THAT(with("dealer = \"" + one + "\"\nactor = \"" + one + "\"\n"), HasSubstr("same certificate"));
  const std::string encrypted = changed_party("insecure_plaintext = true", "insecure_plaintext = false");
  EXPECT_THAT(party_refusal(encrypted), HasSubstr("sotto keys new --out key.pem --name party_1"));
  std::string keyed = encrypted;
  keyed.replace(keyed.find("id = 1"), 6, "id = 1\nkey = \"k.pem\"");
  EXPECT_THAT(party_refusal(keyed), HasSubstr(".toml: party_0 in [trust]: the fingerprint is missing"));
  keyed += "[trust]\n";
  for (const auto& [role, digit] :
       {std::pair{"party_0", '1'}, std::pair{"party_1", '2'}, std::pair{"dealer", '3'}, std::pair{"actor", '4'}}) {
    EXPECT_THAT(party_refusal(keyed), HasSubstr(std::string(role) + " in [trust]"));
    keyed += std::string(role) + " = \"sha256:" + std::string(64, digit) + "\"\n";
  }
  EXPECT_EQ(party_refusal(keyed), "");
  EXPECT_THAT(with("rewarder = \"" + one + "\"\n"), HasSubstr("the run has no such role"));
}

TEST(RoleConfig, LinksAreReadFromATableOfTheirOwn) {
  const BanditSettings plain = read_party(party_config);
  EXPECT_FALSE(plain.link.emulated());
  EXPECT_THAT(to_toml(plain), Not(HasSubstr("[link]")));
  const BanditSettings config = read_party(
      party_config + "\n[link]\ndelay = \"20ms\"\njitter = \"500us\"\nrate = \"100mbit\"\nloss = \"0.5/s\"\n");
  EXPECT_EQ(config.link.delay, std::chrono::milliseconds(20));
  EXPECT_EQ(config.link.jitter, std::chrono::microseconds(500));
  EXPECT_EQ(config.link.bits_per_second, 100'000'000u);
  EXPECT_EQ(config.link.cut_probability, 0.5);
  EXPECT_EQ(read_party(to_toml(config)).link, config.link);
  EXPECT_EQ(agreed_text(config), agreed_text(plain) +
                                     "link_delay = \"20ms\"\nlink_jitter = \"500us\"\n"
                                     "link_rate = \"100mbit\"\nlink_loss = \"0.5/s\"\n");
  for (const auto& [line, says] :
       {std::pair{"delay = 20", ".toml:18:9: delay in [link] must be a text"},
        std::pair{"delay = \"20\"", ".toml:18:9: delay in [link]: '20' is no time of a link"},
        std::pair{"rate = \"fast\"", "rate in [link]: 'fast' is no rate of a link"},
        std::pair{"loss = \"1/s\"", "loss in [link]: '1/s' is no loss of a link"},
        std::pair{"dealy = \"20ms\"", "unknown key 'dealy' in [link]"}}) {
    const std::string text = party_refusal(party_config + "\n[link]\n" + line + "\n");
    EXPECT_THAT(text, HasSubstr(says));
  }
}

TEST(RoleConfig, SessionsAreFresh) {
  EXPECT_EQ(fresh_session().size(), 32u);
  EXPECT_NE(fresh_session(), fresh_session());
}

std::string changed_active(const std::string& from, const std::string& to) { return replaced(active_config, from, to); }

O3mSettings read_active(const std::string& text, const std::vector<std::string>& assignments = {}) {
  ConfigDocument document = parse_document(all_keys(), text, "/conf/active.toml");
  ConfigOverlay overlay;
  for (const std::string& given : assignments) overlay.flags.push_back(setting_of_assignment(all_keys(), given));
  lay_over(document, overlay);
  return static_cast<const O3mSettings&>(*config_of(document).config);
}

std::string active_refusal(const std::string& text, const std::vector<std::string>& assignments = {}) {
  return error_of<InputError>([&] { (void)read_active(text, assignments); });
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
    expect_refusal(text, "docs/explain/o3m.md");
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
  expect_refusal(changed_active("\"o3m\"", "\"O3M\""),
                 "protocol in [run] must be \"bandit\", \"o3m\", \"live\" or \"program\"");
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
