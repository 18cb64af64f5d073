#include "apps/live/roles/archive.h"

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/best_bits.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/files/table.h"
#include "apps/live/archive/archived_rows.h"
#include "apps/live/archive/decided_log.h"
#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class Archived : public InService {
 protected:
  Archived() { settings.archive = 50'000; }

  [[nodiscard]] ArchivedRows rows_of(std::size_t party, const std::vector<EventId>& events) {
    return archived_rows({.5, .5}, rows[1 + party], events);
  }
  [[nodiscard]] bool has(LiveTable table, OrderNumber number, std::size_t party = 0) const {
    return rows[1 + party].get(key_of(table, number)).has_value();
  }
  // Decides the events, and learns them once their rewards are closed.
  void decide_and_learn(unsigned first, unsigned count) {
    ask(first, count, now_);
    (void)service->run(now_);
    now_ += settings.reward_wait;
    (void)service->run(now_);
    now_ += 1000;
  }
  [[nodiscard]] DecidedLog log_of(const EventRewards& rewards = {}, LiveTime since = 0) {
    return decided_log(settings, .3, rows[0], rewards, since);
  }
  LiveTime now_ = start;
};

TEST_F(Archived, KeepsRowsBeyondTheLearn) {
  begin();
  const std::vector<FeaturePush> calls{{live_event(1), {.25, -.25}, "customer 7"}};
  (void)party().push(calls, start);
  ask(1, 2, start);
  (void)push(3, .1, start);
  DecisionRequest of_pseudonym = live_request(3);
  of_pseudonym.subject = "p-3";
  EXPECT_EQ(actor().ask(of_pseudonym, start).status, AskStatus::pending);
  (void)service->run(start);
  now_ += settings.reward_wait;
  (void)service->run(now_);
  decide_and_learn(4, 1);
  ASSERT_TRUE(has(LiveTable::used, 1));
  EXPECT_EQ(rows_of(0, {live_event(3)}).subjects, (std::vector<std::string>{"p-3"})) << "named by its caller";
  const ArchivedRows of_first = rows_of(0, {live_event(2), live_event(1), live_event(4)});
  EXPECT_EQ(of_first.values, (std::vector<double>{.5, .5, .25, -.25, .5, .5}));
  EXPECT_EQ(of_first.subjects, (std::vector<std::string>{"event " + event_text(live_event(2)), "customer 7",
                                                         "event " + event_text(live_event(4))}));
  EXPECT_EQ(of_first.best, (std::vector<std::uint8_t>{1, 0, 0})) << "the share of the event's place in its decide";
  EXPECT_EQ(of_first.without_features, 2u);
  EXPECT_EQ(of_first.missing, 0u);
  const ArchivedRows of_second = rows_of(1, {live_event(2), live_event(1), live_event(4)});
  EXPECT_EQ(of_second.best, (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_TRUE(of_second.subjects.empty());
  EXPECT_EQ(of_second.id, of_first.id);
  EXPECT_NE(rows_of(0, {live_event(1), live_event(2), live_event(4)}).id, of_first.id);
  EXPECT_EQ(rows_of(0, {live_event(1), live_event(9)}).missing, 1u);
}

TEST_F(Archived, ForgetsWhatIsOlderThanTheArchive) {
  begin();
  decide_and_learn(1, 2);
  decide_and_learn(3, 1);
  (void)party().forget(start + settings.archive - 1);
  EXPECT_TRUE(has(LiveTable::archive, 1));
  (void)party().forget(start + settings.archive);
  EXPECT_FALSE(has(LiveTable::archive, 1));
  EXPECT_FALSE(has(LiveTable::used, 1));
  EXPECT_TRUE(has(LiveTable::archive, 3)) << "the second decide is newer";
  EXPECT_EQ(rows_of(0, {live_event(1)}).missing, 1u);
  EXPECT_EQ(rows_of(0, {live_event(3)}).missing, 0u);
  EXPECT_EQ(push(1, .25, now_), PushStatus::too_late) << "the id is known for longer";
}

TEST_F(Archived, KeepsWhatIsNotLearnedYet) {
  settings.archive = settings.reward_wait;
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  (void)party().forget(start + 5 * settings.archive);
  ASSERT_TRUE(has(LiveTable::archive, 1));
  (void)service->run(start + settings.reward_wait);
  EXPECT_EQ(service->arms, (std::vector<std::optional<std::uint16_t>>{FiveRoles::told_arm}));
}

TEST_F(Archived, ADecideThatIsRolledBackLeavesNothing) {
  begin();
  ask(1, 2, start);
  ASSERT_TRUE(service->propose(start));
  (void)service->prepare(0, start);
  ASSERT_TRUE(has(LiveTable::archive, 1));
  (void)restart(start);
  EXPECT_FALSE(has(LiveTable::archive, 1));
  ask(1, 2, start);
  (void)service->run(start);
  EXPECT_EQ(rows_of(0, {live_event(1)}).id, rows_of(1, {live_event(1)}).id);
}

TEST_F(Archived, ModeApprenticeAndAServiceWithoutAnArchiveKeepNothing) {
  settings.mode = LiveMode::apprentice;
  begin();
  DecisionRequest request = live_request(1);
  request.own_arm = 1;
  EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  (void)service->run(start);
  EXPECT_FALSE(has(LiveTable::archive, 1));

  settings.mode = LiveMode::online;
  settings.archive = 0;
  disks = {};
  begin();
  decide_and_learn(1, 2);
  decide_and_learn(3, 1);
  EXPECT_FALSE(has(LiveTable::archive, 1));
  EXPECT_FALSE(has(LiveTable::used, 1));
}

TEST_F(Archived, TheLogHasTheProbabilitiesOfBothBits) {
  begin();
  DecisionRequest barred = live_request(2);
  barred.barred = {2};
  DecisionRequest inactive = live_request(3);
  inactive.activate = false;
  ask(1, 1, start);
  EXPECT_EQ(actor().ask(barred, start).status, AskStatus::pending);
  EXPECT_EQ(actor().ask(inactive, start).status, AskStatus::pending);
  (void)service->run(start);
  EXPECT_EQ(log_of().count, 0u) << "rewards may still come";
  (void)service->run(start + settings.reward_wait);
  ask(4, 1, start + 20'000);
  (void)service->run(start + 20'000);
  const DecidedLog log = log_of({{live_event(1), 1}, {live_event(9), .5}});
  const std::string one = event_text(live_event(1));
  const std::string two = event_text(live_event(2));
  EXPECT_EQ(log.log, "id,arm,arm_name,reward,best_probability,least_probability\n" + one + ",1,b,1,0.8,0.1\n" + two +
                         ",1,b,0,0.85,0.15\n");
  EXPECT_EQ(log.events, "event\n" + one + "\n" + two + "\n");
  EXPECT_EQ(log.count, 2u);
  EXPECT_EQ(log.without_reward, 1u);
  EXPECT_EQ(log.other_rewards, 1u);
  EXPECT_EQ(log_of({}, start + 1).count, 0u);
  EXPECT_EQ(rows_of(0, {live_event(1), live_event(2)}).missing, 0u);

  settings.default_reward.reset();
  EXPECT_EQ(log_of({{live_event(1), 1}}).count, 1u) << "an event without a reward is left out";
}

TEST_F(Archived, BaselinesAreNotInTheLog) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  const LiveTime late = start + settings.decision_deadline;
  EXPECT_EQ(actor().pass_deadlines(late).baselines.size(), 1u);
  (void)service->finish(late);
  (void)service->run(late + settings.reward_wait);
  ask(2, 1, late + 20'000);
  (void)service->run(late + 20'000);
  EXPECT_EQ(log_of().count, 0u);
}

// The arms of an entry that the actor lost are restated by the parties. The actor then knows from the entry how many
// arms were allowed.
TEST_F(Archived, ARestatedDecisionHasItsProbabilities) {
  begin();
  DecisionRequest barred = live_request(1);
  barred.barred = {0};
  EXPECT_EQ(actor().ask(barred, start).status, AskStatus::pending);
  ASSERT_TRUE(service->propose(start));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, start);
  (void)restart(start);
  ASSERT_EQ(actor().ask(barred, start).status, AskStatus::answered);
  (void)service->run(start + settings.reward_wait);
  ask(4, 1, start + 20'000);
  (void)service->run(start + 20'000);
  EXPECT_THAT(log_of().log, HasSubstr(",1,b,0,0.85,0.15\n"));
}

TEST(ArchiveRows, AreWrittenAndRead) {
  ArchiveRow row{77, {}, {1, 0, 1}};
  row.id[3] = std::byte{9};
  const std::vector<std::byte> bytes = encode(row);
  EXPECT_EQ(decode_archive_row(bytes), row);
  std::vector<std::byte> other = bytes;
  other.back() = std::byte{2};
  EXPECT_EQ(decode_archive_row(other), std::nullopt);
  other.pop_back();
  EXPECT_EQ(decode_archive_row(other), std::nullopt);
  DecisionRow decision;
  decision.offered = 3;
  EXPECT_EQ(decode_decision_row(encode(decision)), decision);
  std::vector<std::byte> longer = encode(DecisionRow{});
  longer.resize(longer.size() + 2);
  EXPECT_EQ(decode_decision_row(longer), std::nullopt) << "no arm offered";
}

TEST(ArchiveFiles, AreRefusedInOneLine) {
  const TestFolder folder;
  const std::string one = event_text(live_event(1));
  const auto of_events = [&](const std::string& text) {
    const auto file = folder.put("events.csv", text);
    return message_of<InputError>(folder, [&] { (void)read_events(file); });
  };
  EXPECT_EQ(of_events("event\n" + one + "\nx1\n"), "events.csv:3:1: expected the id of an event, 32 hex digits");
  EXPECT_EQ(of_events("event\n" + one + "\n" + one + "\n"), "events.csv:3:1: the event is in the file twice");
  EXPECT_THAT(of_events("event\n"), StartsWith("events.csv:1: "));
  EXPECT_THAT(of_events("events\n" + one + "\n"), HasSubstr("--events"));
  const auto of_rewards = [&](const std::string& text) {
    const auto file = folder.put("rewards.csv", text);
    return message_of<InputError>(folder, [&] { (void)read_rewards(file); });
  };
  EXPECT_EQ(of_rewards("event,reward\n" + one + ",1.5\n"), "rewards.csv:2:2: expected a reward, a number from -1 to 1");
  EXPECT_EQ(of_rewards("event,reward\n" + one + ",\n"), "rewards.csv:2:2: expected a reward, a number from -1 to 1");
  EXPECT_EQ(of_rewards("event,reward\n" + one + ",1\n" + one + ",0\n"),
            "rewards.csv:3:1: the event is in the file twice");
  const auto file = folder.put("rewards.csv", "reward;event\n-1;" + one + "\n");
  EXPECT_EQ(read_rewards(file), (EventRewards{{live_event(1), -1.}}));
}

TEST(ArchiveFiles, HaveRowsAndTheirShares) {
  const TestFolder folder;
  ArchivedRows rows;
  rows.values = {.25, -.25, .5, .5};
  rows.best = {1, 0};
  rows.subjects = {"x", "y"};
  rows.id = std::string(64, 'b');
  const auto file = write_rows(rows, {"age", "visits"}, {live_event(1), live_event(2)}, folder.path() / "out");
  EXPECT_EQ(read_csv(file).values, rows.values);
  EXPECT_EQ(read_best_bits(file), (BestBits{rows.id, rows.best}));
  const std::string one = event_text(live_event(1));
  const std::string two = event_text(live_event(2));
  EXPECT_EQ(read_order(file), order_digest(std::vector<std::string_view>{one, two}));
  EXPECT_EQ(read_subjects(subjects_file_of(file), file, 2), rows.subjects);
}

}  // namespace
}  // namespace sotto::apps::live
