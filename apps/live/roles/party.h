// A compute party of the decision service: it keeps the features of its own organisation, follows the actor's order,
// and keeps its shares of the model. The party is a state machine without clock, thread or link.
//
// push() stores features until their event is proposed. propose() takes the next entry. Features may still come until
// the cut-off, and freeze() ends that. The party's default row replaces missing features, and no other role sees that.
// A learn starts before it is proposed: begin() takes its batches, and its rounds are played next to decides. The
// result of the rounds stays only in memory until the learn's number comes. The model changes only at that number.
//
// A party refuses an event that it has decided before, and accepts the rest of the event's batch. This happens if the
// actor has forgotten an id sooner than this role. The event is then played with the default row, its caller gets no
// arm of it, and its earlier row stays.
//
// prepare() writes what the number did, and only then returns the `done` that may leave. If the epoch ends before
// prepare(), the number has left nothing. If it ends after prepare(), the number may be rolled back as the next epoch
// opens, and its features then wait again.
//
// After an exception, make a new party from the rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/frames.h"
#include "apps/live/roles/call_figures.h"
#include "apps/live/roles/features.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/subjects.h"
#include "apps/live/roles/window_subjects.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

struct FeaturePush {
  EventId event{};
  FeatureValues values;   // values of the party's columns, within its bounds; the caller has checked them
  std::string subject{};  // the party's own name of the subject; may be empty
};

enum class PushStatus : std::uint8_t {
  stored,
  same,      // the same features were pushed or used before
  too_late,  // the event was decided without these features
  decided,   // decided by an older version, so it is not known whether with these features
  conflict,  // other features were pushed before
  full,
};

// The results of a number's rounds at a party.
struct PartyOutcome {
  net::Digest public_words{};    // SHA-256 of the public words; zeros for a change of mode
  std::vector<std::byte> lanes;  // for a decide: the lanes as the party sent them to the actor (ChainRow::lanes)
  std::uint64_t agreed = 0;      // for a secret decide: the party's share of the number of events that agree
  std::vector<std::byte> model;  // for a learn: the party's shares of the model, as the program encodes them
};

// The party's account, which charges subjects for windows of agreement (order/agreement.h).
class WindowAccount {
 public:
  WindowAccount() = default;
  WindowAccount(const WindowAccount&) = delete;
  WindowAccount& operator=(const WindowAccount&) = delete;
  virtual ~WindowAccount() = default;

  // Charges each subject the window's epsilon, once per window. The charges are on the disk when this returns. Returns
  // for each subject whether it could be charged, that is, its budget was not spent. `window` is the number at which
  // the window begins.
  [[nodiscard]] virtual std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) = 0;
  // Says that no window is being filled now, so that others may use the account.
  virtual void rest() = 0;
  // Why no subject can be charged now; empty if subjects can be charged.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

// The limits on the rows that a party gives away of a subject.
struct PartyGuards {
  SubjectLimits limits{};
  WindowAccount* account = nullptr;  // must outlive the party
};

class LiveParty {
 public:
  // Draws the noise that the party adds to a window of agreement (order/agreement.h).
  using Noise = std::function<std::int64_t()>;
  // `defaults`: the party's default row, one number per column. Without `noise`, filling a window throws
  // std::logic_error. `wish`: the recovery that the role was started with.
  LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults, Noise noise = {},
            const LiveWish& wish = {}, const PartyGuards& guards = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // Rolls back numbers above the opening's number, or makes the recovery; this is on the disk when the call returns.
  // Throws DisagreementError if this role has not done the opening's number, or was not started with the recovery.
  // `convert` makes this service's model from a model of another service. If `convert` throws, nothing changes.
  using Convert = std::function<std::vector<std::byte>(std::span<const std::byte> imported)>;
  void open(const LiveOpening& opening, const net::SessionId& session, const Convert& convert = {});
  // The frame with the opening's number, which must be above 0. With lanes it is for the actor, without lanes for the
  // rewarder.
  [[nodiscard]] RestateFrame restate(bool with_lanes) const;
  // All batches that this role knows, for a role whose store was lost. A frame has at most `most` events, or a single
  // batch.
  [[nodiscard]] std::vector<KnownFrame> known(std::size_t most) const;
  void leave_epoch();

