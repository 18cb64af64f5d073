#include <cmath>
#include <set>

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/sites/world_site.h"
#include "apps/kit/files/json.h"
#include "apps/kit/store/seal.h"
#include "apps/live/api/call_bodies.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/feature_pull.h"
#include "apps/live/engine/messages.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewarder.h"
#include "apps/live/roles/witness.h"
#include "tests/apps/live/memory_rows.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;

using namespace apps;

namespace {

const FeatureSchema& fuzzed_schema() {
  static const FeatureSchema schema{3, {{"age", 0, 1, 0.5}, {"visits", -2, 2, 0}}, 2};
  return schema;
}

template <class Action>
void or_refused_call(Action action) {
  try {
    or_refused_printably<JsonError>(action);
  } catch (const ProblemError& error) {
    require(error.problem().status == 422 && is_printable(problem_json(error.problem())), "a problem is printable");
  }
}

void require_usable(const FeaturePush& push) {
  require(push.values.size() == 2 && fault_of(fuzzed_schema(), push.values).empty(),
          "features are within their bounds");
}

void require_usable(const RewardCall& call, const RewardTerms& terms) {
  const bool needs_id = terms.aggregation != RewardAggregation::earliest;
  require(call.value >= -1 && call.value <= 1, "a reward is within its range");
  require(!terms.binary || call.value == 0 || call.value == 1, "a reward is one of two");
  require(call.id.size() <= longest_reward_id && !(needs_id && call.id.empty()), "a reward has its id");
}

LiveSettings small_service() {
  LiveSettings settings;
  settings.arms = {"a", "b"};
  settings.batch_sizes = {1, 4};
  settings.reward_wait = 1000;
  settings.agreement_window = 3;
  return settings;
}

// All roles except the actor. The roles follow the actor's messages. As in the real engines, the epoch ends when a role
// refuses a message.
class Followers {
 public:
  Followers() {
    const net::SessionId session{std::byte{1}};
    const LiveOpening opening{1, 0, {}};
    party_.open(opening, session);
    rewarder_.open(opening, session, nullptr, 0);
    dealer_.open(opening, session);
  }

  void hear(NodeId from, Input bytes) {
    bool is_refused = true;
    or_refused_printably<ProtocolError>([&] {
      const OrderMessage message = decode_message(topology_, from, bytes);
      require_same(encode(message), bytes, "a message that is accepted encodes to the same bytes");
      require(message.origin == from || from == 0, "nobody but party 0 speaks for others");
      std::visit([&](const auto& frame) { take(frame); }, message.frame);
      is_refused = false;
    });
    if (!is_refused) return;
    party_.leave_epoch();
    rewarder_.leave_epoch();
  }

 private:
  void take(const PlanFrame& plan) {
    programs_.plan(plan);
    dealer_.plan(plan);
    while (dealer_.next()) {
    }
  }
  void take(const SkipFrame& skip) {
    (void)programs_.skip(skip);
    dealer_.skip(skip);
  }
  void take(const ProposeFrame& propose) {
    const OrderEntry& entry = propose.entry;
    if (entry.program != 0 && entry.shape.kind != EntryKind::learn) programs_.take(entry);
    party_.propose(entry, 1);
    rewarder_.propose(entry);
    if (entry.shape.kind == EntryKind::decide) (void)party_.freeze(1);
    const OrderNumber before = party_.book().last().mark.number;
    (void)party_.prepare({}, 1);
    (void)rewarder_.prepare(1);
    require(party_.book().last().mark.number == before + 1, "numbers go up by one");
    require(party_.mode() == rewarder_.mode() && party_.pending() == rewarder_.pending(), "roles agree");
  }
  void take(const BeginFrame& learn) {
    programs_.take(learn);
    party_.begin(learn);
    rewarder_.begin(learn);
    require(party_.learned_rows().size() == rewarder_.learned_rewards().size(), "roles learn the same events");
  }
  void take(const RanFrame&) {}
  void take(const SettledFrame& settled) {
    party_.settle(settled);
    rewarder_.settle(settled);
  }
  void take(const DoneFrame&) {}
  void take(const RestateFrame&) {}
  void take(const OpenedFrame&) {}
  void take(const KnownFrame&) {}

  Topology topology_{2, true, bandit_names};
  apps::live::testing::Disk disks_[3];
  apps::live::testing::MemoryRows rows_[3]{apps::live::testing::MemoryRows(disks_[0]),
                                           apps::live::testing::MemoryRows(disks_[1]),
                                           apps::live::testing::MemoryRows(disks_[2])};
  LiveParty party_{rows_[0], small_service(), FeatureValues{0, 0}, [] { return std::int64_t{1}; }};
  LiveRewarder rewarder_{rows_[1], small_service()};
  LiveDealer dealer_{rows_[2]};
  PlannedPrograms programs_;
};

}  // namespace

