#include "apps/live/config/live_config.h"
#include "apps/commands.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/settings/document.h"
#include "apps/live/order/opening.h"
#include "apps/live/settings/live_settings.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {
namespace {

const std::string live_party = R"([run]
session = "0123456789abcdef0123456789abcdef"
protocol = "live"
parties = 2
steps = 1000000
insecure_plaintext = true

[service]
arms = ["red", "green, dark", "blue"]
baseline_arm = "blue"
reward_wait = "90m"
batch_sizes = [1, 32]
cut_off = "20ms"
cadence = "250ms"
padding = "hidden"
default_reward = "skip"
mode = "frozen"

[role]
name = "party"
id = 1
state = "state"
key = "key.pem"

[features]
columns = "columns.csv"

[http]
listen = "127.0.0.1:8080"
token_file = "token"

[peers]
party_0 = "127.0.0.1:7100"
party_1 = "127.0.0.1:7101"
dealer = "127.0.0.1:7102"
)";

LiveConfig read(const std::string& text, const std::vector<std::string>& assignments = {}) {
  ConfigDocument document = parse_document(all_keys(), text, "/conf/party_1.toml");
  ConfigOverlay overlay;
  for (const std::string& given : assignments) overlay.flags.push_back(setting_of_assignment(all_keys(), given));
  lay_over(document, overlay);
  return static_cast<const LiveConfig&>(*config_of(document).config);
}

std::string refusal(const std::vector<std::string>& assignments, const std::string& text = live_party) {
  return error_of<InputError>([&] { (void)read(text, assignments); });
}

TEST(LiveConfigText, KnowsWhoIsOnItsMachine) {
  EXPECT_EQ(read(live_party).roles_here(), 5u) << "actor and rewarder as well";
  EXPECT_EQ(read(live_party, {"peers.party_0=10.0.0.1:7100"}).roles_here(), 2u);
  EXPECT_EQ(read(live_party, {"peers.party_0=10.0.0.1:7100", "peers.dealer=10.0.0.2:7100"}).roles_here(), 1u);
  const std::vector<std::string> one_host{"peers.party_0=10.0.0.1:7100", "peers.party_1=10.0.0.1:7101",
                                          "peers.dealer=10.0.0.1:7102"};
  EXPECT_EQ(read(live_party, one_host).roles_here(), 5u);
  LiveConfig actor = read(live_party, one_host);
  actor.role_word = "actor";
  EXPECT_EQ(actor.roles_here(), 1u) << "it has no address by which it could know";
}

TEST(LiveConfigText, HasWhatItSays) {
  const LiveConfig config = read(live_party);
  EXPECT_THAT(config.live.arms, ElementsAre("red", "green, dark", "blue"));
  EXPECT_EQ(config.live.baseline_arm, 2);
  EXPECT_EQ(config.live.reward_wait, 90u * 60 * 1000);
  EXPECT_THAT(config.live.batch_sizes, ElementsAre(1u, 32u));
  EXPECT_EQ(config.live.cadence, 250u);
  EXPECT_FALSE(config.live.default_reward);
  EXPECT_EQ(config.live.mode, LiveMode::frozen);
  EXPECT_EQ(config.live.max_queue, 8192u);
  EXPECT_EQ(config.columns, "/conf/columns.csv");
  EXPECT_EQ(config.interface_address(), "127.0.0.1:8080");
  EXPECT_EQ(read(live_party, {"http.listen="}).interface_address(), "unix:/run/sotto/party_1.sock");
  EXPECT_NEAR(config.own_norm(), std::sqrt(.5), 1e-12);
  EXPECT_THAT(config.command(), ElementsAre("serve"));
}

