#include "apps/bandit/run/result/link_model.h"
#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/settings/options.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/finding.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run {

using namespace sotto::apps::prepare;
namespace {

using namespace std::chrono_literals;

TEST(LargestChunk, IsThatOfTheWholeRun) {
  for (const std::size_t arms : {1u, 2u, 10u, 40u, 100u}) {
    for (const bool reveal : {false, true}) {
      BanditPlan plan = even_plan(3, 6, arms, 30);
      plan.parameters.reveal_model = reveal;
      for (const BanditSchedule schedule : {BanditSchedule{0, 0}, BanditSchedule{0, 7}, BanditSchedule{14, 7},
                                            BanditSchedule{29, 7}, BanditSchedule{30, 7}}) {
        EXPECT_EQ(largest_chunk(plan, schedule), plan_costs(plan, schedule).largest_chunk())
            << arms << " arms, from step " << schedule.from_step;
      }
    }
  }
}

TEST(LargestChunk, TakesNoLongerForALongRun) {
  const BanditPlan plan = even_plan(2, 4, 3, std::uint64_t{1} << 18);
  BanditPlan few = plan;
  few.parameters.steps = 300;
  EXPECT_EQ(largest_chunk(plan, {}), largest_chunk(few, {}));
}

BanditOptions options_of(const TestFolder& folder, const std::string& a, const std::string& b) {
  BanditOptions options;
  options.parties = {folder.put("a.csv", a), folder.put("b.csv", b)};
  options.environment = folder.put("labels.csv", "label\n0\n1\n");
  options.run.max_norm = 1;
  return options;
}

TEST(LocalInputs, KnowThatJointRowsKeepToMaxNorm) {
  const TestFolder folder;
  // In each row only one party has nonzero features, so the joint rows have norm 1.
  BanditOptions options = options_of(folder, "x\n1\n0\n", "y\n0\n1.0000000082\n");
  const LocalInputs inputs = read_local_inputs(options);
  EXPECT_EQ(inputs.blocks[1].bound, 1);
  EXPECT_TRUE(local_run_config(options, inputs, 0).joint_norm_holds);
  const std::string refusal = message_of<InputError>(folder, [&] { (void)read_local_inputs(options, true); });
  EXPECT_THAT(refusal, HasSubstr("1 at party 0, 1 at party 1: together up to 1.41421"));
  EXPECT_THAT(refusal, HasSubstr("--joint-norm-holds"));
  options.run.joint_norm_holds = true;
  EXPECT_NO_THROW((void)read_local_inputs(options, true));
}

TEST(LocalInputs, AreRefusedWhereJointRowsDoNotKeepToMaxNorm) {
  const TestFolder folder;
  BanditOptions options = options_of(folder, "x\n1\n1\n", "y\n1\n1\n");
  options.run.joint_norm_holds = true;
  for (const bool apart : {false, true}) {
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_local_inputs(options, apart); }),
                HasSubstr("together is above 1"));
  }
}

TEST(LocalInputs, OfPartiesThatPreparedApartNeedNoWord) {
  const TestFolder folder;
  const BanditOptions options = options_of(folder, "x\n0.70710679\n-0.7071\n", "y\n0.70710679\n0.7071\n");
  const LocalInputs inputs = read_local_inputs(options, true);
  for (const Block& block : inputs.blocks) EXPECT_EQ(block.bound, 1 / std::sqrt(2.0));
}

std::map<NodeId, std::string> told(const std::vector<double>& bounds) {
  std::map<NodeId, std::string> announcements;
  for (std::size_t p = 0; p < bounds.size(); ++p) {
    announcements[static_cast<NodeId>(p)] = to_text(Announcement{30, 2, bounds[p]});
  }
  return announcements;
}

BanditSettings run_of(std::size_t parties, std::optional<double> max_norm) {
  BanditSettings run;
  run.parties = parties;
  run.max_norm = max_norm;
  return run;
}

Findings about(const std::string& subject, Findings findings) {
  std::erase_if(findings, [&](const Finding& finding) { return finding.subject != subject; });
  return findings;
}

Finding only(const Findings& all, const std::string& subject = "joint norm") {
  const Findings findings = about(subject, all);
  EXPECT_EQ(findings.size(), 1u);
  return findings.empty() ? Finding{} : findings.front();
}