// Control frames from peers, one after the other. Input: for each frame its sender, its length in two bytes, and its
// bytes.
void live_messages(Input input) {
  Followers followers;
  constexpr std::size_t most = 64;
  for (std::size_t i = 0; i < most && input.size() >= 3; ++i) {
    const auto from = static_cast<NodeId>(std::to_integer<unsigned>(input[0]) % 4);
    const std::size_t length = std::to_integer<std::size_t>(input[1]) + 256 * std::to_integer<std::size_t>(input[2]);
    input = input.subspan(3);
    const std::size_t taken = std::min(length, input.size());
    followers.hear(from, input.first(taken));
    input = input.subspan(taken);
  }
}

void sealed_rows(Input input) {
  static const SealingKey key = SealingKey::derive(std::vector<std::byte>(32, std::byte{7}), "fuzz");
  require(!key.open(input, "events"), "nobody without the key makes a row");
  const std::vector<std::byte> sealed = key.seal(input, "events");
  require(sealed.size() == input.size() + SealingKey::overhead, "sealing adds what it says");
  const auto opened = key.open(sealed, "events");
  require(opened.has_value(), "a sealed row opens");
  require_same(*opened, input, "a sealed row opens to what it was");
  require(!key.open(sealed, "batches"), "a row opens at its place alone");
  std::vector<std::byte> changed = sealed;
  changed[input.size() % changed.size()] ^= std::byte{1};
  require(!key.open(changed, "events"), "a changed row does not open");
}

// Errors about a simulator's answer contain no part of the answer.
void world_answer(Input input) {
  const std::string where = "/run/world.sock";
  or_refused_printably([&] {
    const std::vector<double> row = apps::bandit::run::read_world_row(text_of(input), 7, 2, 1, where);
    require(row.size() == 2 && std::hypot(row[0], row[1]) <= 1.001, "a row is within its norm");
  });
  for (const bool binary : {true, false}) {
    or_refused_printably([&] {
      const double reward = apps::bandit::run::read_world_reward(text_of(input), 7, binary, where);
      require(reward >= -1 && reward <= 1 && (!binary || reward == 0 || reward == 1), "a reward is within its range");
    });
  }
}

void decision_body(Input input) {
  static const std::vector<std::string> arms{"a", "b", "c"};
  or_refused_call([&] {
    const DecisionCall call = read_decision(text_of(input), arms);
    const DecisionRequest& request = call.request;
    const std::set<std::uint16_t> barred(request.barred.begin(), request.barred.end());
    require(barred.size() == request.barred.size() && barred.size() < arms.size(), "an arm is left");
    require(barred.empty() || *barred.rbegin() < arms.size(), "what is barred is an arm");
    require(!request.own_arm || (*request.own_arm < arms.size() && !barred.contains(*request.own_arm)),
            "the own arm is one that it may get");
    require(request.subject.size() <= longest_subject && is_printable(request.subject), "a subject is a pseudonym");
    require(request.deadline <= longest_deadline, "a deadline has its range");
    require(!call.wait || *call.wait <= longest_wait, "a wait has its range");
    require(parse_event(event_text(request.event)) == request.event, "an event has one name");
  });
}

void features_body(Input input) {
  or_refused_call([&] { require_usable(read_features(text_of(input), EventId{}, fuzzed_schema()).push); });
  or_refused_call([&] { require_usable(read_features_line(text_of(input), fuzzed_schema()).push); });
}

void reward_body(Input input) {
  for (const RewardTerms terms :
       {RewardTerms{RewardAggregation::earliest, false}, RewardTerms{RewardAggregation::sum, true}}) {
    or_refused_call([&] { require_usable(read_reward(text_of(input), EventId{}, terms), terms); });
    or_refused_call([&] { require_usable(read_reward_line(text_of(input), terms), terms); });
  }
}

void pull_answer(Input input) {
  or_refused_call([&] {
    const PullAnswer answer = read_pull_answer(text_of(input), 3, 2);
    require(answer.rows.size() == 3 && answer.subjects.size() == 3, "a row and a subject an event");
    for (const auto& row : answer.rows) {
      require(!row || (row->size() == 2 && std::isfinite((*row)[0]) && std::isfinite((*row)[1])), "a row is numbers");
    }
  });
}

}  // namespace sotto::fuzz
