#include "tests/apps/live/engine/visitors.h"

namespace sotto::apps::live::testing {
namespace {

template <class Result>
struct Heard {
  std::optional<CallResult<Result>> result;
  [[nodiscard]] Answered<Result> taker() {
    return [this](CallResult<Result> heard) {
      ASSERT_FALSE(result.has_value()) << "answered twice";
      result = std::move(heard);
    };
  }
};

EventId event_of(unsigned number) { return EventId{static_cast<std::byte>(number), std::byte{1}}; }

class EngineCalls : public ::testing::Test {
 protected:
  EngineCalls() {
    settings.cut_off = 0;
    settings.reward_wait = 3'600'000;
  }
  void begin() {
    engines = std::make_unique<Engines>(2, settings);
    engines->start();
    ASSERT_TRUE(engines->run_until([&] { return engines->all_ready(); }));
  }
  AskReply ask(const DecisionRequest& request) {
    std::optional<AskReply> reply;
    engines->actor->ask({request}, true, [&](const auto& replies, CallRefusal trouble) {
      EXPECT_EQ(trouble, CallRefusal::none);
      reply = replies.at(0).second;
    });
    EXPECT_TRUE(engines->run_until([&] { return reply.has_value(); }));
    return reply.value_or(AskReply{});
  }
  AskReply ask(unsigned number) {
    DecisionRequest request;
    request.event = event_of(number);
    return ask(request);
  }
  template <class Result, class Call>
  CallResult<Result> answer_of(Call call) {
    Heard<Result> heard;
    call(heard.taker());
    EXPECT_TRUE(engines->run_until([&] { return heard.result.has_value(); }));
    return heard.result.value_or(CallResult<Result>{});
  }
  std::optional<EventView> view(LiveService& service, unsigned number) {
    return answer_of<std::optional<EventView>>([&](auto taker) { service.view(event_of(number), taker); }).result;
  }

