// The interface of a role to its own organisation.
//
// Any thread may call the functions, and no function waits. The role processes calls in order. Answers arrive by
// Io::post() on the thread of the service's Io. Each call is answered once, even if the service ends or fails
// meanwhile.
//
// A role answers `stored`, `used`, `active`, an arm or the baseline arm only after it has written the answer to its
// disk.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/live/order/chain.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/features.h"
#include "apps/live/roles/figure_history.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewards.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

enum class LiveRoleKind : std::uint8_t { party, dealer, actor, rewarder, helper };
[[nodiscard]] constexpr bool keeps_order(LiveRoleKind kind) {
  return kind != LiveRoleKind::dealer && kind != LiveRoleKind::helper;
}

// If a call is answered with a value other than `none`, the role has written nothing for this call.
enum class CallRefusal : std::uint8_t {
  none,
  full,
  disk_full,
  ended,
  learning_ended,
};

template <class Result>
struct CallResult {
  CallRefusal trouble = CallRefusal::none;
  Result result{};
};
template <class Result>
using Answered = std::function<void(CallResult<Result>)>;

enum class PeerState : std::uint8_t { away, here };

struct PeerStatus {
  std::string role;
  PeerState state = PeerState::away;
  std::optional<LiveTime> last_heard;  // by this role's clock
  std::string trouble;                 // the error on this peer's link that ended the last epoch, or empty
  // Not set if links are not encrypted, or if the peer has not shown a certificate yet.
  std::optional<LiveTime> certificate_until{};
};

enum class Readiness : std::uint8_t {
  ready,
  setting_up,
  refused,    // the settings or the stores of the roles do not fit together
  disk_full,  // the role tries again every 10 s
  draining,
  ended,
};

struct LiveStatus {
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;
  std::string version;
  std::string session;  // 32 hex digits
  std::string config;   // 8 hex digits that identify the settings that all roles must have in common
  Readiness readiness = Readiness::setting_up;
  std::string why;  // one line for people; nothing private
  LiveMode mode = LiveMode::online;
  std::uint32_t epoch = 0;
  OrderNumber number = 0;  // number of the role's last entry; at the dealer or the helper: of the last settled entry
  bandit::CheckpointId checkpoint{};  // id of this entry, at the actor and the parties; else zeros
  OrderNumber model = 0;
  // The number of events in all decides since the role's store was made. Not set if the role does not know this number.
  std::optional<std::uint64_t> decisions_ever{};
  Agreement agreement{};
  LiftWindow lift{};
  bool has_account = false;
  std::string account_trouble;  // why the party cannot charge any subject now; else empty
  // If the clock of a party was ahead and was set back, the party counts no new day until the clock has reached the old
  // day again. This is the number of days until then.
  std::uint64_t days_ahead = 0;
  std::uint64_t pending = 0;
  std::uint64_t queue = 0;  // at the actor: events that wait; at a party: events whose features wait
  std::uint64_t running = 0;
  bool draining = false;
  bool drained = false;
  std::vector<SnapshotName> snapshots{};
  std::uint64_t dropped = 0;
  std::optional<OrderEntry> recovery{};
  std::uint64_t learned = 0;
  std::optional<std::uint64_t> steps{};
  bool learning_ended = false;
  // If the actor's clock was set back to a time before that of an open batch: the difference in ms. 0 again after
  // `reward_wait`.
  std::uint64_t clock_ahead = 0;
  std::uint64_t clock_turns = 0;
  std::vector<PeerStatus> peers;
  std::optional<LiveTime> certificate_until{};
};

struct PreparedCounters {
  std::uint64_t programs = 0;
  std::uint64_t ahead = 0;
  std::uint64_t waited = 0;
  double seconds_waited = 0;
};

// The counts that are declared before `process_since` cover the time from `since` on, and survive restarts. At the
// dealer and the helper, these counts begin when the process begins.
struct LiveCounters {
  LiveTime since = 0;
  std::shared_ptr<const HistoryPoints> history{};  // null at the dealer and the helper
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;
  std::uint64_t padding = 0;
  std::vector<std::uint64_t> arms;
  std::uint64_t features = 0;
  std::uint64_t missing_features = 0;
  std::uint64_t late_features = 0;
  std::uint64_t dropped_features = 0;
  ColumnRanges ranges;
  std::optional<SubjectFigures> subjects{};
  std::array<std::uint64_t, reward_statuses> rewards{};
  std::uint64_t clipped = 0;
  double reward_sum = 0;
  std::uint64_t rewards_learned = 0;

