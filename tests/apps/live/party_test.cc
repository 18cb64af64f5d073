#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class LivePartyTest : public InService {};

TEST_F(LivePartyTest, UsesWhatWasPushedAndTheDefaultRowElse) {
  begin();
  EXPECT_EQ(push(1, .25, start), PushStatus::stored);
  EXPECT_EQ(push(1, .25, start), PushStatus::same);
  EXPECT_EQ(push(1, .75, start), PushStatus::conflict);
  ask(1, 2, start);
  ASSERT_TRUE(service->propose(start));
  EXPECT_FALSE(party().has_all_features());
  EXPECT_EQ(party().cut_off(), start + settings.cut_off);
  const auto rows_used = party().freeze(start);
  EXPECT_THAT(rows_used, ElementsAre(FeatureValues{.25, -.25}, FeatureValues{.5, .5}, FeatureValues{.5, .5},
                                     FeatureValues{.5, .5}));
  EXPECT_EQ(push(2, .75, start), PushStatus::too_late);
  EXPECT_EQ(push(1, .25, start), PushStatus::same);
  (void)service->finish(start);
  EXPECT_EQ(push(2, .75, start), PushStatus::too_late);
  EXPECT_EQ(push(1, .25, start), PushStatus::same);
  EXPECT_EQ(push(1, .75, start), PushStatus::too_late);
  EXPECT_EQ(party().waiting(), 0u);
  EXPECT_EQ(party().book().last().tally.missing, 1u);
  (void)restart(start);
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_THAT(party().learned_rows(), ElementsAre(FeatureValues{.25, -.25}, FeatureValues{.5, .5}));
}

TEST_F(LivePartyTest, FeaturesThatWereUsedStayTheSame) {
  begin();
  (void)push(1, .25, start);
  (void)push(3, 0, start);
  ask(1, 3, start);
  (void)service->run(start);
  (void)service->run(start + settings.reward_wait);
  ask(4, 1, start + settings.reward_wait);
  (void)service->run(start + settings.reward_wait);
  ASSERT_FALSE(rows[1].get(key_of(LiveTable::used, OrderNumber{1}))) << "the learn stays";
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(push(1, .25, start), PushStatus::same);
    EXPECT_EQ(push(1, .75, start), PushStatus::too_late);
    EXPECT_EQ(push(2, .25, start), PushStatus::too_late) << "decided with the default row";
    EXPECT_EQ(push(2, .5, start), PushStatus::too_late);
    EXPECT_EQ(push(3, -0.0, start), PushStatus::same) << "of both zeros one";
    (void)restart(start);
  }
  // An older version of the program stored no hash of the features.
  ByteWriter number;
  number.number(OrderNumber{1});
  RowDraft draft(rows[1]);
  draft.put(key_of(LiveTable::events, live_event(1)), number.take());
  draft.commit();
  EXPECT_EQ(push(1, .25, start), PushStatus::decided);
  EXPECT_EQ(party().view(live_event(1))->number, 1u);
}

TEST_F(LivePartyTest, WhatIsAtHandIsNeverLate) {
  begin();
  ask(1, 2, start);
  ASSERT_TRUE(service->propose(start));
  party().supply(0, {.1, .2}, "", start);
  EXPECT_THAT(party().missing_places(), ElementsAre(1u));
  party().supply(1, {.3, .4}, "", start);
  EXPECT_TRUE(party().has_all_features());
  EXPECT_EQ(push(2, .25, start), PushStatus::stored);
  EXPECT_TRUE(party().has_all_features());
  const auto used = party().freeze(start);
  EXPECT_EQ(used.at(0), (FeatureValues{.1, .2}));
  EXPECT_EQ(used.at(1), (FeatureValues{.25, -.25}));
  for (std::size_t i = 0; i < 2; ++i) {
    const OrderEntry entry = *service->parties[i]->running();
    if (i == 1) (void)service->parties[i]->freeze(start);
    (void)service->parties[i]->prepare(service->outcome(i, entry), start);
  }
  const std::vector<FeaturePush> again{{live_event(1), {.1, .2}}};
  EXPECT_THAT(party().push(again, start), ElementsAre(PushStatus::same));
  EXPECT_EQ(party().figures().features, 2u);
  EXPECT_EQ(party().book().last().tally.missing, 0u);
  EXPECT_EQ(party().ranges(), (ColumnRanges{{.1, .25}, {-.25, .2}}));
  party().leave_epoch();
  make();
  EXPECT_EQ(party().figures().features, 2u);
}

