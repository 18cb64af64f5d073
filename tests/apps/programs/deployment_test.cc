#include "apps/kit/deploy/deployment.h"
#include "apps/kit/settings/document.h"

#include "apps/commands.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/live/config/live_config.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/apps/programs/configs.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
using namespace sotto::apps::live;
using namespace sotto::apps::o3m;
namespace {

BanditSettings small(std::size_t parties = 2) {
  BanditSettings run;
  run.parties = parties;
  run.steps = 100;
  run.arms = 3;
  return run;
}

std::string refused_host(const std::vector<std::string>& arguments) {
  const TestFolder folder;
  return message_of<InputError>(folder, [&] {
    std::map<std::string, std::string> hosts;
    for (const std::string& argument : arguments) add_host(bandit_program(), argument, hosts);
    (void)plan_deployment(small(), hosts);
  });
}

using Deployment = InFolder;

TEST_F(Deployment, ListensOnLocalhostUnlessHostsAreNamed) {
  const RoleSet roles = plan_deployment(small(3), {});
  ASSERT_EQ(roles.size(), 5u);
  EXPECT_EQ(roles[2]->role_key(), "party_2");
  EXPECT_EQ(roles[3]->role_key(), "dealer");
  EXPECT_EQ(roles[4]->role_key(), "actor");
  EXPECT_EQ(roles[0]->peers.at("party_2"), "localhost:7102");
  EXPECT_EQ(roles[0]->peers.at("dealer"), "localhost:7103");
  EXPECT_EQ(roles[0]->listen, "");
  for (const auto& role : roles) EXPECT_EQ(role->session, roles[0]->session);
  EXPECT_NE(plan_deployment(small(), {}).front()->session, roles[0]->session);

  std::map<std::string, std::string> hosts;
  for (const char* host : {"party_0=a.example:7100", "party_1=[2001:db8::1]:9000", "dealer=127.0.0.1:7100"}) {
    add_host(bandit_program(), host, hosts);
  }
  const RoleSet apart = plan_deployment(small(), hosts);
  EXPECT_EQ(apart[0]->listen, "0.0.0.0:7100");
  EXPECT_EQ(apart[1]->listen, "[::]:9000");
  EXPECT_EQ(apart[2]->listen, "");
  EXPECT_EQ(apart[3]->listen, "");
}

TEST_F(Deployment, RefusesHostsThatDoNotFit) {
  EXPECT_EQ(refused_host({"party_0"}),
            "--host: 'party_0' is not ROLE=HOST:PORT, such as party_0=sotto.example.org:7100");
  EXPECT_THAT(refused_host({"party_0=a"}), HasSubstr("--host party_0: 'a' is no address"));
  EXPECT_EQ(refused_host({"actor=a:1"}), "--host: the actor only connects, and needs no address");
  EXPECT_EQ(refused_host({"dealer=a:1", "dealer=a:2"}), "--host: dealer is given twice");
  EXPECT_EQ(refused_host({"party0=a:1"}),
            "--host: this run (2 parties, 100 steps, 3 arms, epsilon 0.1) has no role 'party0' that listens; did you "
            "mean party_0?");
  EXPECT_EQ(refused_host({"party_0=a:1", "dealer=b:1"}),
            "--host: party_1 has no address; name one for each role that listens, --host party_1=HOST:PORT");
  EXPECT_EQ(refused_host({"party_0=a:1", "party_1=b:1", "dealer=a:1"}),
            "--host party_0: a:1 is the address of dealer too");
  EXPECT_THAT(refused_host({"party_0=0.0.0.0:1", "party_1=b:1", "dealer=a:1"}),
              StartsWith("--host party_0: 0.0.0.0:1 is an address to listen on, and no role can be reached there"));
}

TEST_F(Deployment, ARunThatNoDataCanMakeRightIsRefused) {
  BanditSettings options = small();
  options.steps = 1'000'000'000'000;
  const std::string text = message_of<InputError>(folder, [&] { (void)plan_deployment(options, {}); });
  EXPECT_THAT(text, HasSubstr("--steps"));
}

TEST_F(Deployment, WritesPrivateFoldersWithoutKeys) {
  const fs::path out = folder.path() / "set";
  write_deployment(plan_deployment(small(), {}), out);
  EXPECT_EQ(mode_of(out), 0700u);
  for (const char* role : {"party_0", "party_1", "dealer", "actor"}) {
    EXPECT_EQ(mode_of(out / role), 0700u);
    EXPECT_TRUE(fs::exists(out / role / "README.txt"));
    EXPECT_FALSE(fs::exists(out / role / "key.pem"));
    const std::string text = slurp(out / role / "config.toml");
    EXPECT_THAT(text, HasSubstr("[trust]\n# party_0 = "));
  }
  EXPECT_FALSE(fs::exists(out / "rewarder"));
}

O3mSettings small_o3m(std::size_t participants, std::optional<NodeId> generator) {
  O3mSettings run;
  run.participants = participants;
  run.steps = 100;
  run.arms = 3;
  run.mask_generator = generator;
  return run;
}

void expect_whole_sentences(const RoleSet& roles) {
  for (const auto& role : roles) {
    const std::string text = readme(*role);
    EXPECT_THAT(text, Not(::testing::ContainsRegex("[a-z] [.,:]"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("``"))) << text;
  }
}

TEST_F(Deployment, ReadmesAreWholeSentences) {
  BanditSettings run = small();
  run.max_norm = 1;
  run.separate_rewarder = true;
  expect_whole_sentences(plan_deployment(run, {}));
  expect_whole_sentences(plan_deployment(small_o3m(2, std::nullopt), {}));
  LiveConfig live;
  live.parties = 2;
  live.steps = 1000;
  live.live.arms = {"a", "b"};
  live.live.reward_wait = 60'000;
  const RoleSet roles = plan_deployment(live, {});
  expect_whole_sentences(roles);
  const std::string party = readme(*roles.front());
  EXPECT_THAT(party, Not(HasSubstr("writes")));
  EXPECT_THAT(
      party,
      AllOf(HasSubstr("columns.csv"), HasSubstr("recipe = \"prepared/recipe.toml\""),
            HasSubstr("sotto prepare party TABLE.csv --id COLUMN --max-norm 1 --share 0.707106 --out prepared")));
  auto& made = dynamic_cast<LiveConfig&>(*roles.front());
  made.columns.clear();
  made.recipe = "recipe.toml";
  EXPECT_THAT(readme(made), AllOf(HasSubstr("recipe.toml"), Not(HasSubstr("columns.csv"))));
}

TEST_F(Deployment, SaysWhatRowsAreScaledTo) {
  BanditSettings options = small();
  const auto readme_of = [&](const std::string& set) {
    const fs::path role = folder.path() / set / "party_1";
    write_deployment(plan_deployment(options, {}), folder.path() / set);
    EXPECT_THAT(slurp(role / "README.txt"), HasSubstr("at all parties."));
    return slurp(role / "README.txt");
  };
  EXPECT_THAT(readme_of("announced"), Not(HasSubstr("Scale every row")));
  options.max_norm = 1;
  EXPECT_THAT(readme_of("apart"), HasSubstr("Scale every row to norm 0.707107 at most"));
  options.joint_norm_holds = true;
  EXPECT_THAT(readme_of("seen"), Not(HasSubstr("Scale every row")));
  const auto config_of = [&](const std::string& set) { return slurp(folder.path() / set / "dealer" / "config.toml"); };
  EXPECT_THAT(config_of("seen"), HasSubstr("\njoint_norm_holds = true\n"));
  EXPECT_THAT(config_of("apart"), HasSubstr("\njoint_norm_holds = false\n"));
  EXPECT_THAT(config_of("announced"), Not(HasSubstr("joint_norm_holds")));
}

TEST_F(Deployment, SharedKeysAreMarkedPrivateAndTrusted) {
  const fs::path out = folder.path() / "set";
  fs::create_directory(out);
  fs::permissions(out, fs::perms::all);
  BanditSettings options = small();
  options.insecure_shared_keys = true;
  options.separate_rewarder = true;
  write_deployment(plan_deployment(options, {}), out);
  EXPECT_EQ(mode_of(out), 0700u);
  std::map<std::string, std::string> trust;
  for (const char* role : {"party_0", "party_1", "dealer", "actor", "rewarder"}) {
    const BanditSettings config = read_role_config<BanditSettings>(out / role / "config.toml");
    EXPECT_TRUE(config.insecure_shared_keys);
    EXPECT_EQ(config.key, out / role / "key.pem");
    EXPECT_EQ(mode_of(config.key), 0600u);
    EXPECT_EQ(net::Identity::read(config.key).fingerprint(), config.trust.at(role));
    if (trust.empty()) trust = config.trust;
    EXPECT_EQ(config.trust, trust);
    EXPECT_THAT(slurp(out / role / "README.txt"), HasSubstr("INSECURE"));
  }
  EXPECT_EQ(trust.size(), 5u);
  EXPECT_EQ(read_role_config<BanditSettings>(out / "actor" / "config.toml").arm_socket,
            read_role_config<BanditSettings>(out / "rewarder" / "config.toml").arm_socket);
}

TEST_F(Deployment, OfO3mHasItsRolesAndWaitsForTheAcknowledgement) {
  const fs::path out = folder.path() / "set";
  O3mSettings options = small_o3m(2, std::nullopt);
  options.insecure_shared_keys = true;
  const RoleSet roles = plan_deployment(options, {});
  ASSERT_EQ(roles.size(), 3u);
  EXPECT_EQ(roles[0]->role_key(), "active");
  EXPECT_EQ(roles[1]->role_key(), "passive_1");
  EXPECT_EQ(roles[2]->role_key(), "mask_generator");
  EXPECT_EQ(roles[0]->peers,
            (std::map<std::string, std::string>{{"active", "localhost:7100"}, {"passive_1", "localhost:7101"}}));
  write_deployment(roles, out);
  for (const char* role : {"active", "passive_1", "mask_generator"}) {
    const fs::path file = out / role / "config.toml";
    const std::string refusal = message_of<InputError>(folder, [&] { (void)read_role_config<O3mSettings>(file); });
    EXPECT_THAT(refusal, HasSubstr("docs/explain/o3m.md"));
    std::string text = slurp(file);
    const std::size_t at = text.find("# acknowledge_leakage = true\n");
    ASSERT_NE(at, std::string::npos) << text;
    const O3mSettings config = read_role_config<O3mSettings>(folder.put("read.toml", text.erase(at, 2)));
    EXPECT_EQ(config.role_key(), role);
    EXPECT_EQ(config.contexts.empty(), config.role() == O3mRole::mask_generator);
    EXPECT_EQ(config.environment.empty(), config.role() != O3mRole::active);
    EXPECT_EQ(config.trust.size(), 3u);
    EXPECT_THAT(slurp(out / role / "README.txt"), HasSubstr("sotto o3m role --config config.toml"));
  }
}

TEST_F(Deployment, OfO3mRefusesMaskGeneratorsThatCannotBe) {
  EXPECT_EQ(plan_deployment(small_o3m(3, NodeId{2}), {}).size(), 3u);
  EXPECT_FALSE(plan_deployment(small_o3m(3, NodeId{2}), {})[0]->peers.contains("passive_2"));
  EXPECT_THROW((void)plan_deployment(small_o3m(3, NodeId{0}), {}), InputError);
  EXPECT_THROW((void)plan_deployment(small_o3m(3, NodeId{3}), {}), InputError);
}

TEST_F(Deployment, NothingIsOverwritten) {
  const RoleSet roles = plan_deployment(small(), {});
  const fs::path file = folder.put("file", "mine");
  fs::create_directory(folder.path() / "full");
  std::ofstream(folder.path() / "full" / "mine") << "mine";
  fs::create_symlink("nowhere", folder.path() / "link");
  for (const char* name : {"file", "full", "link"}) {
    EXPECT_EQ(message_of<InputError>(folder, [&] { write_deployment(roles, folder.path() / name); }),
              std::string("--out: ") + name +
                  " exists already and is not an empty folder; name another, nothing is ever overwritten");
  }
  EXPECT_EQ(slurp(file), "mine");
  EXPECT_FALSE(fs::exists(folder.path() / "full" / "dealer"));
  EXPECT_THROW(write_deployment(roles, folder.path() / "no" / "such"), ResourceError);
  EXPECT_FALSE(fs::exists(folder.path() / "no"));
}

PROPERTY(CommentedConfig, ReadsBackAsItWas) {
  const std::unique_ptr<RoleSettings> config = random_config();
  const std::string text = commented_config(*config);
  const auto back = config_of(parse_document(all_keys(), text, "/conf/config.toml")).config;
  HOLDS(to_toml(*back) == to_toml(*config));
  HOLDS(readme(*config).find(config->name()) != std::string::npos);
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (text[begin] == '#') widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  HOLDS(widest <= 100u);
}

}  // namespace
}  // namespace sotto::apps