  // The counts below begin when the process begins, at the time `process_since`.
  LiveTime process_since = 0;
  std::uint64_t programs_skipped = 0;
  std::map<std::string, std::uint64_t> epochs;
  std::map<std::string, std::uint64_t> bytes_sent;
  std::uint64_t dealt_bytes = 0;
  std::uint64_t programs_dealt = 0;
  std::uint64_t programs_ahead = 0;
  std::optional<PreparedCounters> prepared{};
  std::uint64_t store_bytes = 0;
};

// Times are in seconds. Only the engine thread calls `batch`; any thread of the service may call `sync`.
struct LiveObserver {
  enum class Phase : std::uint8_t { wait, rounds, store };
  std::function<void(ProgramShape, Phase, double seconds)> batch{};
  std::function<void(double seconds)> sync{};
};

class LiveService {
 public:
  LiveService() = default;
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;
  virtual ~LiveService() = default;

  [[nodiscard]] virtual const LiveSettings& settings() const = 0;
  [[nodiscard]] virtual LiveStatus status() const = 0;
  [[nodiscard]] virtual LiveCounters counters() const = 0;
  // Answers with nothing if the role does not know the event.
  virtual void view(const EventId& event, Answered<std::optional<EventView>> answer) = 0;
};

struct AskReply {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};
  bool unanswered = false;
};
using AskAnswered = std::function<void(std::vector<std::pair<std::size_t, AskReply>>, CallRefusal)>;

class ActorService : public LiveService {
 public:
  // The Io's thread calls `answer` one or more times, each time with some of the replies. Each request is answered
  // once. With `wait`, the actor answers a request when the request is refused or has its arm or baseline arm. Without
  // `wait`, the actor answers `pending` when the request is on the disk. Such a request gets its arm or baseline arm
  // even if this process crashes. Several calls may wait for one event.
  virtual void ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) = 0;
  // Looks up an event's answer without a request for a decision. Answers with nothing if the event is not known. With
  // `wait`, the look-up waits until the event has its answer.
  virtual void find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) = 0;
  virtual void activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) = 0;
  // The actor refuses new events until resume() is called. The role answers the call when no event waits and no decide
  // runs.
  virtual void drain(Answered<OrderMark> answer) = 0;
  virtual void resume(Answered<OrderMark> answer) = 0;
  // The role answers with the number of the entry in which the parties copied the model.
  virtual void take_snapshot(Answered<OrderMark> answer) = 0;
  virtual void change_mode(LiveMode mode, Answered<OrderMark> answer) = 0;
};

// `subject` is the party's own name for the subject, and may be empty.
struct RowAtHand {
  FeatureValues values;
  std::string subject;
};

class PartyService : public LiveService {
 public:
  [[nodiscard]] virtual std::size_t columns() const = 0;
  virtual void push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) = 0;
  // If events of a decide have no features, the Io's thread calls `wanted` with these events. `subjects` are the
  // subjects of these events, or an empty list. Features are used if they arrive by push() before `cut_off`. Call
  // when_wanted() before start().
  using Wanted = std::function<void(std::vector<EventId> events, std::vector<std::string> subjects, LiveTime cut_off)>;
  virtual void when_wanted(Wanted wanted) = 0;
  // `at_hand` returns the row that the party has in memory for a subject, or null. A decide can always use such a row,
  // because nobody has to wait for it. Call take_from() before start().
  using AtHand = std::function<const RowAtHand*(const std::string& subject)>;
  virtual void take_from(AtHand at_hand) = 0;
  // `own_names` returns the party's own name for a pseudonym. Call name_by() before start().
  virtual void name_by(LiveParty::OwnNames own_names) = 0;
  // Answers with the number of the subject's rows that were used in decisions, or with nothing if there is none.
  virtual void view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) = 0;
};

class RewarderService : public LiveService {
 public:
  virtual void post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) = 0;
};

class WitnessService : public LiveService {};

enum class LearningShare : std::uint8_t { below, most, nearly_all, ended };
// `most` begins when 80% of status.steps are used, and `nearly_all` at 95%. `ended` means that all steps are used, or
// that the next batch needs more steps than are left.
[[nodiscard]] LearningShare learning_share(const LiveStatus& status);

struct LiveWarning {
  // "learning-80", "learning-95", "learning-ended", "clock", "account", "days", or "certificate ROLE" with the role
  // that owns the certificate
  std::string name;
  std::string text;  // for people; no private data

  friend bool operator==(const LiveWarning&, const LiveWarning&) = default;
};
[[nodiscard]] std::vector<LiveWarning> warnings_of(const LiveStatus& status, LiveTime now);

}  // namespace sotto::apps::live
