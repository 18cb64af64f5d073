#include "sotto/apps/kit/deploy/trust_entry.h"

#include "sotto/apps/commands.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string print_of(char digit) { return "sha256:" + std::string(64, digit); }

const std::string head = "# the run, agreed in the meeting\n[run]\nparties = 3   # A, B and C\nsteps = 10\n";

std::string entered(const std::string& text, const std::string& role, char digit) {
  return enter_trust(all_keys(), text, "f.toml", role, print_of(digit)).text;
}

TEST(TrustEntry, MakesTheTableWhereThereIsNone) {
  EXPECT_EQ(entered(head, "dealer", 'a'), head + "\n[trust]\ndealer = \"" + print_of('a') + "\"\n");
  EXPECT_EQ(entered("", "dealer", 'a'), "[trust]\ndealer = \"" + print_of('a') + "\"\n");
  EXPECT_EQ(entered("[run]\nparties = 2", "party_1", 'a'),
            "[run]\nparties = 2\n\n[trust]\nparty_1 = \"" + print_of('a') + "\"\n");
}

TEST(TrustEntry, AddsALineAndKeepsAllOthers) {
  const std::string before = head + "\n[trust]\n# by telephone on Monday\nparty_0 = \"" + print_of('0') + "\"  # A\n";
  const std::string after = "\n[peers]\ndealer = \"d:1\"\n# end\n";
  EXPECT_EQ(entered(before + after, "party_1", '1'), before + "party_1 = \"" + print_of('1') + "\"\n" + after);
  // Without a line end at the end of the file.
  const std::string cut = before.substr(0, before.size() - 1);
  EXPECT_EQ(entered(cut, "party_1", '1'), before + "party_1 = \"" + print_of('1') + "\"\n");
  EXPECT_EQ(entered(head + "[trust]\n[peers]\n", "actor", '1'),
            head + "[trust]\nactor = \"" + print_of('1') + "\"\n[peers]\n");
}

TEST(TrustEntry, ReplacesAValueAndKeepsItsComment) {
  const auto with = [](char digit) {
    return head + "[trust]\n'party_0' =   '" + "' # \xc3\xa4\n" + "dealer = \"" + print_of(digit) + "\" # D\n";
  };
  const TrustEntry entry = enter_trust(all_keys(), with('1'), "f.toml", "dealer", print_of('2'));
  EXPECT_EQ(entry.text, with('2'));
  EXPECT_EQ(entry.before, print_of('1'));
  // Columns count characters: what stands before is of more bytes.
  const std::string wide = "[trust]\n\"party_0\" = \"\xc3\xa4\xc3\xb6\" # was wrong\n";
  EXPECT_EQ(entered(wide, "party_0", '3'), "[trust]\n\"party_0\" = \"" + print_of('3') + "\" # was wrong\n");
  const std::string windows = "[trust]\r\ndealer = \"x\"\r\n";
  EXPECT_EQ(entered(windows, "dealer", '3'), "[trust]\r\ndealer = \"" + print_of('3') + "\"\r\n");
  EXPECT_EQ(entered(windows, "actor", '3'), windows + "actor = \"" + print_of('3') + "\"\r\n");
}

TEST(TrustEntry, ChangesNothingWhereItIsTrustedAlready) {
  const std::string text = entered(head, "dealer", 'a');
  const TrustEntry again = enter_trust(all_keys(), text, "f.toml", "dealer", print_of('a'));
  EXPECT_EQ(again.text, text);
  EXPECT_EQ(again.before, print_of('a'));
}

TEST(TrustEntry, RefusesNonsense) {
  const auto refused = [](const std::string& text, const std::string& role, const std::string& fingerprint) {
    return error_of([&] { (void)enter_trust(all_keys(), text, "f.toml", role, fingerprint); });
  };
  EXPECT_THAT(refused(head, "party_3", print_of('a')), HasSubstr("party_0, party_1, party_2"));
  for (const char* role : {"party_3", "party 0", "rewarder", "", "carol", "party_00"}) {
    EXPECT_THAT(refused(head, role, print_of('a')), HasSubstr("is no role")) << role;
  }
  EXPECT_EQ(refused("[run]\nparties = 2\nseparate_rewarder = true\n", "rewarder", print_of('a')), "");
  for (const std::string& bad : {std::string("sha256:1"), std::string(), print_of('G')}) {
    EXPECT_THAT(refused(head, "dealer", bad), HasSubstr("is no fingerprint")) << bad;
  }
  EXPECT_THAT(refused(entered(head, "dealer", 'a'), "actor", print_of('a')), HasSubstr("already trusted"));
  EXPECT_THAT(refused("[run\n", "dealer", print_of('a')), HasSubstr("f.toml:1:"));
  EXPECT_THAT(refused("trust = 3\n", "dealer", print_of('a')), HasSubstr("by hand"));
  EXPECT_THAT(refused("trust = { dealer = \"x\" }\n", "actor", print_of('a')), HasSubstr("by hand"));
}

TEST(TrustEntry, KnowsTheRolesOfO3m) {
  const std::string third = "[run]\nprotocol = \"o3m\"\nparticipants = 3\n";
  for (const char* role : {"active", "passive_1", "passive_2", "mask_generator"}) {
    EXPECT_EQ(entered(third, role, 'a'), third + "\n[trust]\n" + role + " = \"" + print_of('a') + "\"\n");
  }
  EXPECT_NE(entered(third + "mask_generator = \"third party\"\n", "mask_generator", 'a'), "");
  for (const char* role : {"passive_3", "passive_0", "party_0", "dealer"}) {
    EXPECT_THROW((void)entered(third, role, 'a'), InputError) << role;
  }
  EXPECT_THROW((void)entered(third + "mask_generator = 1\n", "mask_generator", 'a'), InputError);
  EXPECT_THROW((void)entered(head, "active", 'a'), InputError);
}

TEST(TrustEntry, KeepsLinksAndPermissions) {
  const TestFolder folder;
  const fs::path real = folder.put("real.toml", head);
  const fs::path link = folder.path() / "link.toml";
  ::chmod(real.c_str(), 0640);
  fs::create_symlink("real.toml", link);
  EXPECT_EQ(write_trust(all_keys(), link, "dealer", print_of('a')), std::nullopt);
  EXPECT_EQ(write_trust(all_keys(), link, "dealer", print_of('b')), print_of('a'));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(mode_of(real), 0640u);
  EXPECT_EQ(slurp(real), entered(head, "dealer", 'b'));
  EXPECT_THROW(write_trust(all_keys(), folder.path() / "none.toml", "dealer", print_of('b')), InputError);
}

}  // namespace
}  // namespace sotto::apps