TEST_F(LivePartyTest, CountsOverRestartsAndWithoutWhatIsUndone) {
  begin();
  party().begin_figures(start);
  (void)push(1, .25, start);
  (void)push(9, .75, start);
  ask(1, 2, start);
  ASSERT_TRUE(service->propose(start));
  (void)service->prepare(0, start);
  EXPECT_EQ(party().book().last().tally.missing, 1u);
  (void)restart(start + 1);
  EXPECT_EQ(party().book().last().tally, OrderTally{}) << "party 1 had not done it";
  ask(1, 2, start);
  (void)service->run(start + 1);
  (void)push(2, .5, start + 2);
  (void)party().forget(start + 3 + settings.feature_wait);
  (void)restart(start + 3);
  party().begin_figures(start + 3);
  EXPECT_EQ(party().figures().since, start);
  EXPECT_EQ(party().figures().features, 2u);
  EXPECT_EQ(party().figures().late_features, 1u);
  EXPECT_EQ(party().figures().dropped_features, 1u);
  EXPECT_EQ(party().book().last().tally.decides, 1u);
  EXPECT_EQ(party().book().last().tally.missing, 1u);
  EXPECT_EQ(party().ranges(), (ColumnRanges{{.25, .75}, {-.75, -.25}}));
}

TEST_F(LivePartyTest, FeaturesComeInUntilTheCutOff) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(push(1, .25, start + 5), PushStatus::stored);
  EXPECT_TRUE(party().has_all_features());
  EXPECT_EQ(party().freeze(start).front(), (FeatureValues{.25, -.25}));
}

TEST_F(LivePartyTest, ARolledBackDecideGivesItsFeaturesBack) {
  begin();
  (void)push(1, .25, start);
  ask(1, 2, start);
  ASSERT_TRUE(service->propose(start));
  (void)service->prepare(0, start);
  EXPECT_EQ(party().waiting(), 0u);
  EXPECT_EQ(party().book().last().decided, 2u);
  service->leave_epoch();
  (void)service->open(start);
  EXPECT_EQ(party().book().last().decided, 0u);
  EXPECT_EQ(party().waiting(), 1u);
  EXPECT_EQ(push(1, .25, start), PushStatus::same);
  EXPECT_EQ(push(2, .75, start), PushStatus::stored) << "no longer too late";
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(party().freeze(start).front(), (FeatureValues{.25, -.25}));
}

TEST_F(LivePartyTest, KeepsTheModelBeforeUntilTheNextIsSettled) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  EXPECT_FALSE(party().model());
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  (void)service->prepare(0, start);
  EXPECT_EQ(party().model(), std::vector{std::byte{2}});
  service->leave_epoch();
  (void)service->open(start);
  EXPECT_FALSE(party().model()) << "rolled back";
  (void)service->run(start + settings.reward_wait);
  EXPECT_EQ(party().model(), std::vector{std::byte{2}});
  for (unsigned i = 0; i < 3; ++i) {
    const LiveTime now = start + (i + 2) * settings.reward_wait;
    ask(10 + i, 1, now);
    (void)service->run(now);
    (void)service->run(now + settings.reward_wait);
  }
  EXPECT_EQ(party().model(), std::vector{std::byte{8}});
  std::size_t models = 0;
  for (const auto& [key, row] : disks[1].rows()) models += key.table == LiveTable::models ? 1 : 0;
  EXPECT_EQ(models, 2u);
}