TEST(LiveConfigText, HasThePartysLimits) {
  const LiveConfig config = read(live_party);
  EXPECT_EQ(config.subject_limits, SubjectLimits{});
  EXPECT_EQ(config.subject_limits.per_day, 20u);
  EXPECT_EQ(config.live.agreement_window, 10'000u);
  EXPECT_EQ(config.live.agreement_epsilon, .1);
  EXPECT_EQ(config.live.agreement_rows_per_subject, 1u);
  EXPECT_TRUE(config.account.empty());
  const std::vector<std::string> own{"features.decisions_per_day=3", "features.decisions_ever=40",
                                     "account.file=account", "account.budget=1.5", "account.forget_after=365"};
  const LiveConfig limited = read(live_party, own);
  EXPECT_EQ(limited.subject_limits, (SubjectLimits{3, 40}));
  EXPECT_EQ(limited.budget, 1.5);
  EXPECT_EQ(limited.forget_after, 365u);
  EXPECT_EQ(read(to_toml(limited)).subject_limits, limited.subject_limits);
  EXPECT_EQ(agreed_text(limited), agreed_text(config)) << "nobody else has to have them";
  EXPECT_NE(agreed_text(read(live_party, {"service.agreement_rows_per_subject=2"})), agreed_text(config));
  EXPECT_THAT(refusal({"features.decisions_per_day=0"}), HasSubstr("decisions_per_day in [features]"));
  EXPECT_THAT(refusal({"service.agreement_rows_per_subject=1001"}), HasSubstr("agreement_rows_per_subject"));
  const std::vector<std::string> as_actor{"role.name=actor", "role.id=", "features.columns="};
  const auto actor_with = [&](const std::string& setting) {
    std::vector<std::string> all = as_actor;
    all.push_back(setting);
    return refusal(all);
  };
  EXPECT_THAT(actor_with("account.file=account"), HasSubstr("the actor gives away no features"));
  EXPECT_THAT(actor_with("features.decisions_ever=40"),
              AllOf(HasSubstr("the actor has no features"), HasSubstr("leave decisions_per_day and decisions_ever")));
  EXPECT_THAT(to_toml(read(live_party, as_actor)), Not(HasSubstr("decisions_per_day"))) << "nor does init write it";
}

TEST(LiveConfigText, ReadsBackAsItWasWritten) {
  const LiveConfig config = read(live_party);
  EXPECT_EQ(to_toml(read(to_toml(config))), to_toml(config));
}

TEST(LiveConfigText, ComparesTheServiceAndNotWhatIsARolesOwn) {
  const std::string agreed = agreed_text(read(live_party));
  EXPECT_THAT(agreed, HasSubstr("service_reward_wait = \"90m\"\n"));
  EXPECT_EQ(agreed_text(read(live_party, {"features.norm=0.2", "http.listen=unix:/x", "role.id=0"})), agreed);
  EXPECT_NE(agreed_text(read(live_party, {"service.cut_off=21ms"})), agreed);
}

// Roles compare this text letter by letter, and a store with another text does not open. A change of this text would
// lock out existing stores.
const std::string as_stored = R"(program = decision service 2
parties = 2
steps = 1000000
bits = 20
max_norm = 1
rewards = binary
largest_batch = 32
skip = true
arm = red
arm = green, dark
arm = blue
)";

TEST(LiveConfigText, AStoreOfAnEarlierVersionIsOfThisService) {
  const TestFolder folder;
  const LiveConfig config =
      read(live_party,
           {"role.name=actor", "role.id=", "features.columns=", "role.state=" + (folder.path() / "state").string()});
  EXPECT_EQ(live_identity(config).parameters, as_stored);
  const auto key = [&] { return live_store_key(std::vector<std::byte>(SealingKey::size), live_identity(config)); };
  LiveFile::create(config.state, {"actor", config.session, as_stored}, key());
  Database(config.state / "live.db").execute("PRAGMA user_version = 3");
  (void)LiveStore(config.state, live_identity(config), key());
  EXPECT_EQ(Database(config.state / "live.db").number("PRAGMA user_version"), live_store_version);
}

TEST(LiveConfigText, ListsCanBeGivenInOneText) {
  const LiveConfig config =
      read(live_party, {"service.arms=a, b,c", "service.baseline_arm=none", "service.batch_sizes=2,4"});
  EXPECT_THAT(config.live.arms, ElementsAre("a", "b", "c"));
  EXPECT_FALSE(config.live.baseline_arm);
  EXPECT_THAT(config.live.batch_sizes, ElementsAre(2u, 4u));
}

