// The decision service under random kills: all roles processes, and a client that speaks HTTP.
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

TEST(Serve, Soak) {
  const TestFolder folder;
  const json result =
      result_of(folder, {"soak", "--decisions", "3000", "--kills", "20", "--at-once", "300", "--seed", "3", "--json"});
  const json& events = result.at("tables").at("events").at(0);
  const json& service = result.at("tables").at("service").at(0);
  const json& calls = result.at("tables").at("calls").at(0);
  EXPECT_EQ(service.at("kills"), 20);
  EXPECT_GE(service.at("pairs"), 1);
  EXPECT_EQ(events.at("decided").get<int>() + events.at("baselines").get<int>(), 3000);
  EXPECT_GT(events.at("rewards"), 0);
  EXPECT_GT(events.at("missing_rows"), 0);
  EXPECT_EQ(calls.at("wrong"), 0);
  EXPECT_EQ(calls.at("model_is_right"), true);
  // Of each event its request; of those that were decided also features of both parties and a reward.
  EXPECT_GE(calls.at("checked").get<int>(), 3000 + 3 * events.at("decided").get<int>());
  EXPECT_TRUE(folder.nothing_left());
}

TEST(Serve, SoakOfFiveParties) {
  const TestFolder folder;
  const json result = result_of(folder, {"soak", "--decisions", "600", "--kills", "4", "--parties", "5", "--at-once",
                                         "100", "--roles", "party_4,actor", "--json"});
  const json& calls = result.at("tables").at("calls").at(0);
  EXPECT_EQ(calls.at("wrong"), 0);
  EXPECT_EQ(calls.at("model_is_right"), true);
}

TEST(Serve, SoakKnowsItsRoles) {
  const TestFolder folder;
  expect_refused(folder, {"soak", "--roles", "party_7"}, "there is no role party_7: expected one of");
}

}  // namespace
}  // namespace sotto::testing