  // ---- calls
  // Does all pushes in one transaction, in their order.
  [[nodiscard]] std::vector<PushStatus> push(std::span<const FeaturePush> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Drops features that waited too long, and old ids. Returns the number of events whose features were dropped.
  std::size_t forget(LiveTime now);
  // Whether there is more to forget for the next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more() || subjects_.has_more(); }

  // ---- the order
  // Begins the learn. Throws ProtocolError if the learn cannot begin; the epoch is then over.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Takes the next entry. Throws ProtocolError if the entry cannot be the next one, or is a learn that has not begun.
  // After that error the epoch is over.
  void propose(const OrderEntry& entry, LiveTime now);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // The time at which features are too late for the decide on its way. The decide may start earlier if all features are
  // here.
  [[nodiscard]] LiveTime cut_off() const;
  [[nodiscard]] bool has_all_features() const;
  // Places of the decide on its way whose features are not here yet.
  [[nodiscard]] const std::vector<std::size_t>& missing_places() const;
  // Gives features at hand for a missing place. They are used if no features are pushed until the cut-off.
  void supply(std::size_t place, FeatureValues values, const std::string& subject, LiveTime now);
  // Returns the party's own name for the subject of a pseudonym, or null. It is used for rows that come without a name.
  using OwnNames = std::function<const std::string*(const std::string& pseudonym)>;
  void name_by(OwnNames own_names) { own_names_ = std::move(own_names); }
  // The rows of the decide on its way, one row per event. A place without features has the default row. So has an event
  // beyond what the party gives away of the event's subject (subjects.h). Features that come from now on are late. For
  // a window of agreement, the subjects are charged when this returns.
  [[nodiscard]] std::vector<FeatureValues> freeze(LiveTime now);
  // For a secret decide on its way: this party's share of the number that the actor is shown; 0 if no window is full.
  [[nodiscard]] std::uint64_t shown_share() const;
  // The rows of the learn that has begun, as they were used, one row per event of its batches.
  [[nodiscard]] std::vector<FeatureValues> learned_rows() const;
  // Writes the number, which is on the disk when this returns. The frame may then leave.
  [[nodiscard]] DoneFrame prepare(PartyOutcome outcome, LiveTime now);
  // Notes that the last number stays. Throws ProtocolError if the frame names another number.
  void settle(const SettledFrame& frame);

  // This party's shares of the newest model; nothing before the first learn.
  [[nodiscard]] std::optional<std::vector<std::byte>> model() const;
  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Begins to count figures at `now`, unless that has begun before.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return figures_.ranges(); }
  // The figures of subjects, with `now` as the clock's time.
  [[nodiscard]] const SubjectFigures& subject_figures(LiveTime now);
  // By how many days the latest day that has begun here is after the day of `now`.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const { return subjects_.days_ahead(now); }
  // The count of one subject, by the name by which the party counts it; nothing if no row of the subject went into a
  // decision.
  [[nodiscard]] std::optional<SubjectCount> subject(const std::string& name, LiveTime now);

 private:
  struct Subject {
    std::string name;
    SubjectHash hash;
  };
  using Subjects = std::vector<std::optional<Subject>>;  // one per place; nothing without subject or row
  struct Running {
    OrderEntry entry;
    LiveTime cut_off = 0;
    std::optional<BatchFeatures> frozen;
    std::vector<std::size_t> missing;  // places without features
    RefusedPlaces refused;
    std::map<std::size_t, PushedFeatures> at_hand{};
    // The members below are set once the decide is frozen.
    bool begins_window = false;
    std::vector<SubjectHash> counted{};    // subjects of events with their own rows
    std::vector<SubjectHash> in_window{};  // those of `counted` whose rows are compared in the window
    std::uint64_t withheld = 0;            // number of events that got the default row because of a limit
    std::uint64_t uncharged = 0;           // number of events in a window whose subjects could not be charged
  };

  void find_missing();
  [[nodiscard]] BatchFeatures gathered() const;
  [[nodiscard]] std::optional<Subject> subject_at(std::size_t place, const PushedFeatures& features) const;
  void limit(BatchFeatures& features, Subjects& subjects, LiveTime now);
  void limit_window(std::vector<FeatureValues>& rows, const Subjects& subjects);
  void count_subjects(RowDraft& draft);
  [[nodiscard]] static OrderNumber decided_in(const LiveRow& event);
  [[nodiscard]] PushStatus push_one(RowDraft& draft, const FeaturePush& call, LiveTime now);
  [[nodiscard]] std::optional<PushStatus> status_of_used(const RowDraft& draft, const FeaturePush& call) const;
  void put_used(RowDraft& draft, const EventId& event, OrderNumber number,
                const std::optional<PushedFeatures>& features);
  [[nodiscard]] BatchFeatures used(const RowDraft& draft, OrderNumber number) const;
  void erase_learned(RowDraft& draft);
  void roll_back(RowDraft& draft);
  void recover(RowDraft& draft, const LiveOpening& opening, const Convert& convert);
  void go_back(RowDraft& draft, const OrderEntry& entry, const Convert& convert);
  void put_model(RowDraft& draft, OrderNumber number, std::vector<std::byte> model);

  LiveRows& rows_;
  LiveSettings settings_;
  FeatureValues defaults_;
  Noise noise_;
  OrderBook book_;
  FeatureQueue queue_;
  KeptFigures figures_;
  SubjectCounts subjects_;
  WindowSubjects window_;
  WindowAccount* account_;
  OwnNames own_names_;
  std::optional<Running> running_;
  std::optional<BeginFrame> concurrent_;
  std::uint64_t last_decide_ = 0;  // numbers of the last programs in this epoch
  std::uint64_t last_learn_ = 0;
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