TEST(LiveConfigText, IsRefusedWithTheLine) {
  EXPECT_THAT(refusal({"service.baseline_arm=pink"}), HasSubstr("baseline_arm in [service] must be one of the arms"));
  EXPECT_THAT(refusal({"service.arms=a", "service.baseline_arm=a"}),
              HasSubstr("arms in [service] must be a list of 2 to 1024 names"));
  EXPECT_THAT(refusal({"service.reward_wait=90"}), HasSubstr("reward_wait in [service] must be a time such as"));
  EXPECT_THAT(refusal({"service.reward_wait=10ms"}), HasSubstr("reward_wait in [service] must be from 1000"));
  EXPECT_THAT(refusal({"service.batch_sizes=4,2"}), HasSubstr("batch_sizes in [service] must be a list of 1 to 4"));
  EXPECT_THAT(refusal({"service.batch_sizes=x"}), HasSubstr("batch_sizes in [service] must be a list of 1 to 4"));
  EXPECT_THAT(refusal({"service.default_reward=2"}), HasSubstr("default_reward in [service] must be"));
  EXPECT_THAT(refusal({"service.default_reward=0.5"}),
              AllOf(HasSubstr("default_reward in [service]"), HasSubstr("are 0 or 1")));
  EXPECT_EQ(refusal({"service.default_reward=0.5", "run.rewards=real"}), "");
  EXPECT_EQ(refusal({"service.default_reward=1"}), "");
  EXPECT_THAT(refusal({"service.padding=open"}), HasSubstr("padding in [service] must be \"hidden\" with a cadence"));
  EXPECT_THAT(refusal({"service.agreement_window=999"}), HasSubstr("agreement_window in [service] must be 1000 to"));
  EXPECT_THAT(refusal({"service.agreement_epsilon=0"}), HasSubstr("agreement_epsilon in [service] must be"));
  EXPECT_THAT(refusal({"service.mode=on"}), HasSubstr("\"online\", \"apprentice\" or \"frozen\""));
  EXPECT_THAT(refusal({"service.deal_ahead=33"}), HasSubstr("deal_ahead in [service] must be 1 to 32"));
  EXPECT_THAT(refusal({"service.cut_off=50s", "role.round_deadline_seconds=5"}), HasSubstr("cut_off in [service]"));
  EXPECT_THAT(refusal({"role.state="}), HasSubstr("[role] lacks state"));
  EXPECT_THAT(refusal({"role.key="}), HasSubstr("the store is encrypted with the role's key"));
  EXPECT_THAT(refusal({"features.columns="}), HasSubstr("[features] lacks columns"));
  EXPECT_THAT(refusal({"features.url=ftp://a/b"}),
              AllOf(HasSubstr("url in [features]"), HasSubstr("https://host:port")));
  EXPECT_THAT(refusal({"features.url=http://a/b", "features.table=rows.csv"}),
              HasSubstr("table in [features]: excludes url"));
  const std::string pinned = "features.fingerprint=sha256:" + std::string(64, 'a');
  EXPECT_THAT(refusal({"features.url=http://10.1.2.3/b"}),
              HasSubstr("url in [features]: everybody on the way to 10.1.2.3:80 would read"));
  EXPECT_THAT(refusal({"features.url=https://a/b"}), HasSubstr("fingerprint in [features]: is missing"));
  EXPECT_THAT(refusal({pinned}), HasSubstr("fingerprint in [features]: is of the service at url"));
  EXPECT_EQ(refusal({"features.url=https://a/b", pinned}), "");
  EXPECT_EQ(refusal({"features.url=http://127.0.0.1:8000/b"}), "");
  EXPECT_THAT(refusal({"http.listen=8080"}), HasSubstr("listen in [http]"));
  EXPECT_THAT(refusal({"http.listen=0.0.0.0:8080", "http.token_file="}), HasSubstr("token_file"));
  EXPECT_THAT(refusal({"http.listen=", "http.token_file=", "http.reader_token_file=r"}),
              HasSubstr("needs token_file in [http]"));
  EXPECT_THAT(refusal({"run.arms=3"}), HasSubstr("arms in [run] is of runs of the private bandit"));
}

