// A role's config of a run, read as one of an alignment.
#include "apps/prepare/align/align_settings.h"

#include "apps/kit/deploy/role_mesh.h"
#include "sotto/protocol/mesh/peers.h"
#include "tests/apps/roles/configs.h"

namespace sotto::apps {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
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