  LiveSettings settings = engine_settings();
  std::unique_ptr<Engines> engines;
};

TEST_F(EngineCalls, TheSameCallGetsTheSameAnswer) {
  begin();
  const AskReply first = ask(1);
  ASSERT_EQ(first.status, AskStatus::answered);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask(1).answer, first.answer);
  engines->kill(engines->actor_id());
  engines->start(engines->actor_id());
  EXPECT_EQ(ask(1).answer, first.answer);
  DecisionRequest other;
  other.event = event_of(1);
  other.subject = "p-1";
  EXPECT_EQ(ask(other).status, AskStatus::conflict);
}

TEST_F(EngineCalls, BarredArmsAreNotTold) {
  begin();
  for (unsigned number = 1; number <= 40; ++number) {
    DecisionRequest request;
    request.event = event_of(number);
    request.barred = {0, 1, static_cast<std::uint16_t>(2 + number % 2)};
    EXPECT_EQ(ask(request).answer->arm, 3 - number % 2);
  }
}

TEST_F(EngineCalls, TheBaselineIsToldWhileAPartyIsAway) {
  settings.decision_deadline = 20;
  begin();
  engines->kill(1);
  const AskReply reply = ask(1);
  EXPECT_EQ(reply.answer->state, DecisionState::baseline);
  engines->start(1);
  ASSERT_TRUE(engines->run_until([&] { return engines->all_ready(); }));
  EXPECT_EQ(ask(1).answer, reply.answer);
  EXPECT_EQ(view(*engines->actor, 1)->state, "baseline");
}

TEST_F(EngineCalls, WithoutABaselineNothingIsToldAtTheDeadline) {
  settings.decision_deadline = 20;
  settings.baseline_arm.reset();
  begin();
  engines->kill(1);
  EXPECT_TRUE(ask(1).unanswered);
  EXPECT_FALSE(view(*engines->actor, 1));
}

TEST_F(EngineCalls, WhatIsAtHandIsNeverLate) {
  const RowAtHand row{{.1, .2}, {}};
  std::atomic<int> looked_up{0};
  settings.cut_off = 0;
  engines = std::make_unique<Engines>(2, settings);
  engines->at_hand = [&](const std::string& subject) {
    ++looked_up;
    return subject == "-" ? nullptr : &row;
  };
  engines->start();
  ASSERT_TRUE(engines->run_until([&] { return engines->all_ready(); }));
  std::vector<DecisionRequest> requests(100);
  for (unsigned i = 0; i < 100; ++i) {
    requests[i].event = event_of(1 + i);
    if (i > 0) requests[i].subject = "p-" + std::to_string(i);
  }
  std::size_t told = 0;
  engines->actor->ask(requests, true, [&](const auto& replies, CallRefusal) { told += replies.size(); });
  ASSERT_TRUE(engines->run_until([&] { return told == 100; }));
  for (const auto& party : engines->party) {
    EXPECT_EQ(party->counters().missing_features, 1u) << "the event without a subject";
    EXPECT_EQ(party->counters().features, 99u);
  }
  EXPECT_GE(looked_up, 198);
}

TEST_F(EngineCalls, APartyCountsItsSubjects) {
  const RowAtHand anna{{.1, .2}, "anna"};
  settings.batch_sizes = {1};
  engines = std::make_unique<Engines>(2, settings);
  engines->at_hand = [&](const std::string&) { return &anna; };
  engines->guards[0].limits.per_day = 2;
  engines->guards[1].limits = {1'000'000, 3};
  engines->start();
  ASSERT_TRUE(engines->run_until([&] { return engines->all_ready(); }));
  std::size_t told = 0;
  for (unsigned i = 1; i <= 5; ++i) {
    DecisionRequest request;
    request.event = event_of(i);
    request.subject = "p-" + std::to_string(i);
    engines->actor->ask({request}, true, [&](const auto& replies, CallRefusal) {
      told += replies.at(0).second.status == AskStatus::answered ? 1 : 0;
    });
    ASSERT_TRUE(engines->run_until([&] { return told == i; }));
  }
  const std::array<std::uint64_t, 2> own{2, 3};
  for (std::size_t i = 0; i < 2; ++i) {
    const SubjectFigures figures = engines->party[i]->counters().subjects.value();
    EXPECT_EQ(figures.most_ever, own[i]);
    EXPECT_EQ(figures.default_rows, 5 - own[i]);
    EXPECT_EQ(figures.at_limit, 1u);
    EXPECT_EQ(engines->party[i]->counters().missing_features, 0u);
    const auto count_of = [&](const std::string& name) {
      return answer_of<std::optional<SubjectCount>>([&](auto taker) { engines->party[i]->view_subject(name, taker); })
          .result;
    };
    EXPECT_EQ(count_of("anna")->ever, own[i]);
    EXPECT_FALSE(count_of("p-1")) << "the party's own name counts";
  }
}

TEST_F(EngineCalls, ADecideThatCannotBeWrittenIsDoneOnceThereIsRoom) {
  for (const RandomnessBy made : {RandomnessBy::dealer, RandomnessBy::ot}) {
    engines = std::make_unique<Engines>(2, settings, made);
    engines->start();
    ASSERT_TRUE(engines->run_until([&] { return engines->all_ready(); }));
    engines->rows(1).fill(true);
    bool told = false;
    DecisionRequest request;
    request.event = event_of(1);
    engines->actor->ask({request}, true, [&](const auto&, CallRefusal) { told = true; });
    ASSERT_TRUE(engines->run_until([&] { return engines->party[1]->status().readiness == Readiness::disk_full; }));
    engines->rows(1).fill(false);
    ASSERT_TRUE(engines->run_until([&] { return told; }));
    EXPECT_EQ(engines->actor->counters().decided, 1u);
    EXPECT_GT(engines->actor->status().epoch, 1u);
  }
}

TEST_F(EngineCalls, EachRoleSaysWhatItKnowsOfAnEvent) {
  begin();
  const auto pushed = answer_of<std::vector<PushStatus>>([&](auto taker) {
    engines->party[0]->push({FeaturePush{event_of(1), {.1, .2}}}, taker);
  });
  EXPECT_THAT(pushed.result, ElementsAre(PushStatus::stored));
  EXPECT_EQ(view(*engines->party[0], 1)->state, "waiting");
  EXPECT_FALSE(view(*engines->party[1], 1));
  const AskReply reply = ask(1);
  EXPECT_EQ(view(*engines->actor, 1)->arm, reply.answer->arm);
  EXPECT_EQ(view(*engines->party[0], 1)->state, "used");
  EXPECT_EQ(view(*engines->party[1], 1)->number, reply.answer->number);
  const auto posted = answer_of<std::vector<RewardStatus>>([&](auto taker) {
    engines->rewarder->post({RewardCall{event_of(1), 1, ""}}, taker);
  });
  EXPECT_THAT(posted.result, ElementsAre(RewardStatus::used));
  EXPECT_EQ(view(*engines->rewarder, 1)->reward, 1.0);
  EXPECT_FALSE(view(*engines->rewarder, 1)->arm);
  EXPECT_FALSE(view(*engines->party[0], 1)->arm);
  EXPECT_FALSE(view(*engines->actor, 1)->reward);
  EXPECT_FALSE(view(*engines->dealer, 1));
  EXPECT_EQ(engines->party[1]->counters().missing_features, 1u);
}

TEST_F(EngineCalls, ADrainedServiceTakesNoEvents) {
  begin();
  (void)ask(1);
  const auto drained = answer_of<OrderMark>([&](auto taker) { engines->actor->drain(taker); });
  EXPECT_EQ(drained.result.number, 1u);
  EXPECT_EQ(ask(2).status, AskStatus::draining);
  EXPECT_EQ(engines->actor->status().readiness, Readiness::draining);
  (void)answer_of<OrderMark>([&](auto taker) { engines->actor->resume(taker); });
  EXPECT_EQ(ask(2).status, AskStatus::answered);
}

TEST_F(EngineCalls, AChangeOfModeIsANumberOfAllRoles) {
  begin();
  const auto changed =
      answer_of<OrderMark>([&](auto taker) { engines->actor->change_mode(LiveMode::apprentice, taker); });
  EXPECT_EQ(changed.result.number, 1u);
  EXPECT_EQ(engines->party[1]->status().mode, LiveMode::apprentice);
  EXPECT_EQ(ask(1).status, AskStatus::lacks_own_arm);
  DecisionRequest request;
  request.event = event_of(1);
  request.own_arm = 3;
  EXPECT_EQ(ask(request).answer->arm, 3);
  EXPECT_EQ(engines->rewarder->status().mode, LiveMode::apprentice);
}

TEST_F(EngineCalls, WhoFindsAnEventThatWaitsHearsItsAnswer) {
  settings.batch_wait = 50;
  begin();
  std::optional<AskReply> asked;
  DecisionRequest request;
  request.event = event_of(1);
  engines->actor->ask({request}, false, [&](const auto& replies, CallRefusal) { asked = replies.at(0).second; });
  ASSERT_TRUE(engines->run_until([&] { return asked.has_value(); }));
  EXPECT_EQ(asked->status, AskStatus::pending);
  const auto found =
      answer_of<std::optional<AskReply>>([&](auto taker) { engines->actor->find(event_of(1), true, taker); });
  ASSERT_TRUE(found.result.has_value());
  EXPECT_EQ(found.result->status, AskStatus::answered);
  const auto unknown =
      answer_of<std::optional<AskReply>>([&](auto taker) { engines->actor->find(event_of(2), true, taker); });
  EXPECT_FALSE(unknown.result.has_value());
}

TEST_F(EngineCalls, AFullDiskIsTroubleAndPasses) {
  begin();
  (void)ask(1);
  engines->rows(engines->rewarder_id()).fail_next();
  const auto posted = answer_of<std::vector<RewardStatus>>([&](auto taker) {
    engines->rewarder->post({RewardCall{event_of(1), 1, ""}}, taker);
  });
  if (posted.trouble == CallRefusal::none) {
    EXPECT_THAT(posted.result, ElementsAre(RewardStatus::used));
  } else {
    EXPECT_EQ(posted.trouble, CallRefusal::disk_full);
    EXPECT_TRUE(posted.result.empty());
  }
  engines->rows(engines->actor_id()).fail_next();
  EXPECT_EQ(ask(2).status, AskStatus::answered);
  EXPECT_GE(engines->actor->status().epoch, 2u);
}

TEST_F(EngineCalls, WhoseDeadlinePassesIsToldOfTheFullDisk) {
  begin();
  DecisionRequest request;
  request.event = event_of(1);
  request.deadline = 30;
  std::optional<CallRefusal> trouble;
  Readiness readiness{};
  engines->rows(engines->actor_id()).fill(true);
  engines->actor->ask({request}, true, [&](const auto& replies, CallRefusal of) {
    EXPECT_EQ(replies.size(), 1u);
    readiness = engines->actor->status().readiness;
    trouble = of;
  });
  ASSERT_TRUE(engines->run_until([&] { return trouble.has_value(); }));
  EXPECT_EQ(trouble, CallRefusal::disk_full);
  EXPECT_EQ(readiness, Readiness::disk_full) << "whoever is told so finds it so";
  engines->rows(engines->actor_id()).fill(false);
  ASSERT_TRUE(engines->run_until(
      [&] { return engines->actor->counters().epochs.contains("resources") && engines->all_ready(); }));
  EXPECT_EQ(ask(request).status, AskStatus::answered);
}

TEST_F(EngineCalls, FiguresAreThereBeforeTheAnswer) {
  begin();
  for (unsigned number = 1; number <= 20; ++number) {
    std::optional<std::uint64_t> decided;
    std::optional<std::uint64_t> used;
    DecisionRequest request;
    request.event = event_of(number);
    engines->actor->ask({request}, true,
                        [&](const auto&, CallRefusal) { decided = engines->actor->counters().decided; });
    ASSERT_TRUE(engines->run_until([&] { return decided.has_value(); }));
    EXPECT_EQ(decided, number);
    engines->rewarder->post({RewardCall{event_of(number), 1, ""}}, [&](const auto&) {
      used = engines->rewarder->counters().rewards.at(static_cast<std::size_t>(RewardStatus::used));
    });
    ASSERT_TRUE(engines->run_until([&] { return used.has_value(); }));
    EXPECT_EQ(used, number);
  }
}

TEST_F(EngineCalls, WhoWaitsIsToldThatTheServiceEnds) {
  settings.batch_wait = 3'600'000;
  begin();
  std::optional<CallRefusal> trouble;
  DecisionRequest request;
  request.event = event_of(1);
  engines->actor->ask({request}, true, [&](const auto& replies, CallRefusal of) {
    EXPECT_EQ(replies.size(), 1u);
    trouble = of;
  });
  ASSERT_TRUE(engines->run_until([&] { return engines->actor->status().queue == 1; }));
  engines->kill(engines->actor_id());
  ASSERT_TRUE(engines->run_until([&] { return trouble.has_value(); }));
  EXPECT_EQ(trouble, CallRefusal::ended);
}

TEST_F(EngineCalls, AnOldCopyIsRefusedInALine) {
  begin();
  const Disk old = engines->disk(1);
  for (unsigned number = 1; number <= 3; ++number) (void)ask(number);
  engines->kill(1);
  engines->disk(1) = old;
  engines->start(1);
  ASSERT_TRUE(engines->run_until_refused(1, "party 1"));
  ASSERT_TRUE(engines->run_until_refused(engines->actor_id(), "party 1"));
  EXPECT_EQ(engines->disk(1).hash(), old.hash()) << "nothing was changed";
}

TEST_F(EngineCalls, WithACadenceFeaturesThatAreThereDoNotShowInTime) {
  settings.batch_sizes = {1};
  settings.cadence = 60'000;
  settings.padding = LivePadding::hidden;
  settings.cut_off = 1000;
  std::atomic<LiveTime> clock{1'000'000'000};
  engines = std::make_unique<Engines>(2, settings);
  engines->now = [&] { return clock.load(); };
  engines->start();
  ASSERT_TRUE(engines->run_until([&] { return engines->all_ready(); }));
  const auto runs_everywhere = [&](OrderNumber number) {
    return std::all_of(engines->party.begin(), engines->party.end(),
                       [&](const auto& party) { return party->status().running == number; });
  };
  ASSERT_TRUE(engines->run_until([&] { return runs_everywhere(1); }));
  clock += 1000;
  ASSERT_TRUE(engines->run_until([&] { return engines->actor->status().number == 1; }));
  for (auto& party : engines->party) {
    const auto pushed = answer_of<std::vector<PushStatus>>([&](auto taker) {
      party->push({FeaturePush{event_of(1), {.1, .2}}}, taker);
    });
    EXPECT_THAT(pushed.result, ElementsAre(PushStatus::stored));
  }
  std::optional<AskReply> reply;
  DecisionRequest request;
  request.event = event_of(1);
  engines->actor->ask({request}, true, [&](const auto& replies, CallRefusal) { reply = replies.at(0).second; });
  clock += 60'000 - 1000;
  ASSERT_TRUE(engines->run_until([&] { return runs_everywhere(2); }));
  for (int turn = 0; turn < 50; ++turn) (void)view(*engines->party[0], 1);
  EXPECT_EQ(engines->party[0]->counters().decides, 1u) << "it has begun before its cut-off";
  EXPECT_FALSE(reply);
  clock += 1000;
  ASSERT_TRUE(engines->run_until([&] { return reply.has_value(); }));
  EXPECT_EQ(engines->party[0]->counters().missing_features, 1u) << "those of the dummy";
}

}  // namespace
}  // namespace sotto::apps::live::testing
