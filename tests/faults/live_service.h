#pragma once

#include "tests/apps/live/engine/visitors.h"
#include "tests/faults/cables.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
using namespace sotto::apps::live::testing;

using sotto::testing::Cables;
using sotto::testing::RelayBytes;

template <class Result>
using HeardResult = std::optional<CallResult<Result>>;

inline EventId fault_event(unsigned number) { return EventId{static_cast<std::byte>(number), std::byte{0xfa}}; }

inline DecisionRequest fault_request(unsigned number, std::uint64_t deadline = 0) {
  DecisionRequest request;
  request.event = fault_event(number);
  request.deadline = deadline;
  return request;
}

// Settings for tests that push no features and send the rewards themselves.
inline LiveSettings lone_settings() {
  LiveSettings settings = engine_settings();
  settings.batch_sizes = {1};
  settings.cut_off = 0;
  settings.reward_wait = 3'600'000;
  settings.remember = 10'000'000;
  settings.deal_ahead = 1;
  return settings;
}

// Each event is counted once, whichever role died, and no event got the baseline. The counters of all roles must agree.
inline void expect_figures(const Engines& engines, const Visitors& visitors) {
  const LiveCounters actor = engines.actor->counters();
  const std::uint64_t events = visitors.visits().size();
  std::vector<std::uint64_t> arms(engines.settings().arms.size());
  std::uint64_t rewarded = 0;
  double sum = 0;
  for (const Visit& visit : visitors.visits()) {
    ++arms.at(visit.told.value().arm);
    if (!visit.rewarded) continue;
    ++rewarded;
    sum += visit.reward;
  }
  EXPECT_EQ(actor.decided, events);
  EXPECT_EQ(actor.baselines, 0u);
  EXPECT_EQ(actor.arms, arms);
  EXPECT_GT(engines.actor->status().model, 0u);
  for (const auto& party : engines.party) {
    const LiveCounters of_party = party->counters();
    EXPECT_EQ(of_party.features, events);
    EXPECT_EQ(of_party.missing_features, 0u);
    EXPECT_EQ(of_party.decides, actor.decides);
    EXPECT_EQ(of_party.learns, actor.learns);
    EXPECT_EQ(party->status().model, engines.actor->status().model);
    EXPECT_GT(of_party.since, 0u);
  }
  const LiveCounters rewarder = engines.rewarder->counters();
  EXPECT_EQ(rewarder.decides, actor.decides);
  EXPECT_EQ(rewarder.learns, actor.learns);
  EXPECT_EQ(rewarder.rewards_learned, events);
  EXPECT_EQ(rewarder.reward_sum, sum);
  EXPECT_EQ(rewarder.rewards.at(static_cast<std::size_t>(RewardStatus::used)), rewarded);
  EXPECT_EQ(engines.rewarder->status().model, engines.actor->status().model);
}

class CabledEngines {
 public:
  explicit CabledEngines(std::size_t parties, LiveSettings settings = engine_settings())
      : engines(parties, std::move(settings)) {
    engines.cable = [this](NodeId from, NodeId to, const net::Address& address) {
      return cables.between(from, to, address);
    };
  }

  void begin() {
    engines.start();
    ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  }
  void restart(NodeId role) {
    engines.kill(role);
    engines.rows(role).revive();
    engines.start(role);
  }
  [[nodiscard]] AskReply ask(const DecisionRequest& request) {
    std::optional<AskReply> reply;
    engines.actor->ask({request}, true, [&](const auto& replies, CallRefusal) { reply = replies.at(0).second; });
    EXPECT_TRUE(engines.run_until([&] { return reply.has_value(); }));
    return reply.value_or(AskReply{});
  }
  template <class Result, class Call>
  [[nodiscard]] CallResult<Result> answer_of(Call call) {
    HeardResult<Result> heard;
    call([&](CallResult<Result> result) { heard = std::move(result); });
    EXPECT_TRUE(engines.run_until([&] { return heard.has_value(); }));
    return heard.value_or(CallResult<Result>{});
  }
  [[nodiscard]] RewardStatus post(unsigned event, double value, const std::string& id = "") {
    const auto answer = answer_of<std::vector<RewardStatus>>([&](auto taker) {
      engines.rewarder->post({RewardCall{fault_event(event), value, id}}, taker);
    });
    EXPECT_EQ(answer.trouble, CallRefusal::none);
    return answer.result.empty() ? RewardStatus::invalid : answer.result.front();
  }
  [[nodiscard]] PushStatus push(std::size_t party, unsigned event, const FeatureValues& values) {
    const auto answer = answer_of<std::vector<PushStatus>>([&](auto taker) {
      engines.party[party]->push({FeaturePush{fault_event(event), values}}, taker);
    });
    EXPECT_EQ(answer.trouble, CallRefusal::none);
    return answer.result.empty() ? PushStatus::full : answer.result.front();
  }
  template <class EachTurn>
  void finish(Visitors& visitors, EachTurn each_turn, std::size_t most = 20) {
    ASSERT_TRUE(engines.run_until([&] {
      visitors.proceed(most);
      const bool goes_on = each_turn();
      return !goes_on && visitors.all_done() && nothing_pending(engines);
    }));
    expect_model(engines, visitors);
  }

  Cables cables;  // declared first, so that the cables outlive the roles
  Engines engines;
};

inline std::vector<ChainRow> chain_of(const Disk& disk) {
  std::vector<ChainRow> rows;
  for (const auto& [key, row] : disk.rows()) {
    if (key.table == LiveTable::chain) rows.push_back(decode_chain_row(row).value());
  }
  return rows;
}

}  // namespace sotto::apps::testing
