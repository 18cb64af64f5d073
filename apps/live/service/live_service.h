// A role of the decision service as its own organisation sees it: the HTTP interface calls this. The engine
// (apps/live/engine/) is behind it; tests have other implementations.
//
// Threads. Any thread may call, and no call waits: calls are queued and done in their order, many in one transaction.
// The answers arrive by Io::post() on the thread of the service's Io, once for each call, even if the service ends or
// fails meanwhile (Trouble). The readings of status() and counters() are there already, so these answer at once.
//
// Acknowledged means written: a caller that receives `stored`, `used` or `active`, an arm or the baseline, finds that
// on the role's disk.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/live/order/chain.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/features.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewards.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

enum class LiveRoleKind : std::uint8_t { party, dealer, actor, rewarder, helper };
// All kinds except dealer and helper, which learn only of programs.
[[nodiscard]] constexpr bool keeps_order(LiveRoleKind kind) {
  return kind != LiveRoleKind::dealer && kind != LiveRoleKind::helper;
}

// Why a call was not done at all. Nothing of it was written.
enum class Trouble : std::uint8_t {
  none,
  full,            // too many calls wait; try again later
  disk_full,       // the role's disk takes nothing; try again later
  ended,           // the service ends
  learning_ended,  // the call asks for a mode that learns, and the service has learned all that it can
};

template <class Result>
struct CallResult {
  Trouble trouble = Trouble::none;
  Result result{};  // of the call; default if there is trouble
};
template <class Result>
using Answered = std::function<void(CallResult<Result>)>;

enum class PeerState : std::uint8_t { away, here };

struct PeerStatus {
  std::string role;  // "party 1"
  PeerState state = PeerState::away;
  std::optional<LiveTime> last_heard;  // by this role's clock
  std::string trouble;                 // of the last epoch that ended because of this peer; one line, or empty
  // The end of the certificate that the peer showed last. Nothing with links in plain text, or before the first
  // certificate.
  std::optional<LiveTime> certificate_until{};
};

enum class Readiness : std::uint8_t {
  ready,       // an epoch is open, and the role takes its calls
  setting_up,  // links are being made, or an epoch is being opened
  refused,     // the roles do not fit together: `why` names role, numbers and ids, or the line of the settings
  disk_full,   // tried again every 10 s
  draining,    // the actor: takes no events
  ended,
};

struct LiveStatus {
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;     // "party 0"
  std::string version;  // of the program
  std::string session;  // of the config, 32 hex digits
  std::string config;   // 8 hex digits, of everything that the roles have alike in their configs
  Readiness readiness = Readiness::setting_up;
  std::string why;  // a line for people if the role is not ready; nothing private
  LiveMode mode = LiveMode::online;
  std::uint32_t epoch = 0;            // the last that this role opened
  OrderNumber number = 0;             // the last that it did; at dealer or helper: the last that it knows to be settled
  bandit::CheckpointId checkpoint{};  // the id of that number, at actor and parties; else zeros
  OrderNumber model = 0;              // the number of the last learn that it did
  // Events of all decides that this role has done since its store was made; nothing if it does not know.
  std::optional<std::uint64_t> decisions_ever{};
  Agreement agreement{};        // without a party's share; default at a role that keeps no order
  bool has_account = false;     // a party: windows of agreement are charged to it
  std::string account_trouble;  // a party: why no subject can be charged now
  // A party: the days for which limits of subjects stay in force, because its clock was ahead once.
  std::uint64_t days_ahead = 0;
  std::uint64_t pending = 0;              // events that are decided and not learned
  std::uint64_t queue = 0;                // the actor: events that wait; a party: events whose features wait
  std::uint64_t running = 0;              // the number on its way; 0: none
  bool draining = false;                  // the actor
  bool drained = false;                   // the actor: draining, and nothing waits or is on its way
  std::vector<SnapshotName> snapshots{};  // the actor, a party: copies of the model, ascending
  std::uint64_t dropped = 0;              // events that recoveries have dropped, as this role knows it
  // The recovery with which an epoch has opened, the last one since the process began.
  std::optional<OrderEntry> recovery{};
  // At actor, parties and rewarder: events that the model has learned, and the most that it can learn; nothing if there
  // is no such bound. `learning_ended`: no event that is decided from now on is learned.
  std::uint64_t learned = 0;
  std::optional<std::uint64_t> steps{};
  bool learning_ended = false;
  // The actor: by how many ms its clock went back while batches were pending, until these are due; and how often.
  std::uint64_t clock_ahead = 0;
  std::uint64_t clock_turns = 0;
  std::vector<PeerStatus> peers;
  std::optional<LiveTime> certificate_until{};  // the end of this role's own certificate
};

// Programs that the roles prepare themselves, ahead of use.
struct PreparedCounters {
  std::uint64_t programs = 0;
  std::uint64_t ahead = 0;    // prepared and not used
  std::uint64_t waited = 0;   // decides whose program was not prepared yet: the service ran dry
  double seconds_waited = 0;  // of all these decides
};

// Counts that do not concern the role stay 0.
struct LiveCounters {
  // The first counts below are since this time, and are kept across restarts. Dealer and helper keep no rows of them;
  // there it is the time of the process.
  LiveTime since = 0;
  // actor, parties, rewarder
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  // the actor
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;       // calls that were refused, for any reason
  std::uint64_t padding = 0;        // empty places of decides
  std::vector<std::uint64_t> arms;  // that callers received, by arm
  // a party
  std::uint64_t features = 0;          // stored
  std::uint64_t missing_features = 0;  // decided with the default row
  std::uint64_t late_features = 0;
  std::uint64_t dropped_features = 0;  // that no event asked for
  ColumnRanges ranges;                 // of what was stored
  std::optional<SubjectFigures> subjects{};
  // the rewarder
  std::array<std::uint64_t, reward_statuses> rewards{};  // by status
  std::uint64_t clipped = 0;
  double reward_sum = 0;              // of all learned events
  std::uint64_t rewards_learned = 0;  // the number of these events