TEST(OrderCheck, ComparesThoseThatHaveTold) {
  const std::string a(64, 'a');
  const std::string b(64, 'b');
  const auto checked = [](const std::vector<std::string>& orders) {
    std::map<NodeId, std::string> announcements;
    for (std::size_t p = 0; p < orders.size(); ++p) {
      Announcement announcement{30, 2, 0.5};
      if (orders[p] != "none") announcement.order = orders[p];
      announcements[static_cast<NodeId>(p)] = orders[p].empty() ? "" : to_text(announcement);
    }
    return run_of(3, 1).check_announcements(announcements);
  };
  EXPECT_EQ(only(checked({a, a, a}), "order of rows").verdict, Verdict::good);
  EXPECT_EQ(only(checked({a, "", a}), "order of rows").verdict, Verdict::good);
  EXPECT_TRUE(about("order of rows", checked({"", a, ""})).empty());
  const Finding risk = only(checked({a, "none", a}), "order of rows");
  EXPECT_EQ(risk.verdict, Verdict::note);
  EXPECT_THAT(risk.text, HasSubstr("party 1: nothing says that row t"));
  for (const auto& orders : {std::vector{a, b, a}, std::vector{a, std::string("none"), b}}) {
    const Finding other = only(checked(orders), "order of rows");
    EXPECT_EQ(other.verdict, Verdict::problem);
    EXPECT_EQ(other.code, ExitCode::disagreement);
    EXPECT_THAT(other.text, HasSubstr("are about other cases, or in another order"));
  }
}

TEST(NormCheck, BoundsThatAllowJointRowsAboveMaxNormAreAProblem) {
  const Finding finding = only(run_of(2, 1).check_announcements(told({1, 0.5})));
  EXPECT_EQ(finding.verdict, Verdict::problem);
  EXPECT_EQ(finding.code, ExitCode::disagreement);
  EXPECT_THAT(finding.text, HasSubstr("1 at party 0, 0.5 at party 1: together up to 1.11803"));
  EXPECT_THAT(finding.advice, HasSubstr("joint_norm_holds"));
}

TEST(NormCheck, WhatWasSeenToHoldIsSaid) {
  BanditSettings run = run_of(2, 1);
  run.joint_norm_holds = true;
  EXPECT_EQ(only(run.check_announcements(told({1, 1}))).verdict, Verdict::note);
  EXPECT_EQ(only(run.check_announcements(told({0.5, 0.75}))).verdict, Verdict::good);
}

TEST(NormCheck, BoundsThatKeepToMaxNormAreWell) {
  EXPECT_EQ(only(run_of(4, 1).check_announcements(told({0.5, 0.5, 0.5, 0.5}))).verdict, Verdict::good);
  EXPECT_TRUE(about("joint norm", run_of(2, std::nullopt).check_announcements(told({5, 5}))).empty());
}

TEST(NormCheck, WhoHasToldNothingIsNamed) {
  auto announcements = told({0.5, 0.5});
  announcements[1].clear();
  const Finding finding = only(run_of(2, 1).check_announcements(announcements));
  EXPECT_EQ(finding.verdict, Verdict::note);
  EXPECT_THAT(finding.text, HasSubstr("party 1"));
  EXPECT_EQ(only(run_of(3, 1).check_announcements(told({0.5, 0.5}))).verdict, Verdict::note);
}

TEST(NormCheck, WhatIsNoAnnouncementIsAProblem) {
  auto announcements = told({0.5, 0.5});
  announcements[0] = "bound = 1\n";
  EXPECT_EQ(only(run_of(2, 1).check_announcements(announcements)).verdict, Verdict::problem);
}

TEST(SavedRun, RefusesWhatIsNoOptions) {
  const TestFolder folder;
  for (const char* text :
       {"", "[]", "{}", "{\"format\": 1}", "{\"format\": \"x\"}", "{\"format\": 2, \"parties\": [1]}"}) {
    const auto path = folder.put("options.json", text);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }), StartsWith("options.json:"))
        << text;
  }
  const std::string empty_file = R"({"file": "/dev/null", "digest": )"
                                 R"("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})";
  for (const char* compared : {"-1", "0.5", "\"true\"", "[]"}) {
    const auto path = folder.put("options.json", R"({"format": 2, "parties": [], "environment": )" + empty_file +
                                                     ", \"compare_plaintext\": " + compared + "}");
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }),
                StartsWith("options.json: is not what sotto kept of a run: "));
  }
  EXPECT_THAT(message_of<InputError>(folder, [] { (void)read_saved_run("/dev/zero"); }),
              StartsWith("/dev/zero: the file is larger than 1048576 bytes"));
}

