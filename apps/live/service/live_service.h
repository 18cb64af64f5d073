// A role of the decision service as its own organisation sees it: the HTTP interface calls this. The engine
// (apps/live/engine/) is behind it; tests have other implementations.
//
// Threads. Any thread may call, and no call waits. Calls are queued and done in their order, many in one transaction.
// The answers arrive by Io::post() on the thread of the service's Io. Each call is answered once, even if the service
// ends or fails meanwhile (Trouble). status() and counters() return readings that are kept ready, so they answer at
// once.
//
// Acknowledged means written. If a caller receives `stored`, `used`, `active`, an arm or the baseline, the role's disk
// already has that.
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
// Whether the role keeps the order: all kinds do, except dealer and helper, which learn only of programs.
[[nodiscard]] constexpr bool keeps_order(LiveRoleKind kind) {
  return kind != LiveRoleKind::dealer && kind != LiveRoleKind::helper;
}

// Why a call was not done at all. In each of these cases nothing of it was written.
enum class Trouble : std::uint8_t {
  none,
  full,            // too many calls wait; try again later
  disk_full,       // the role's disk is full; try again later
  ended,           // the service ends
  learning_ended,  // the call asks for a mode that learns, and the service has learned all that it can
};

template <class Result>
struct CallResult {
  Trouble trouble = Trouble::none;
  Result result{};  // result of the call; the default if there is trouble
};
template <class Result>
using Answered = std::function<void(CallResult<Result>)>;

enum class PeerState : std::uint8_t { away, here };

struct PeerStatus {
  std::string role;  // "party 1"
  PeerState state = PeerState::away;
  std::optional<LiveTime> last_heard;  // by this role's clock; nothing if the peer was never heard
  std::string trouble;                 // trouble of the last epoch that this peer ended; one line, or empty
  // The end of the certificate that the peer showed last. Nothing if links are in plain text, or before the peer has
  // shown a certificate.
  std::optional<LiveTime> certificate_until{};
};

enum class Readiness : std::uint8_t {
  ready,       // an epoch is open, and the role takes its calls
  setting_up,  // links are being made, or an epoch is being opened
  refused,     // the roles do not fit together: `why` names role, numbers and ids, or the line of the settings
  disk_full,   // the disk is full; tried again every 10 s
  draining,    // the actor takes no events
  ended,
};

struct LiveStatus {
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;     // "party 0"
  std::string version;  // version of the program
  std::string session;  // session of the config, 32 hex digits
  std::string config;   // 8 hex digits that stand for everything that the roles' configs must have in common
  Readiness readiness = Readiness::setting_up;
  std::string why;  // a line for people if the role is not ready; nothing private
  LiveMode mode = LiveMode::online;
  std::uint32_t epoch = 0;            // the last epoch that this role opened
  OrderNumber number = 0;             // the last number that it did; dealer, helper: the last settled one it knows
  bandit::CheckpointId checkpoint{};  // at actor and parties: the id of `number`; else zeros
  OrderNumber model = 0;              // the number of the last learn that it did
  // Events of all decides that this role has done since its store was made; nothing if the role does not know.
  std::optional<std::uint64_t> decisions_ever{};
  Agreement agreement{};        // without a party's share; the default at a role that keeps no order
  bool has_account = false;     // at a party: whether windows of agreement are charged to an account
  std::string account_trouble;  // at a party: why no subject can be charged now; else empty
  // At a party: for how many days limits of subjects stay in force because its clock was ahead once.
  std::uint64_t days_ahead = 0;
  std::uint64_t pending = 0;              // events that are decided and not learned
  std::uint64_t queue = 0;                // at the actor: events that wait; at a party: events whose features wait
  std::uint64_t running = 0;              // number of the entry on its way; 0: none
  bool draining = false;                  // at the actor: whether it takes no more events
  bool drained = false;                   // at the actor: it is draining, and no event waits or is on its way
  std::vector<SnapshotName> snapshots{};  // at the actor or a party: copies of the model, ascending
  std::uint64_t dropped = 0;              // events that recoveries have dropped, as far as this role knows
  // The last recovery with which an epoch has opened since the process began.
  std::optional<OrderEntry> recovery{};
  // At actor, parties and rewarder. `learned`: events that the model has learned. `steps`: the most that it can learn;
  // nothing if there is no such bound. `learning_ended`: no event that is decided from now on is learned.
  std::uint64_t learned = 0;
  std::optional<std::uint64_t> steps{};
  bool learning_ended = false;
  // At the actor: by how many ms its clock went back while batches were pending, until these batches are due. Also how
  // often the clock went back.
  std::uint64_t clock_ahead = 0;
  std::uint64_t clock_turns = 0;
  std::vector<PeerStatus> peers;
  std::optional<LiveTime> certificate_until{};  // the end of this role's own certificate
};

// Programs that the roles prepare themselves, ahead of use.
struct PreparedCounters {
  std::uint64_t programs = 0;
  std::uint64_t ahead = 0;    // programs that are prepared and not used
  std::uint64_t waited = 0;   // decides that had to wait because their program was not prepared yet
  double seconds_waited = 0;  // total wait of these decides
};

// Counts that do not concern the role stay 0.
struct LiveCounters {
  // The time since which the first counts below count. They are kept across restarts. Dealer and helper do not store
  // these counts; for them it is the time at which the process began.
  LiveTime since = 0;
  // counts of actor, parties and rewarder
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  // counts of the actor
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;       // calls that were refused, for any reason
  std::uint64_t padding = 0;        // empty places of decides
  std::vector<std::uint64_t> arms;  // for each arm, how often callers received it
  // counts of a party
  std::uint64_t features = 0;          // events whose features were stored
  std::uint64_t missing_features = 0;  // events that were decided with the default row
  std::uint64_t late_features = 0;
  std::uint64_t dropped_features = 0;  // features that no event asked for
  ColumnRanges ranges;                 // ranges of the stored values
  std::optional<SubjectFigures> subjects{};
  // counts of the rewarder
  std::array<std::uint64_t, reward_statuses> rewards{};  // number of rewards by status
  std::uint64_t clipped = 0;
  double reward_sum = 0;              // sum over all learned events
  std::uint64_t rewards_learned = 0;  // number of learned events