TEST(LiveConfigText, ASecondCertificateOfARoleIsTrustedBesideTheFirst) {
  const auto print = [](char digit) { return "sha256:" + std::string(64, digit); };
  std::string text = live_party;
  text.erase(text.find("insecure_plaintext"), std::string("insecure_plaintext = true\n").size());
  text += "\n[trust]\n";
  const std::vector<std::string> roles{"party_0", "party_1", "dealer", "actor", "rewarder"};
  for (std::size_t i = 0; i < roles.size(); ++i) {
    text += roles[i] + " = \"" + print(static_cast<char>('1' + i)) + "\"\n";
  }
  const LiveConfig before = read(text);
  const LiveConfig both = read(text, {"next_trust.dealer=" + print('a')});
  const LiveConfig after = read(text, {"trust.dealer=" + print('a')});
  EXPECT_EQ(both.next_trust, (std::map<std::string, std::string>{{"dealer", print('a')}}));
  EXPECT_THAT(agreed_text(both), HasSubstr("trust_dealer = \"" + print('3') + "\" \"" + print('a') + "\"\n"));
  const auto differ = [](const LiveConfig& a, const LiveConfig& b) {
    return net::first_difference(agreed_text(a), agreed_text(b), "party 1").has_value();
  };
  EXPECT_FALSE(differ(before, both));
  EXPECT_FALSE(differ(both, after));
  EXPECT_TRUE(differ(before, after));
  EXPECT_EQ(run_revision(before), run_revision(after));
  EXPECT_THAT(refusal({"next_trust.dealer=" + print('1')}, text), HasSubstr("party_0 has the same certificate"));
  EXPECT_EQ(refusal({"next_trust.dealer=" + print('3')}, text), "") << "as after a change";
  EXPECT_THAT(refusal({"next_trust.dealer=sha256:1"}, text), HasSubstr("dealer in [next_trust]"));
  EXPECT_THAT(refusal({"next_trust.party_2=" + print('a')}, text), HasSubstr("the run has no such role"));
}

TEST(LiveConfigText, WithoutADealerThereIsNone) {
  const std::string dealer_line = "dealer = \"127.0.0.1:7102\"\n";
  std::string of_two = live_party;
  of_two.erase(of_two.find(dealer_line), dealer_line.size());
  const LiveConfig config = read(of_two, {"run.preprocessing=ot"});
  EXPECT_EQ(config.preprocessing, RandomnessBy::ot);
  EXPECT_EQ(to_toml(read(to_toml(config))), to_toml(config));
  EXPECT_NE(agreed_text(config), agreed_text(read(live_party)));
  EXPECT_EQ(config.roles_here(), 4u);
  for (const RunRole& role : config.roles()) EXPECT_NE(role.key, "dealer");
  EXPECT_NE(refusal({"run.preprocessing=ot"}), "") << "an address of a role that there is not";
  EXPECT_THAT(refusal({"run.preprocessing=ot", "role.name=dealer", "role.id=", "features.columns="}, of_two),
              HasSubstr("preprocessing = \"ot\" in [run] has no dealer"));
  EXPECT_THAT(refusal({"run.preprocessing=replicated"}, of_two),
              HasSubstr("preprocessing in [run]: \"replicated\" needs three compute parties"));
  EXPECT_THAT(refusal({"run.preprocessing=none"}), HasSubstr("\"dealer\", \"replicated\", \"ot\" or \"helper\""));
  const std::string helped = std::string(live_party).replace(std::string(live_party).find(dealer_line), 6, "helper");
  const LiveConfig with_helper = read(helped, {"run.preprocessing=helper"});
  EXPECT_EQ(with_helper.roles_here(), 5u);
  EXPECT_EQ(to_toml(read(to_toml(with_helper))), to_toml(with_helper));
  EXPECT_THAT(refusal({"run.preprocessing=ot", "role.name=helper", "role.id=", "features.columns="}, of_two),
              HasSubstr("preprocessing = \"ot\" in [run] has no helper"));
  std::string arms;
  for (int arm = 0; arm < 65; ++arm) arms += (arm > 0 ? "," : "") + std::to_string(arm);
  EXPECT_THAT(refusal({"run.preprocessing=ot", "service.baseline_arm=none", "service.arms=" + arms}, of_two),
              HasSubstr("at most 64 arms"));
}

