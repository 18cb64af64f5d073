#include "sotto/apps/robin/roles/gathering.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

GatheringShape simulated(std::size_t clients, std::size_t most_a_peer = 1) {
  return {clients, 2, 3, 14, true, most_a_peer, 1, 1e-5};
}
GatheringShape logged(std::size_t clients) { return {clients, 2, 3, 14, false, 1, 1, 1e-5}; }

RobinJoin simulated_join(std::uint64_t first, std::uint64_t count = 1) { return {first, count}; }

// "code: text" of a refusal, empty if there is none.
std::string told(const std::optional<RobinFailed>& refusal) {
  if (!refusal) return {};
  return std::to_string(static_cast<int>(refusal->code)) + ": " + refusal->text;
}

std::string thrown(Gathering& gathering, Gathering::Peer peer, const RobinEstimates& estimates) {
  return error_of<ProtocolError>([&] { gathering.add(peer, estimates); });
}

TEST(Gathering, AllJoinInAnyOrderAndAreNamed) {
  Gathering gathering(simulated(5, 3));
  EXPECT_EQ(gathering.not_joined(), "client 0 and 4 more");
  EXPECT_EQ(told(gathering.join(71, "b", simulated_join(3, 2))), "");
  EXPECT_EQ(gathering.not_joined(), "client 0 and 2 more");
  EXPECT_FALSE(gathering.all_joined());
  EXPECT_EQ(told(gathering.join(12, "a", simulated_join(0, 2))), "");
  EXPECT_EQ(gathering.not_joined(), "client 2");
  EXPECT_EQ(told(gathering.join(40, "c", simulated_join(2))), "");
  EXPECT_TRUE(gathering.all_joined());
  EXPECT_EQ(gathering.not_joined(), "");
  EXPECT_EQ(gathering.name(71), "clients 3 to 4");
  EXPECT_EQ(gathering.name(40), "client 2");
}

TEST(Gathering, OneThatDoesNotFitIsRefusedAndAnotherMayCome) {
  Gathering gathering(logged(2));
  EXPECT_EQ(told(gathering.join(1, "a", {0, 1, 2, 3, 14, 7})), "");
  const auto says = [&](const RobinJoin& join, const char* what, const char* key = "k") {
    const std::string text = told(gathering.join(9, key, join));
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_EQ(text.find("5: "), 0u) << text;
    EXPECT_FALSE(gathering.knows(9));
  };
  says({1, 1, 4, 3, 14, 7}, "4 features and 3 arms, but the run has 2 and 3");
  says({1, 1, 2, 7, 14, 7}, "2 features and 7 arms");
  says({1, 1, 2, 3, 13, 7}, "13 steps, but the run plays 14");
  says({2, 1, 2, 3, 14, 7}, "clients 0 to 1");
  says({0, 1, 2, 3, 14, 7}, "client 0 has joined already");
  says({1, 1, 2, 3, 14, 7}, "certificate of client 0", "a");
  says({0, 2, 2, 3, 14, 7}, "may play 1 client of this run");
  says({1, 1}, "is simulated");
  says({1, 1, 2, 3, 14, 7, 0.9}, "at most --eps 0.9");
  says({1, 1, 2, 3, 14, 7, 1, 1e-6}, "--delta 1e-06, but the run promises epsilon 1 and delta");
  says({1, 1, 2, 3, 14, 8}, "other names than those of client 0");
  EXPECT_EQ(told(gathering.join(9, "k", {1, 1, 2, 3, 99, 7, 1, 1e-5})), "");
  EXPECT_TRUE(gathering.all_joined());
  EXPECT_EQ(told(gathering.join(9, "k", {1, 1, 2, 3, 99, 7, 1, 1e-5})).find("4: "), 0u);
}

TEST(Gathering, WithoutCertificatesNumbersAloneTellThemApart) {
  Gathering gathering(simulated(2));
  EXPECT_EQ(told(gathering.join(1, "", simulated_join(0))), "");
  EXPECT_EQ(told(gathering.join(2, "", simulated_join(1))), "");
  EXPECT_TRUE(gathering.all_joined());
}

TEST(Gathering, OneThatLeavesIsMissingAgain) {
  Gathering gathering(simulated(2));
  EXPECT_EQ(told(gathering.join(1, "a", simulated_join(0))), "");
  EXPECT_EQ(told(gathering.join(2, "b", simulated_join(1))), "");
  EXPECT_TRUE(gathering.leave(1));
  EXPECT_FALSE(gathering.leave(1));
  EXPECT_EQ(gathering.not_joined(), "client 0");
  EXPECT_EQ(told(gathering.join(3, "a", simulated_join(0))), "");
  EXPECT_TRUE(gathering.all_joined());
}

TEST(Gathering, EstimatesStandInTheOrderOfTheNumbers) {
  Gathering gathering(simulated(3, 2));
  ASSERT_EQ(told(gathering.join(5, "b", simulated_join(2))), "");
  ASSERT_EQ(told(gathering.join(6, "a", simulated_join(0, 2))), "");
  for (std::uint64_t release = 0; release < 3; ++release) {
    gathering.begin(release);
    EXPECT_FALSE(gathering.complete());
    const double r = static_cast<double>(release);
    gathering.add(5, {release, {5 + r, 6 + r}});
    EXPECT_FALSE(gathering.complete());
    EXPECT_EQ(gathering.not_reported(), "client 0 and 1 more");
    gathering.add(6, {release, {1 + r, 2 + r, 3 + r, 4 + r}});
    EXPECT_TRUE(gathering.complete());
    EXPECT_EQ(gathering.not_reported(), "");
    const std::vector<double> expected{1 + r, 2 + r, 3 + r, 4 + r, 5 + r, 6 + r};
    const auto estimates = gathering.estimates();
    EXPECT_EQ(std::vector<double>(estimates.begin(), estimates.end()), expected);
  }
}

TEST(Gathering, NothingThatIsWrongCompletesARelease) {
  Gathering gathering(simulated(2));
  ASSERT_EQ(told(gathering.join(1, "a", simulated_join(0))), "");
  ASSERT_EQ(told(gathering.join(2, "b", simulated_join(1))), "");
  EXPECT_NE(thrown(gathering, 1, {0, {1, 2}}).find("nobody waits for"), std::string::npos);
  gathering.begin(4);
  gathering.add(1, {4, {1, 2}});
  const auto says = [&](Gathering::Peer peer, const RobinEstimates& estimates, const char* what) {
    const std::string text = thrown(gathering, peer, estimates);
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_FALSE(gathering.complete());
  };
  says(1, {4, {1, 2}}, "client 0 sent its estimates of release 5 twice");
  says(2, {3, {1, 2}}, "client 1 sent estimates of release 4, not 5");
  says(2, {4, {1}}, "sent 1 number for release 5, not 2");
  says(2, {4, {1, 2, 3}}, "sent 3 numbers");
  says(2, {4, {}}, "sent 0 numbers");
  says(2, {4, {1, NAN}}, "client 1 sent an estimate that is no finite number");
  says(2, {4, {-INFINITY, 1}}, "no finite number");
  says(3, {4, {1, 2}}, "a stranger");
}

}  // namespace
}  // namespace sotto::apps