  // The counts below are since the process began.
  LiveTime process_since = 0;
  std::uint64_t programs_skipped = 0;
  std::map<std::string, std::uint64_t> epochs;      // ended epochs by cause: "network", "peer", "resources", ...
  std::map<std::string, std::uint64_t> bytes_sent;  // bytes sent in rounds, by peer
  std::uint64_t dealt_bytes = 0;
  std::uint64_t programs_dealt = 0;            // at the dealer: programs that it has dealt
  std::uint64_t programs_ahead = 0;            // at the dealer: programs that are planned and not dealt
  std::optional<PreparedCounters> prepared{};  // set at all roles if there is no dealer
  std::uint64_t store_bytes = 0;
};

// Receives reports for histograms when things happen. `batch` is called only by the engine thread, `sync` by any thread
// of the service.
struct LiveObserver {
  // The phases of a number. `wait`: the actor waits for the others once its rounds are over, or a party waits for its
  // features. `rounds`: the rounds are played. `store`: the role writes the number to its disk.
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

// The reply to a caller about an event.
struct AskReply {
  AskStatus status = AskStatus::pending;
  std::optional<LiveAnswer> answer{};  // for `answered`: the answer
  bool unanswered = false;             // for `pending`: the deadline has passed without a baseline arm
};
// Receives replies. Each comes with the index of its request among the requests of the call.
using AskAnswered = std::function<void(std::vector<std::pair<std::size_t, AskReply>>, Trouble)>;

class ActorService : public LiveService {
 public:
  // Requests are done one by one, in order. `answer` is called once or more on the Io's thread, with some of the
  // requests at a time, until each request was answered once. With `wait` a request is answered when it is refused, or
  // when it has its arm or baseline. Without `wait` it is answered (pending) once it is queued and on the disk. It then
  // gets its arm or baseline whatever happens to this process. Several calls may wait for one event: each call has its
  // answer. If the role has to be made again from its disk, waiting events are asked for again automatically. If there
  // is trouble, the list has all requests that were left.
  virtual void ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) = 0;
  // The answer that the event received or will receive, without asking for the event. Nothing if the event is not
  // known. With `wait` this answers once the event has its answer.
  virtual void find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) = 0;
  virtual void activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) = 0;
  // Takes no further events until resume(). Answers once no event waits or is on its way, with the last number.
  virtual void drain(Answered<OrderMark> answer) = 0;
  virtual void resume(Answered<OrderMark> answer) = 0;
  // Copies the model at all parties. Answers with the number at which the copy was made.
  virtual void take_snapshot(Answered<OrderMark> answer) = 0;
  // Answers once the change is the last number, or if that mode is in force already.
  virtual void change_mode(LiveMode mode, Answered<OrderMark> answer) = 0;
};

// A row that a party already has before any call asks for it, and the party's own name of the row's subject, which may
// be empty.
struct RowAtHand {
  FeatureValues values;
  std::string subject;
};

class PartyService : public LiveService {
 public:
  // The number of the party's columns. The caller knows their names, bounds and defaults, and has checked the values.
  [[nodiscard]] virtual std::size_t columns() const = 0;
  virtual void push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) = 0;
  // Called on the Io's thread for the events of a decide whose features are not here. It gets the events' subjects, or
  // an empty list. Features count if they arrive by push() until `cut_off`. Set before start().
  using Wanted = std::function<void(std::vector<EventId> events, std::vector<std::string> subjects, LiveTime cut_off)>;
  virtual void when_wanted(Wanted wanted) = 0;
  // Returns the row that the party itself has at hand for a subject, or null. The service's own thread calls it before
  // it waits for any other role, so no cut-off is too early for the row. Set before start().
  using AtHand = std::function<const RowAtHand*(const std::string& subject)>;
  virtual void take_from(AtHand at_hand) = 0;
  // Gives the party's own names for the subjects of pseudonyms; they are used for rows that come without a name. Set
  // before start().
  virtual void name_by(LiveParty::OwnNames own_names) = 0;
  // How many of a subject's rows went into decisions, by the name by which the party counts the subject; nothing if
  // none did.
  virtual void view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) = 0;
};

class RewarderService : public LiveService {
 public:
  virtual void post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) = 0;
};

// A dealer or a helper has no calls of its own.
class WitnessService : public LiveService {};

// Conditions that an operator should look at while a role is ready. The log has each of them when it begins, and then
// once a day. The page, /readyz and /v1/status show them as long as they hold.

// How much of what a service can learn it has learned.
enum class LearningShare : std::uint8_t { below, most, nearly_all, ended };
// The limits are 80 and 95% of status.steps. `ended`: all events are learned, or the next batch is larger than the
// rest.
[[nodiscard]] LearningShare learning_share(const LiveStatus& status);

struct LiveWarning {
  // A warning keeps its name as long as it holds: "learning-80", "learning-95", "learning-ended", "clock", "account",
  // "days", and "certificate" with a blank and the role that owns the certificate.
  std::string name;
  std::string text;  // a line for people; nothing private

  friend bool operator==(const LiveWarning&, const LiveWarning&) = default;
};
[[nodiscard]] std::vector<LiveWarning> warnings_of(const LiveStatus& status, LiveTime now);

}  // namespace sotto::apps::live
