#include "apps/commands.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/kit/settings/toml_text.h"
#include "apps/prepare/align/align_settings.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/programs/configs.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {

using namespace sotto::apps::bandit::run;
namespace {

EffectiveConfig read_layers(const TestFolder& folder, const std::map<std::string, std::string>& variables,
                            const std::vector<std::string>& assignments) {
  ConfigOverlay overlay;
  overlay.variables = settings_of_variables(all_keys(), variables);
  for (const std::string& text : assignments) overlay.flags.push_back(setting_of_assignment(all_keys(), text));
  return read_effective_config(all_keys(), folder.put("party_1.toml", party_config), overlay);
}

const BanditSettings& bandit_of(const EffectiveConfig& effective) {
  return static_cast<const BanditSettings&>(*effective.config);
}

TEST(EffectiveConfig, TakesFlagBeforeVariableBeforeFileBeforeDefault) {
  const TestFolder folder;
  const auto steps = [&](const EffectiveConfig& effective) { return bandit_of(effective).steps; };
  EXPECT_EQ(steps(read_layers(folder, {}, {})), 10u);
  EXPECT_EQ(steps(read_layers(folder, {{"SOTTO_RUN_STEPS", "20"}}, {})), 20u);
  EXPECT_EQ(steps(read_layers(folder, {{"SOTTO_RUN_STEPS", "20"}}, {"run.steps=30"})), 30u);
  EXPECT_EQ(steps(read_layers(folder, {{"SOTTO_RUN_STEPS", ""}}, {})), 10u);
  EXPECT_EQ(steps(read_layers(folder, {{"SOTTO_RUN_STEPS", "wrong"}}, {"run.steps=30"})), 30u);
  EXPECT_EQ(bandit_of(read_layers(folder, {}, {})).bits, 20u);
  EXPECT_EQ(read_layers(folder, {{"SOTTO_PEERS_PARTY_0", "[::1]:1"}}, {}).config->peers.at("party_0"), "[::1]:1");
}

TEST(EffectiveConfig, PathsAreRelativeToWhereTheyStand) {
  const TestFolder folder;
  const auto here = fs::current_path();
  EXPECT_EQ(bandit_of(read_layers(folder, {}, {})).data, folder.path() / "b.csv");
  EXPECT_EQ(bandit_of(read_layers(folder, {{"SOTTO_ROLE_DATA", "c/../d.csv"}}, {})).data, here / "d.csv");
  EXPECT_EQ(bandit_of(read_layers(folder, {}, {"role.data=e.csv"})).data, here / "e.csv");
  EXPECT_EQ(bandit_of(read_layers(folder, {}, {"role.data=/e.csv"})).data, "/e.csv");
  EXPECT_EQ(bandit_of(read_layers(folder, {}, {"role.report="})).report, "");
}

TEST(EffectiveConfig, ErrorsNameWhereTheValueCameFrom) {
  const TestFolder folder;
  const auto refusal = [&](const std::map<std::string, std::string>& variables,
                           const std::vector<std::string>& assignments) {
    return message_of<InputError>(folder, [&] { (void)read_layers(folder, variables, assignments); });
  };
  EXPECT_EQ(refusal({{"SOTTO_RUN_STEPS", "ten"}}, {}),
            "SOTTO_RUN_STEPS: steps in [run] must be a whole number of steps, at least 1, not \"ten\"");
  EXPECT_EQ(refusal({}, {"run.bits=99"}), "--set run.bits: bits in [run] must be 12 to 24, not 99");
  EXPECT_EQ(refusal({}, {"peers.dealer=LOCALHOST:7100", "peers.party_0=localhost:7100"}),
            "--set peers.party_0: party_0 in [peers]: localhost:7100 is the address of dealer too; each role needs a "
            "host or a port of its own");
  EXPECT_EQ(
      refusal({}, {"role.data="}),
      "party_1.toml: [role] lacks data: it must be a file name; write it there, or give SOTTO_ROLE_DATA or --data");
}

TEST(EffectiveConfig, IsPrintedWithTheOriginOfEachValue) {
  const TestFolder folder;
  const EffectiveConfig effective =
      read_layers(folder, {{"SOTTO_ROLE_ROUND_DEADLINE_SECONDS", "5"}}, {"run.insecure_seed=7"});
  const std::string text = annotated_toml(effective);
  for (const char* line :
       {"\nsteps = 10  # party_1.toml:4\n", "\nbits = 20  # default\n",
        "\nround_deadline_seconds = 5.0  # SOTTO_ROLE_ROUND_DEADLINE_SECONDS\n",
        "\ninsecure_seed = 7  # --set run.insecure_seed; INSECURE: ",
        "\ninsecure_plaintext = true  # party_1.toml:6; INSECURE: ", "\ninsecure_shared_keys = false  # default\n",
        "\ndealer = \"127.0.0.1:7104\"  # party_1.toml:15\n", "b.csv\"  # party_1.toml:10\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(to_toml(read_role_config<BanditSettings>(folder.put("printed.toml", text))), to_toml(*effective.config));
}

PROPERTY(EffectiveConfig, ReadsBackAsItWasWritten) {
  const std::unique_ptr<RoleSettings> config = random_config();
  const std::string text = to_toml(*config);
  const auto back = config_of(parse_document(all_keys(), text, "/conf/role.toml")).config;
  HOLDS(to_toml(*back) == text);
  HOLDS(agreed_text(*back) == agreed_text(*config));
  HOLDS(back->link == config->link);
  HOLDS(back->name() == config->name());
}

// Each value of the config comes from one layer, and all layers below that layer have an impossible value.
PROPERTY(EffectiveConfig, IsTheSameFromWhicheverLayerAValueComes) {
  enum Layer { file, variable, flag };
  const std::unique_ptr<RoleSettings> config = random_config();
  const ConfigDocument values = parse_document(all_keys(), to_toml(*config), "/conf/role.toml");
  std::string text;
  std::map<std::string, std::string> variables;
  ConfigOverlay overlay;
  std::map<std::string, std::string> origins;
  for (const auto& [table, keys] : values.tables) {
    text += fmt::format("[{}]\n", table);
    for (const auto& [name, value] : keys) {
      const Setting& key = *all_keys().find(table, name);
      const auto* as_text = std::get_if<std::string>(&value.value);
      const std::string given = as_text != nullptr ? *as_text : toml_text(value.value);
      const Layer layer = draw_one_of({file, variable, flag});
      const bool below = draw<bool>();
      if (layer == file) {
        text += fmt::format("{} = {}\n", name, toml_text(value.value));
        origins[key.path()] = "/conf/role.toml";
        continue;
      }
      if (below) text += fmt::format("{} = []\n", name);
      if (layer == variable) variables[key.variable()] = given;
      if (layer == variable) origins[key.path()] = key.variable();
      if (layer == variable) continue;
      if (below) variables[key.variable()] = "impossible \x01";
      overlay.flags.push_back(setting_of_assignment(all_keys(), fmt::format("{}={}", key.path(), given)));
      origins[key.path()] = "--set " + key.path();
    }
  }
  overlay.variables = settings_of_variables(all_keys(), variables);
  ConfigDocument document = parse_document(all_keys(), text, "/conf/role.toml");
  lay_over(document, overlay);
  const EffectiveConfig effective = config_of(document);
  HOLDS(to_toml(*effective.config) == to_toml(*config));
  HOLDS(effective.origins.size() == origins.size());
  for (const auto& [path, origin] : effective.origins) HOLDS(origin.name == origins.at(path));
  const ConfigDocument printed = parse_document(all_keys(), annotated_toml(effective), "/conf/printed.toml");
  HOLDS(to_toml(*config_of(printed).config) == to_toml(*config));
}

PROPERTY(EffectiveConfig, HostileTextIsRefusedInOneLineOrReadsBack) {
  std::string text = to_toml(*random_config());
  const auto edits = draw_in_range(1, 8);
  for (int edit = 0; edit < edits && !text.empty(); ++edit) {
    const auto at = draw_in_range<std::size_t>(0, text.size());
    const auto byte = static_cast<char>(draw_in_range(0, 256));
    switch (draw_in_range(0, 4)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, draw_in_range<std::size_t>(1, 40));
        break;
      default:
        text.insert(at, draw_one_of<std::string>(
                            {"[", "]]", "\"\"\"", "\n[run]\n", "= {", "1e999", "-1", "\\u0000", "2026-01-01"}));
    }
  }
  try {
    const EffectiveConfig effective = config_of(parse_document(all_keys(), text, "/conf/role.toml"));
    const ConfigDocument again = parse_document(all_keys(), annotated_toml(effective), "/conf/role.toml");
    HOLDS(to_toml(*config_of(again).config) == to_toml(*effective.config));
  } catch (const InputError& error) {
    const std::string line = error.what();
    HOLDS(line.find('\n') == std::string::npos);
    HOLDS(line.size() < 600u);
  }
}

}  // namespace

using namespace sotto::apps::bandit;
using namespace sotto::apps::o3m;
using namespace sotto::apps::prepare;
namespace {

std::vector<std::string> keys_of(const AlignSettings& settings) {
  std::vector<std::string> keys;
  for (const RunRole& role : settings.roles()) keys.push_back(role.key);
  return keys;
}

BanditSettings party_of_three() {
  BanditSettings run;
  run.session = "0123456789abcdef0123456789abcdef";
  run.parties = 3;
  run.insecure_plaintext = true;
  run.peers = {{"party_0", "a:1"}, {"party_1", "b:1"}, {"party_2", "c:1"}, {"dealer", "d:1"}};
  run.report = "report.json";
  run.set_role(BanditRole::party, 1);
  return run;
}

TEST(AlignSettings, HoldersAreThePartiesAndWhoIsNamed) {
  BanditSettings run = party_of_three();
  const AlignSettings parties(run);
  EXPECT_THAT(keys_of(parties), ElementsAre("party_0", "party_1", "party_2"));
  EXPECT_EQ(parties.topology(), Topology::without_dealer(3, false));
  EXPECT_THAT(parties.peers, ElementsAre(std::pair<const std::string, std::string>("party_0", "a:1"),
                                         std::pair<const std::string, std::string>("party_1", "b:1")))
      << "nobody connects to the last one";
  EXPECT_TRUE(parties.report.empty());
  run.align_also = "actor";
  const AlignSettings with_actor(run);
  EXPECT_THAT(keys_of(with_actor), ElementsAre("party_0", "party_1", "party_2", "actor"));
  EXPECT_EQ(with_actor.roles().back().node, 3);
  EXPECT_FALSE(with_actor.roles().back().listens);
  EXPECT_EQ(with_actor.peers.size(), 3U);
  EXPECT_EQ(with_actor.topology().name(3), "actor");
  EXPECT_EQ(with_actor.topology().name(2), "party 2");
  run.separate_rewarder = true;
  run.align_also = "rewarder";
  EXPECT_EQ(AlignSettings(run).topology().name(3), "rewarder");
}

TEST(AlignSettings, OfO3mAreItsParticipants) {
  O3mSettings run;
  run.session = "0123456789abcdef0123456789abcdef";
  run.participants = 3;
  run.set_role(O3mRole::passive, 2);
  const AlignSettings settings(run);
  EXPECT_THAT(keys_of(settings), ElementsAre("active", "passive_1", "passive_2"));
  EXPECT_EQ(settings.topology().name(0), "active participant");
  EXPECT_EQ(settings.topology().name(2), "passive participant 2");
  EXPECT_EQ(role_id(settings), 2);
}

TEST(AlignSettings, RefuseWhoHasNoTable) {
  BanditSettings run = party_of_three();
  run.set_role(BanditRole::dealer);
  EXPECT_THAT(error_of<InputError>([&] { AlignSettings{run}; }), HasSubstr("the dealer, which has no table to align"));
  run.set_role(BanditRole::actor);
  EXPECT_THAT(error_of<InputError>([&] { AlignSettings{run}; }), HasSubstr("--also"));
  run.align_also = "actor";
  EXPECT_EQ(role_id(AlignSettings(run)), 3);
  run.align_also = "dealer";
  EXPECT_THAT(error_of<InputError>([&] { AlignSettings{run}; }), HasSubstr("also in [align] names 'dealer'"));
}

TEST(AlignSettings, CompareWhatConcernsAnAlignment) {
  BanditSettings run = party_of_three();
  const std::string before = agreed_text(run);
  run.id_case = IdCase::fold;
  run.align_also = "actor";
  EXPECT_EQ(agreed_text(run), before) << "a run does not compare [align]";
  const std::string text = run_parameters(AlignSettings(run));
  EXPECT_THAT(text, StartsWith("program = sotto align 1\n"));
  EXPECT_THAT(text, HasSubstr("align_unicode = \"nfc\"\nalign_case = \"fold\"\nalign_blanks = \"ends\"\n"
                              "align_also = \"actor\"\n"));
  for (const char* const of_run : {"steps", "arms", "epsilon"}) EXPECT_THAT(text, Not(HasSubstr(of_run)));
  run.steps = 77;
  EXPECT_EQ(run_parameters(AlignSettings(run)), text);
}

TEST(AlignSettings, AreReadFromConfigsAndWrittenToThem) {
  const TestFolder folder;
  const auto file =
      folder.put("config.toml", party_config + "\n[align]\nunicode = \"nfkc\"\nblanks = \"none\"\nalso = \"actor\"\n");
  const auto config = read_role_config<BanditSettings>(file);
  EXPECT_EQ(config.id_unicode, UnicodeForm::nfkc);
  EXPECT_EQ(config.id_case, IdCase::keep);
  EXPECT_EQ(config.id_blanks, IdBlanks::none);
  EXPECT_EQ(config.align_also, "actor");
  EXPECT_THAT(to_toml(config), HasSubstr("[align]\nunicode = \"nfkc\"\nblanks = \"none\"\nalso = \"actor\"\n"));
  const auto wrong = folder.put("wrong.toml", party_config + "\n[align]\ncase = \"upper\"\n");
  EXPECT_THAT(error_of<InputError>([&] { return read_role_config<BanditSettings>(wrong); }),
              HasSubstr("case in [align] must be \"keep\" or \"fold\""));
}

}  // namespace
}  // namespace sotto::apps
