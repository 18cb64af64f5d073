// The interface of a role for its own organisation, which the HTTP interface calls. The engine (apps/live/engine/)
// implements this interface; tests have other implementations.
//
// Threads. Any thread may call the functions, and no function waits. Calls are queued and processed in order, many in
// one transaction. Answers arrive by Io::post() on the thread of the service's Io. Each call is answered once, even if
// the service ends or fails meanwhile (CallRefusal). status() and counters() return stored values, so these two
// functions return at once.
//
// Acknowledged means written. If a caller receives `stored`, `used`, `active`, an arm or the baseline arm, the result
// is already on the role's disk.
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
// Whether a role of this kind keeps the order. All kinds except the dealer and the helper keep the order; these two
// know only programs.
[[nodiscard]] constexpr bool keeps_order(LiveRoleKind kind) {
  return kind != LiveRoleKind::dealer && kind != LiveRoleKind::helper;
}

// The reason why a call was not processed. With each reason except `none`, nothing of the call was written.
enum class CallRefusal : std::uint8_t {
  none,
  full,            // too many calls wait; try again later
  disk_full,       // the role's disk is full; try again later
  ended,           // the service ends
  learning_ended,  // the call asks for a mode that learns, but learning has ended
};

template <class Result>
struct CallResult {
  CallRefusal trouble = CallRefusal::none;
  Result result{};  // result of the call; a default value if there is trouble
};
template <class Result>
using Answered = std::function<void(CallResult<Result>)>;

enum class PeerState : std::uint8_t { away, here };

struct PeerStatus {
  std::string role;  // "party 1"
  PeerState state = PeerState::away;
  std::optional<LiveTime> last_heard;  // time of the peer's last message, by this role's clock; not set: none yet
  std::string trouble;                 // trouble of the last epoch that this peer ended; one line, or empty
  // The time at which the peer's last certificate expires. Not set if links are not encrypted, or if the peer has not
  // shown a certificate yet.
  std::optional<LiveTime> certificate_until{};
};

enum class Readiness : std::uint8_t {
  ready,       // an epoch is open, and the role accepts calls
  setting_up,  // links are being made, or an epoch is being opened
  refused,     // the roles do not fit together; `why` names role, numbers and ids, or the wrong setting
  disk_full,   // the disk is full; the role tries again every 10 s
  draining,    // the actor accepts no new events
  ended,
};

struct LiveStatus {
  LiveRoleKind kind = LiveRoleKind::party;
  std::string role;     // "party 0"
  std::string version;  // version of the program
  std::string session;  // session of the config, 32 hex digits
  std::string config;   // 8 hex digits that identify the settings that all roles must have in common
  Readiness readiness = Readiness::setting_up;
  std::string why;  // why the role is not ready, as a line for people; nothing private
  LiveMode mode = LiveMode::online;
  std::uint32_t epoch = 0;            // the last epoch that this role opened
  OrderNumber number = 0;             // the last number that the role did; dealer, helper: the last settled number
  bandit::CheckpointId checkpoint{};  // at actor and parties: the id of `number`; else zeros
  OrderNumber model = 0;              // number of the last learn that this role did
  // The number of events in all decides that this role has done since its store was made. Not set if the role does not
  // know this number.
  std::optional<std::uint64_t> decisions_ever{};
  Agreement agreement{};        // without a party's share; the default at dealer and helper
  bool has_account = false;     // at a party: whether windows of agreement are charged to an account
  std::string account_trouble;  // at a party: why no subject can be charged now; else empty
  // At a party whose clock was once ahead: the number of days until limits per day count from zero again.
  std::uint64_t days_ahead = 0;
  std::uint64_t pending = 0;              // events that are decided but not learned
  std::uint64_t queue = 0;                // at the actor: events that wait; at a party: events whose features wait
  std::uint64_t running = 0;              // number of the running entry; 0: none
  bool draining = false;                  // at the actor: true if the actor accepts no new events
  bool drained = false;                   // at the actor: draining, and no event waits or is in a decide
  std::vector<SnapshotName> snapshots{};  // at the actor or a party: copies of the model, ascending
  std::uint64_t dropped = 0;              // events that recoveries have dropped, by this role's count
  // The last recovery with which an epoch has opened since the process began.
  std::optional<OrderEntry> recovery{};
  // At the actor, the parties and the rewarder. `learned`: events that the model has learned. `steps`: the most events
  // that the model can learn; not set if there is no bound. `learning_ended`: true if no further event will be learned.
  std::uint64_t learned = 0;
  std::optional<std::uint64_t> steps{};
  bool learning_ended = false;
  // At the actor. `clock_ahead`: by how many ms the clock was set back while batches were pending; 0 when these batches
  // are due. `clock_turns`: how often the clock was set back.
  std::uint64_t clock_ahead = 0;
  std::uint64_t clock_turns = 0;
  std::vector<PeerStatus> peers;
  std::optional<LiveTime> certificate_until{};  // the end of this role's own certificate
};

// How many programs the roles prepare in advance if there is no dealer, and how long decides wait for them.
struct PreparedCounters {
  std::uint64_t programs = 0;
  std::uint64_t ahead = 0;    // programs that are prepared but not used
  std::uint64_t waited = 0;   // decides that had to wait for the preparation of their program
  double seconds_waited = 0;  // total wait of these decides
};

// A role sets only the counts for its own kind of role; the others stay 0.
struct LiveCounters {
  // The counts before the member `process_since` cover the time from `since` on. These counts survive restarts. The
  // dealer and the helper do not store such counts; at these two roles, `since` is the time at which the process began.
  LiveTime since = 0;
  // The course of the stored counts; null at the dealer and the helper.
  std::shared_ptr<const HistoryPoints> history{};
  // counts of the actor, the parties and the rewarder
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  // counts of the actor
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;       // calls that were refused, for any reason
  std::uint64_t padding = 0;        // places in decides that had no event
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