  // The counts below are since the process began.
  LiveTime process_since = 0;
  std::uint64_t programs_skipped = 0;
  std::map<std::string, std::uint64_t> epochs;      // that ended, by cause: "network", "peer", "resources", ...
  std::map<std::string, std::uint64_t> bytes_sent;  // by peer, in rounds
  std::uint64_t dealt_bytes = 0;
  std::uint64_t programs_dealt = 0;            // the dealer
  std::uint64_t programs_ahead = 0;            // the dealer: planned and not dealt
  std::optional<PreparedCounters> prepared{};  // all roles, without a dealer
  std::uint64_t store_bytes = 0;
};

// Reports for histograms, as things happen. Only the engine thread calls `batch`; any thread of the service calls
// `sync`.
struct LiveObserver {
  // The phases of a number. `wait`: the actor waits for the others once its rounds are over, or a party waits for its
  // features. `rounds`: the rounds. `store`: the role writes the number down.
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
  // Nothing for an event that the role does not know.
  virtual void view(const EventId& event, Answered<std::optional<EventView>> answer) = 0;
};

// The reply to a caller about an event.
struct AskReply {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};  // of `answered`
  bool unanswered = false;             // of `pending`: its deadline has passed, and there is no baseline arm
};
// Places of requests among those of their call, and the replies to them.
using AskAnswered = std::function<void(std::vector<std::pair<std::size_t, AskReply>>, Trouble)>;

class ActorService : public LiveService {
 public:
  // Requests are done one by one, in order. `answer` is called once or more, on the Io's thread, with some of the
  // requests at a time, until each request was answered once. A request is answered when it is refused, or when it has
  // its arm or baseline. With `wait` false it is answered (pending) once it is queued and on the disk. It then gets its
  // arm or baseline whatever happens to this process. Several calls may wait for one event: each call has its answer.
  // If the role has to be made again from its disk, waiting events are asked for again automatically. With trouble the
  // list has all requests that were left.
  virtual void ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) = 0;
  // The answer that the event received or will receive, without asking for the event: nothing if it is not known. With
  // `wait`, once the event has its answer.
  virtual void find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) = 0;
  virtual void activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) = 0;
  // Answers once no event waits or is on its way, with the last number. The service takes no further events until
  // resume().
  virtual void drain(Answered<OrderMark> answer) = 0;
  virtual void resume(Answered<OrderMark> answer) = 0;
  // Copies the model at all parties. Answers with the number at which the copy was made.
  virtual void take_snapshot(Answered<OrderMark> answer) = 0;
  // Answers once the change is the last number, or if that mode is in force already.
  virtual void change_mode(LiveMode mode, Answered<OrderMark> answer) = 0;
};

// A row that a party has before any call asks for it, and its own name of the row's subject, which may be empty.
struct RowAtHand {
  FeatureValues values;
  std::string subject;
};

class PartyService : public LiveService {
 public:
  // The number of the party's columns. Names, bounds and defaults are for the caller, which has checked the values.
  [[nodiscard]] virtual std::size_t columns() const = 0;
  virtual void push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) = 0;
  // Called on the Io's thread for the events of a decide whose features are not here, with their subjects, or none.
  // Features count if they arrive by push() until `cut_off`. Set before start().
  using Wanted = std::function<void(std::vector<EventId> events, std::vector<std::string> subjects, LiveTime cut_off)>;
  virtual void when_wanted(Wanted wanted) = 0;
  // The row that the party has at hand itself, by subject: null if it has none. Called by the service's own thread
  // before it waits for any other role, so no cut-off is too early for the row. Set before start().
  using AtHand = std::function<const RowAtHand*(const std::string& subject)>;
  virtual void take_from(AtHand at_hand) = 0;
  // The party's own names for the subjects of pseudonyms, for rows that come without a name. Set before start().
  virtual void name_by(LiveParty::OwnNames own_names) = 0;
  // How many of a subject's rows went into decisions, by the name that the party counts it by; nothing if none did.
  virtual void view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) = 0;
};

class RewarderService : public LiveService {
 public:
  virtual void post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) = 0;
};

// A dealer or a helper has no calls of its own.
class WitnessService : public LiveService {};

// Conditions that an operator should look at while a role is ready. The log has each of them when it begins, and then
// once a day. The page, /readyz and /v1/status have them as long as they hold.

// The share of the events that a service can learn and has learned.
enum class LearningShare : std::uint8_t { below, most, nearly_all, ended };
// 80 and 95% of status.steps; `ended` if all are learned, or if the next batch is larger than the rest.
[[nodiscard]] LearningShare learning_share(const LiveStatus& status);

struct LiveWarning {
  // The same name as long as it is the same warning: "learning-80", "learning-95", "learning-ended", "clock",
  // "account", "days", and "certificate" with a blank and the role that owns the certificate.
  std::string name;
  std::string text;  // a line for people; nothing private

  friend bool operator==(const LiveWarning&, const LiveWarning&) = default;
};
[[nodiscard]] std::vector<LiveWarning> warnings_of(const LiveStatus& status, LiveTime now);

}  // namespace sotto::apps::live