TEST(StepFrames, SumToThePlan) {
  for (const std::size_t parties : {2u, 3u, 5u, 8u}) {
    for (const std::size_t arms : {1u, 10u, 40u}) {
      const BanditPlan plan = even_plan(parties, 20, arms, 1000);
      const StepFrames frames = step_frames(plan);
      const Ledger ledger = plan_costs(plan);
      ASSERT_EQ(ledger.phases().front().name, step_phase);
      const std::vector<sotto::RoundCost>& planned = ledger.phases().front().rounds;
      ASSERT_EQ(frames.rounds.size(), planned.size());
      EXPECT_EQ(frames.parties, parties);
      EXPECT_EQ(frames.nodes, parties + 1);
      for (std::size_t round = 0; round < planned.size(); ++round) {
        for (std::size_t node = 0; node < frames.nodes; ++node) {
          EXPECT_EQ(frames.sent(round, node), planned[round].cost.sent[node])
              << parties << " parties, " << arms << " arms, round " << round << ", node " << node;
        }
      }
      std::uint64_t largest = 0;
      for (std::size_t party = 0; party < parties; ++party) largest = std::max(largest, frames.sent(party));
      EXPECT_EQ(frames.sent_by_largest_party(), largest);
    }
  }
}

TEST(PlanCosts, OfManyPeriodsAreThoseOfTheProgramItself) {
  for (const BanditSchedule schedule :
       {BanditSchedule{}, BanditSchedule{0, 128}, BanditSchedule{300, 0}, BanditSchedule{300, 100},
        BanditSchedule{0, 4000}, BanditSchedule{256, 512}, BanditSchedule{0, std::uint64_t{1} << 63}}) {
    for (const std::uint64_t steps : {1023u, 1024u, 3333u, 7168u}) {
      BanditPlan plan = even_plan(2, 4, 3, steps);
      plan.parameters.reveal_model = steps == 3333;
      BanditSite site;
      const Ledger all = protocols::plan(plan.parameters.topology(),
                                         [&](Party& party) { return private_bandit(party, plan, site, schedule); });
      const Ledger planned = plan_costs(plan, schedule);
      ASSERT_EQ(planned.phases().size(), all.phases().size());
      for (std::size_t i = 0; i < all.phases().size(); ++i) {
        EXPECT_EQ(planned.phases()[i].name, all.phases()[i].name);
        EXPECT_EQ(planned.phases()[i].passes, all.phases()[i].passes);
        EXPECT_EQ(planned.phases()[i].total, all.phases()[i].total)
            << all.phases()[i].name << " of " << steps << " steps from " << schedule.from_step << ", kept every "
            << schedule.checkpoint_every;
      }
      EXPECT_EQ(planned.largest_chunk(), all.largest_chunk());
    }
  }
}

TEST(StepFrames, OfARefreshSumToThePlan) {
  const BanditPlan plan = even_plan(3, 6, 4, 600);
  const StepFrames frames = refresh_frames(plan);
  EXPECT_EQ(frames.rounds.size(), plan.step->refresh_rounds());
  EXPECT_EQ(frames.steps, 256);
  const Cost planned = plan_costs(plan).of(refresh_phase);
  for (std::size_t node = 0; node < frames.nodes; ++node) EXPECT_EQ(2 * frames.sent(node), planned.sent[node]);
  EXPECT_TRUE(refresh_frames(even_plan(3, 6, 4, 255)).rounds.empty());

  const net::LinkConditions link{20ms, 0ms, 0};
  EXPECT_NEAR(model_run(plan, link).total(), .02 * (6 + 5 / 256.), 1e-9);
  EXPECT_NEAR(model_run(even_plan(3, 6, 4, 255), link).total(), .12, 1e-9);
}

