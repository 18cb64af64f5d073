#include "sotto/apps/kit/deploy/trust_entry.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "sotto/apps/commands.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

std::string print_of(char digit) { return "sha256:" + std::string(64, digit); }

const std::string head =
    "# the run, agreed in the meeting\n"
    "[run]\n"
    "parties = 3   # A, B and C\n"
    "steps = 10\n";

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
    try {
      (void)enter_trust(all_keys(), text, "f.toml", role, fingerprint);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(head, "party_3", print_of('a')).find("party_0, party_1, party_2"), std::string::npos);
  for (const char* role : {"party_3", "party 0", "rewarder", "", "carol", "party_00"}) {
    EXPECT_NE(refused(head, role, print_of('a')).find("is no role"), std::string::npos) << role;
  }
  EXPECT_EQ(refused("[run]\nparties = 2\nseparate_rewarder = true\n", "rewarder", print_of('a')), "");
  for (const std::string& bad : {std::string("sha256:1"), std::string(), print_of('G')}) {
    EXPECT_NE(refused(head, "dealer", bad).find("is no fingerprint"), std::string::npos) << bad;
  }
  EXPECT_NE(refused(entered(head, "dealer", 'a'), "actor", print_of('a')).find("already trusted"), std::string::npos);
  EXPECT_NE(refused("[run\n", "dealer", print_of('a')).find("f.toml:1:"), std::string::npos);
  EXPECT_NE(refused("trust = 3\n", "dealer", print_of('a')).find("by hand"), std::string::npos);
  EXPECT_NE(refused("trust = { dealer = \"x\" }\n", "actor", print_of('a')).find("by hand"), std::string::npos);
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
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "sotto-trust-entry";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "real.toml") << head;
  ::chmod((folder / "real.toml").c_str(), 0640);
  std::filesystem::create_symlink("real.toml", folder / "link.toml");
  EXPECT_EQ(write_trust(all_keys(), folder / "link.toml", "dealer", print_of('a')), std::nullopt);
  EXPECT_EQ(write_trust(all_keys(), folder / "link.toml", "dealer", print_of('b')), print_of('a'));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.toml"));
  struct stat status {};
  ASSERT_EQ(::stat((folder / "real.toml").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  std::ostringstream text;
  text << std::ifstream(folder / "real.toml").rdbuf();
  EXPECT_EQ(text.str(), entered(head, "dealer", 'b'));
  EXPECT_THROW(write_trust(all_keys(), folder / "none.toml", "dealer", print_of('b')), InputError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sotto::apps