  // The counts below begin when the process begins, at the time `process_since`.
  LiveTime process_since = 0;
  std::uint64_t programs_skipped = 0;
  std::map<std::string, std::uint64_t> epochs;      // ended epochs by cause: "network", "peer", "resources", ...
  std::map<std::string, std::uint64_t> bytes_sent;  // bytes sent in rounds, by peer
  std::uint64_t dealt_bytes = 0;
  std::uint64_t programs_dealt = 0;            // at the dealer: programs that were dealt
  std::uint64_t programs_ahead = 0;            // at the dealer: programs that are planned but not dealt
  std::optional<PreparedCounters> prepared{};  // set at all roles if there is no dealer
  std::uint64_t store_bytes = 0;
};

// Receives measured times, for histograms. Only the engine thread calls `batch`; any thread of the service may call
// `sync`.
struct LiveObserver {
  // The phases of a number. `wait`: the actor waits for the other roles after its rounds, or a party waits for
  // features. `rounds`: the program's rounds. `store`: the role writes the number to its disk.
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
  std::optional<LiveAnswer> answer{};  // for `answered`: the event's answer
  bool unanswered = false;             // for `pending`: the deadline has passed without a baseline arm
};
// Receives replies. Each reply has the index of its request among the requests of the call.
using AskAnswered = std::function<void(std::vector<std::pair<std::size_t, AskReply>>, CallRefusal)>;

class ActorService : public LiveService {
 public:
  // Asks for decisions. Requests are processed one by one, in order. `answer` is called on the Io's thread, with some
  // of the replies at a time, until each request is answered once. With `wait` a request is answered when it is
  // refused, or when it has its arm or baseline arm. Without `wait` a request is answered with `pending` when it is
  // queued and on the disk. Such a request gets its arm or baseline arm even if this process crashes. Several calls may
  // wait for one event, and each call gets its answer. If the role is made again from its disk, the requests of waiting
  // events are repeated automatically. If there is trouble, `answer` receives all requests that have no answer yet.
  virtual void ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) = 0;
  // Looks up the answer that the event has received or will receive, without a request for a decision. Answers with
  // nothing if the event is not known. With `wait` the look-up waits until the event has its answer.
  virtual void find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) = 0;
  virtual void activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) = 0;
  // Makes the actor refuse new events until resume() is called. Answers with the last number when no event waits or is
  // in a decide.
  virtual void drain(Answered<OrderMark> answer) = 0;
  virtual void resume(Answered<OrderMark> answer) = 0;
  // Copies the model at all parties. Answers with the number at which the copy was made.
  virtual void take_snapshot(Answered<OrderMark> answer) = 0;
  // Answers when the change of mode is done, or at once if the actor is already in this mode.
  virtual void change_mode(LiveMode mode, Answered<OrderMark> answer) = 0;
};

// A row that a party already has in memory, for instance from a table. `subject` is the party's own name for the row's
// subject, and may be empty.
struct RowAtHand {
  FeatureValues values;
  std::string subject;
};

class PartyService : public LiveService {
 public:
  // The number of the party's columns. A caller of push() knows the names, bounds and defaults of the columns, and must
  // check values before the call.
  [[nodiscard]] virtual std::size_t columns() const = 0;
  virtual void push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) = 0;
  // `wanted` is called on the Io's thread for the events of a decide whose features are missing. `subjects` are the
  // subjects of these events, or an empty list. Features are used if they arrive by push() before `cut_off`. Call
  // when_wanted() before start().
  using Wanted = std::function<void(std::vector<EventId> events, std::vector<std::string> subjects, LiveTime cut_off)>;
  virtual void when_wanted(Wanted wanted) = 0;
  // `at_hand` returns the row that the party has in memory for a subject, or null. The service's own thread calls
  // `at_hand` before it waits for any other role, so such a row is never too late for the cut-off. Call take_from()
  // before start().
  using AtHand = std::function<const RowAtHand*(const std::string& subject)>;
  virtual void take_from(AtHand at_hand) = 0;
  // `own_names` returns the party's own name for a pseudonym. The function is used for rows that were sent without a
  // name. Call name_by() before start().
  virtual void name_by(LiveParty::OwnNames own_names) = 0;
  // Answers with the number of rows of a subject that were used in decisions. `subject` is the name under which the
  // party counts the subject. Answers with nothing if no decision has used a row of the subject.
  virtual void view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) = 0;
};

class RewarderService : public LiveService {
 public:
  virtual void post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) = 0;
};

// A dealer or a helper has no calls in addition to those of LiveService.
class WitnessService : public LiveService {};

// Warnings are about conditions that an operator should look at while a role is ready. The log has a line when a
// warning begins, and then one line a day. The page, /readyz and /v1/status show each current warning.

// How many events a service has learned, as a share of the most events that the service can learn.
enum class LearningShare : std::uint8_t { below, most, nearly_all, ended };
// The limits are 80% and 95% of status.steps. `ended`: all steps are used, or the next batch needs more steps than are
// left.
[[nodiscard]] LearningShare learning_share(const LiveStatus& status);

struct LiveWarning {
  // The name of a warning is fixed: "learning-80", "learning-95", "learning-ended", "clock", "account", "days", or
  // "certificate ROLE" with the role that owns the certificate.
  std::string name;
  std::string text;  // a line for people, without private data

  friend bool operator==(const LiveWarning&, const LiveWarning&) = default;
};
[[nodiscard]] std::vector<LiveWarning> warnings_of(const LiveStatus& status, LiveTime now);

}  // namespace sotto::apps::live