TEST(StepFrames, FlowBetweenNodesThatTalk) {
  const StepFrames frames = step_frames(even_plan(3, 20, 10, 100));
  ASSERT_EQ(frames.rounds.size(), 6u);
  for (std::size_t round = 0; round < 6; ++round) {
    for (std::size_t from = 0; from < 4; ++from) {
      EXPECT_EQ(frames.bytes(round, from, from), 0u);
      for (std::size_t to = 0; to < 4; ++to) {
        const std::size_t bytes = frames.bytes(round, from, to);
        EXPECT_TRUE(bytes == 0 || bytes > FrameHeader::size);
        // The parties send the arm to the actor in round 4, and the actor sends the reward in round 5.
        const bool arm = round == 3 && from < 3;
        const bool reward = round == 4 && to < 3;
        if (from == 3) {
          EXPECT_EQ(bytes > 0, reward);
        } else if (to == 3) {
          EXPECT_EQ(bytes > 0, arm);
        }
      }
    }
  }
}

TEST(StepFrames, SplitColumnsEvenly) {
  EXPECT_EQ(even_columns(3, 20), (std::vector<std::size_t>{7, 7, 6}));
  EXPECT_EQ(even_columns(2, 2), (std::vector<std::size_t>{1, 1}));
  EXPECT_THROW((void)even_columns(3, 2), InputError);
  EXPECT_THROW((void)even_columns(1, 20), InputError);
  EXPECT_THROW((void)even_columns(9, 20), InputError);
}

struct Frame {
  std::size_t from, to, bytes;
};
StepFrames frames_of(const std::vector<std::vector<Frame>>& rounds) {
  StepFrames frames{2, 3, {}};
  for (const std::vector<Frame>& round : rounds) {
    frames.rounds.emplace_back(9, 0);
    for (const Frame& f : round) frames.rounds.back()[f.from * 3 + f.to] = f.bytes;
  }
  return frames;
}

const std::vector<Frame> exchange = {{0, 1, 1000}, {1, 0, 1000}};

TEST(LinkModel, CountsRoundsAndTheLargestFrameOfEach) {
  const StepFrames frames = frames_of({exchange, {{0, 1, 3000}, {1, 0, 3000}, {0, 2, 10}}});
  const LinkModel model = model_step(frames, {20ms, 0ms, 8'000'000});
  EXPECT_NEAR(model.delay, 0.04, 1e-9);
  EXPECT_NEAR(model.transfer, 0.004, 1e-9);
  EXPECT_NEAR(model.jitter, 0, 1e-9);
  EXPECT_NEAR(model.arithmetic, 0, 1e-9);
}

// The parties send the arm to the actor, and at the same time a large frame to each other. The actor sends the reward
// back. The large frame determines the time of the step.
TEST(LinkModel, FollowsThePathThatDecides) {
  const StepFrames frames =
      frames_of({{{0, 1, 5000}, {1, 0, 5000}, {0, 2, 100}, {1, 2, 100}}, {{2, 0, 100}, {2, 1, 100}}});
  const LinkModel model = model_step(frames, {10ms, 0ms, 8'000'000});
  // The actor's answer of round 1 arrives at 10.1 + 10.1 ms, while the parties are ready at 15 ms. The next frames of
  // the parties leave at 20.2 ms.
  EXPECT_NEAR(model.total(), 0.0202, 1e-4);
}

// If two nodes only answer each other, each waits for one frame, so the jitter adds only its mean.
TEST(LinkModel, JitterOfTwoIsItsMean) {
  const LinkModel model = model_step(frames_of({exchange}), {20ms, 2ms, 0});
  EXPECT_NEAR(model.delay, 0.020, 1e-9);
  EXPECT_NEAR(model.jitter, 0.001, 1e-4);
}

TEST(LinkModel, ArithmeticIsThatOfTheSlowest) {
  const Arithmetic arithmetic{{0.001, 0.003, 0}};
  const LinkModel model = model_step(frames_of({exchange, exchange}), {}, arithmetic);
  EXPECT_NEAR(model.total(), 0.006, 1e-5);
  EXPECT_NEAR(model.arithmetic, 0.006, 1e-5);
}

TEST(LinkModel, NodesShareCores) {
  const StepFrames frames = frames_of({exchange});
  EXPECT_NEAR(model_step(frames, {}, {{0.001, 0.003, 0}, 2}).total(), 0.003, 1e-5);
  EXPECT_NEAR(model_step(frames, {}, {{0.001, 0.003, 0}, 1}).total(), 0.004, 1e-5);
}

TEST(LinkModel, ErrorIsOfTheModel) {
  LinkModel model{0.09, 0.005, 0, 0.005, 0.08};
  EXPECT_NEAR(model.total(), 0.1, 1e-12);
  EXPECT_NEAR(model.error_percent(), 25, 1e-9);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