TEST(LiveConfigText, DummiesHaveSubjectsAtTheActor) {
  const std::vector<std::string> as_actor{"role.name=actor", "role.id=", "features.columns=", "role.subjects=/s.txt"};
  EXPECT_EQ(read(live_party, as_actor).subjects, "/s.txt");
  EXPECT_THAT(refusal({"role.subjects=/s.txt"}), HasSubstr("subjects in [role]: is of an actor"));
  std::string open = live_party;
  open.replace(open.find("cadence = \"250ms\"\npadding = \"hidden\""), 36, "padding = \"open\"");
  EXPECT_THAT(refusal(as_actor, open), HasSubstr("with padding = \"hidden\""));
}

TEST(LiveConfigText, EveryKeyOfTheServiceIsChecked) {
  for (const Setting& setting : live_program().settings) {
    if (setting.table != "service") continue;
    EXPECT_NE(refusal({setting.path() + "=\"?\""}), "") << setting.path();
  }
}

TEST(LiveConfigText, APlanThatDoesNotFitIsNamedBySettings) {
  LiveConfig config = read(live_party);
  config.steps = 1'000'000'000'000'000;
  const std::string said = error_of<InputError>([&] { config.check_plan(); });
  EXPECT_THAT(said, AllOf(HasSubstr("steps 1000000000000000"), HasSubstr("batch_sizes"), Not(HasSubstr("--"))));
}

class LiveColumns : public InFolder {
 protected:
  LiveColumns() { config_.parties = 2; }
  std::vector<FeatureColumn> read_columns(const std::string& text) {
    config_.columns = folder.put("columns.csv", text);
    return config_.read_columns();
  }
  std::string refused(const std::string& text) {
    return error_of<InputError>([&] { (void)read_columns(text); });
  }
  LiveConfig config_;
};

TEST_F(LiveColumns, AreReadInOrder) {
  EXPECT_THAT(read_columns("name,low,high,default\nage,0,1,.25\nclicks,-1,1,0\n"),
              ElementsAre(FeatureColumn{"age", 0, 1, .25}, FeatureColumn{"clicks", -1, 1, 0}));
}

TEST_F(LiveColumns, SubjectsAreReadLineByLine) {
  const auto subjects = [&](const std::string& text) {
    config_.subjects = folder.put("subjects.txt", text);
    return config_.read_subjects();
  };
  EXPECT_THAT(subjects("p-1\np-2\r\np-3"), ElementsAre("p-1", "p-2", "p-3"));
  EXPECT_THAT(error_of<InputError>([&] { (void)subjects("p-1\np 2\n"); }),
              HasSubstr("subjects.txt:2: a pseudonym has 1 to 64"));
  EXPECT_THAT(error_of<InputError>([&] { (void)subjects("p-1\n\n"); }), HasSubstr("subjects.txt:2: "));
  EXPECT_THAT(error_of<InputError>([&] { (void)subjects(std::string(65, 'a')); }), HasSubstr("subjects.txt:1: "));
  EXPECT_NE(error_of<InputError>([&] { (void)subjects(""); }), "");
  config_.subjects.clear();
  EXPECT_TRUE(config_.read_subjects().empty());
}

