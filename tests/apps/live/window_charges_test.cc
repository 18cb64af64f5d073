#include "apps/live/serve/window_charges.h"

#include "tests/apps/support.h"

namespace sotto::apps::live {
namespace {

class Charges : public InFolder {
 protected:
  Charges() {
    Account::begin(file());
    config.account = file();
    config.state = folder.path();
    config.parties = 2;
    config.role_word = "party";
    config.session = "0123456789abcdef0123456789abcdef";
    config.live.agreement_epsilon = .5;
    config.budget = 1;
  }
  [[nodiscard]] std::filesystem::path file() const { return folder.path() / "account"; }
  [[nodiscard]] WindowCharges charges() {
    return WindowCharges(config, [this](const std::string& line) { lines.push_back(line); });
  }
  [[nodiscard]] double spent(const std::string& id) const {
    Account account(file());
    return account.spent(account.key_of(id));
  }
  static std::vector<bool> charge(WindowCharges& charges, OrderNumber window, const std::vector<std::string>& ids) {
    return charges.charge(window, ids);
  }

  LiveConfig config;
  std::vector<std::string> lines;
};

TEST_F(Charges, EachPersonOnceAWindowUpToTheBudget) {
  WindowCharges of = charges();
  EXPECT_EQ(charge(of, 1, {"anna", "ben"}), (std::vector<bool>{true, true}));
  EXPECT_EQ(charge(of, 1, {"anna"}), std::vector<bool>{true});
  EXPECT_EQ(charge(of, 9, {"anna"}), std::vector<bool>{true});
  EXPECT_EQ(charge(of, 20, {"anna", "ben", "carl"}), (std::vector<bool>{false, true, true}));
  of.rest();
  EXPECT_EQ(spent("anna"), 1);
  EXPECT_EQ(spent("ben"), 1);
  EXPECT_EQ(spent("carl"), .5);
  EXPECT_TRUE(lines.empty());
  Account account(file());
  ASSERT_EQ(account.entries().size(), 2u) << "and one window is being gathered";
  EXPECT_EQ(account.entries()[0].release.receiver, "the actor of service 01234567");
  EXPECT_THAT(account.entries()[0].release.about, HasSubstr("window from number 1"));
}

TEST_F(Charges, GoOnAfterARestart) {
  {
    WindowCharges of = charges();
    EXPECT_EQ(charge(of, 1, {"anna"}), std::vector<bool>{true});
  }
  {
    WindowCharges again = charges();
    EXPECT_EQ(charge(again, 1, {"anna"}), std::vector<bool>{true});
  }
  EXPECT_EQ(spent("anna"), .5);
  config.session = std::string(32, 'a');
  {
    WindowCharges other = charges();
    EXPECT_EQ(charge(other, 1, {"anna"}), std::vector<bool>{true});
  }
  EXPECT_EQ(spent("anna"), 1);
}

TEST_F(Charges, NobodyWhereTheAccountIsInUse) {
  WindowCharges of = charges();
  {
    const Account evaluation(file());
    EXPECT_EQ(charge(of, 1, {"anna", "ben"}), (std::vector<bool>{false, false}));
    EXPECT_EQ(charge(of, 1, {"anna"}), std::vector<bool>{false});
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_THAT(lines[0], AllOf(HasSubstr("nobody is charged"), HasSubstr("another process uses")));
    EXPECT_THAT(of.trouble(), HasSubstr("another process uses"));
  }
  // The role tries to open the account again only after a while, because a decision must not wait for the account.
  EXPECT_EQ(charge(of, 1, {"anna"}), std::vector<bool>{false});
  WindowCharges later = charges();
  EXPECT_EQ(charge(later, 1, {"anna"}), std::vector<bool>{true});
  EXPECT_EQ(later.trouble(), "");
  later.rest();
  EXPECT_EQ(spent("anna"), .5);
}

TEST_F(Charges, FindAnOldCopyAndAnotherAccount) {
  const auto copy = folder.path() / "copy";
  std::filesystem::copy_file(file(), copy);
  {
    WindowCharges of = charges();
    (void)charge(of, 1, {"anna"});
    (void)charge(of, 9, {"anna"});
  }
  const auto newest = folder.path() / "newest";
  std::filesystem::rename(file(), newest);
  std::filesystem::copy_file(copy, file());
  EXPECT_THAT(error_of<DisagreementError>([&] { (void)charges(); }), HasSubstr("old copy"));
  std::filesystem::remove(file());
  Account::begin(file());
  (void)charges();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("another account than before"));
}

TEST_F(Charges, StartWithAnAccountOrNotAtAll) {
  std::filesystem::remove(file());
  EXPECT_THAT(error_of<InputError>([&] { (void)charges(); }), HasSubstr("sotto account begin"));
}

}  // namespace
}  // namespace sotto::apps::live