TEST_F(LivePartyTest, RefusesEntriesThatAreNotNext) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  OrderEntry entry;
  entry.number = 2;
  entry.program = 9;
  entry.shape = {EntryKind::decide, 1};
  entry.before = party().history().marks.back().id;
  entry.events = {live_event(2)};
  const auto refused = [&](auto change) {
    OrderEntry changed = entry;
    change(changed);
    return error_of<ProtocolError>([&] {
      party().propose(changed, start);
      return 0;
    });
  };
  EXPECT_THAT(refused([](auto& e) { e.number = 3; }), HasSubstr("number 3 after number 1"));
  EXPECT_THAT(refused([](auto& e) { e.before = {}; }), HasSubstr("after another number 1"));
  EXPECT_THAT(refused([](auto& e) { e.program = 1; }), HasSubstr("a program that has been passed"));
  EXPECT_THAT(refused([](auto& e) { e.shape.size = 0; }), HasSubstr("no entry that there can be"));
  const auto learn = [&](std::vector<OrderNumber> batches, std::uint32_t size) {
    return refused([&](auto& e) {
      e.shape = {EntryKind::learn, size};
      e.events.clear();
      e.batches = std::move(batches);
      e.number = 2;
    });
  };
  EXPECT_THAT(learn({1}, 1), HasSubstr("a learn that has not begun"));
  const auto begun = [&](std::uint64_t program) {
    return error_of<ProtocolError>([&] {
      party().begin(BeginFrame{program, {EntryKind::learn, 1}, {1}});
      return 0;
    });
  };
  EXPECT_THAT(begun(1), HasSubstr("a program that has been passed"));
  EXPECT_EQ(begun(9), "");
  EXPECT_THAT(begun(10), HasSubstr("a learn while another number is on its way"));
  EXPECT_THAT(learn({1}, 4), HasSubstr("a learn that has not begun")) << "another one has";
  EXPECT_EQ(learn({1}, 1), "") << "it is taken";
  EXPECT_THAT(refused([](auto&) {}), HasSubstr("while another is on its way"));
}

TEST_F(LivePartyTest, RefusesALearnOfWhatIsNotThere) {
  begin();
  ask(1, 4, start);
  (void)service->run(start);
  (void)service->run(start + settings.reward_wait);
  const auto refused = [&](std::vector<OrderNumber> batches) {
    return error_of<ProtocolError>([&] {
      party().begin(BeginFrame{9, {EntryKind::learn, 4}, std::move(batches)});
      return 0;
    });
  };
  EXPECT_THAT(refused({1}), HasSubstr("batch 1, which is not to be learned"));
  EXPECT_THAT(refused({2}), HasSubstr("batch 2, which is not to be learned"));
}

TEST_F(LivePartyTest, DropsFeaturesThatNobodyAsksFor) {
  settings.max_pending = 4;
  begin();
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(push(i, .1, start + i), PushStatus::stored);
  EXPECT_EQ(push(4, .1, start), PushStatus::full);
  EXPECT_EQ(party().forget(start + settings.feature_wait), 0u);
  EXPECT_EQ(party().forget(start + settings.feature_wait + 2), 2u);
  (void)restart(start);
  EXPECT_EQ(party().waiting(), 2u);
  EXPECT_EQ(party().forget(start + 2 * settings.feature_wait), 2u);
  EXPECT_EQ(push(4, .1, start), PushStatus::stored);
}

TEST_F(LivePartyTest, CallsOfATurnAreStoredTogether) {
  begin();
  std::vector<FeaturePush> calls;
  for (unsigned i = 0; i < 100; ++i) calls.push_back({live_event(i % 50), {.1, .2}});
  rows[1].fail_next();
  EXPECT_THROW((void)party().push(calls, start), ResourceError);
  (void)restart(start);
  EXPECT_EQ(party().waiting(), 0u);
  const auto results = party().push(calls, start);
  EXPECT_EQ(std::count(results.begin(), results.end(), PushStatus::stored), 50);
  EXPECT_EQ(std::count(results.begin(), results.end(), PushStatus::same), 50);
}

}  // namespace
}  // namespace sotto::apps::live