TEST_F(LiveColumns, AreRefusedWithTheirPlace) {
  EXPECT_THAT(refused("name,low,high\nage,0,1\n"), HasSubstr("name,low,high,default"));
  EXPECT_THAT(refused("name,low,high,default\nage,1,0,.5\n"), HasSubstr("columns.csv:2: low must be below high"));
  EXPECT_THAT(refused("name,low,high,default\nage,0,1,2\n"), HasSubstr("columns.csv:2: low must be below high"));
  EXPECT_THAT(refused("name,low,high,default\nage,0,1,0\nage,0,1,0\n"), HasSubstr("two columns have one name"));
  EXPECT_THAT(refused("name,low,high,default\nage,0,1,.8\n"), HasSubstr("defaults is longer than norm"));
}

LiveSettings sound() {
  LiveSettings settings;
  settings.arms = {"a", "b"};
  settings.reward_wait = 10'000;
  return settings;
}

template <class Change>
std::string refused(Change change) {
  LiveSettings settings = sound();
  change(settings);
  const std::string text = error_of<InputError>([&] {
    check(settings, 1);
    return 0;
  });
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

TEST(LiveSettings, AreCheckedKeyByKey) {
  EXPECT_NO_THROW(check(sound(), 1));
  EXPECT_THAT(refused([](auto& s) { s.arms = {"a"}; }), StartsWith("arms in [service] must be a list of 2 to 1024"));
  EXPECT_THAT(refused([](auto& s) { s.arms = {"a", "a"}; }), HasSubstr("different names"));
  EXPECT_THAT(refused([](auto& s) { s.arms = {"a", ""}; }), HasSubstr("different names"));
  EXPECT_THAT(refused([](auto& s) { s.baseline_arm = 2; }), StartsWith("baseline_arm in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {1, 2, 3, 4, 5}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {4, 4}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {0, 4}; }), StartsWith("batch_sizes in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_sizes = {1, 4096}; }), HasSubstr("a batch is learned at once, not 4096"));
  EXPECT_THAT(refused([](auto& s) { s.cadence = 0; }), StartsWith("cadence in [service] must be from 1 to"));
  EXPECT_THAT(refused([](auto& s) { s.cut_off = 60'001; }), StartsWith("cut_off in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.decision_deadline = 0; }), StartsWith("decision_deadline in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.reward_wait = 999; }), HasSubstr("from 1000 to 7776000000 ms, not 999"));
  EXPECT_THAT(refused([](auto& s) { s.default_reward = 1.5; }), StartsWith("default_reward in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.default_reward = std::nan(""); }), StartsWith("default_reward in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.remember = 19'999; }), HasSubstr("at least twice reward_wait, 20000 ms"));
  EXPECT_THAT(refused([](auto& s) { s.max_pending = 255; }), StartsWith("max_pending in [service] must be from 256"));
  EXPECT_THAT(refused([](auto& s) { s.max_queue = 0; }), StartsWith("max_queue in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.deal_ahead = 0; }), StartsWith("deal_ahead in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.feature_wait = 1; }), StartsWith("feature_wait in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.batch_wait = 60'001; }), StartsWith("batch_wait in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.cadence = 100; }), StartsWith("padding in [service] must be \"hidden\""));
  EXPECT_THAT(refused([](auto& s) { s.agreement_window = 999; }), StartsWith("agreement_window in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.agreement_epsilon = 0; }), StartsWith("agreement_epsilon in [service]"));
  EXPECT_THAT(refused([](auto& s) { s.agreement_epsilon = std::nan(""); }), StartsWith("agreement_epsilon in"));
}

TEST(LiveSettings, TimesHaveAUnit) {
  EXPECT_EQ(parse_live_span("20ms"), 20u);
  EXPECT_EQ(parse_live_span("0ms"), 0u);
  EXPECT_EQ(parse_live_span("1s"), 1000u);
  EXPECT_EQ(parse_live_span("10m"), 600'000u);
  EXPECT_EQ(parse_live_span("12h"), 43'200'000u);
  EXPECT_EQ(parse_live_span("30d"), 2'592'000'000u);
  for (const char* text : {"", "s", "1", "-1s", "1.5s", "1 s", "1sec", "99999999999999999999s", "104249991375d"}) {
    EXPECT_FALSE(parse_live_span(text)) << text;
  }
}

}  // namespace
}  // namespace sotto::apps::live
