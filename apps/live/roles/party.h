// A compute party of the decision service: it keeps the features of its own organisation, follows the order of the
// actor, and keeps its shares of the model. The party is a state machine without clock, thread or link.
//
// push() stores features until their event is proposed. propose() takes the next entry. Features still come in until
// the cut-off, and freeze() ends that. The party's default row replaces missing features, and no other role sees that.
// A learn begins first: begin() takes its batches, and its rounds are played next to decides. The result of the rounds
// stays only in memory until the learn's number comes. A model changes at that number and nowhere else.
//
// A party refuses an event that it has decided before, and not the batch of the event. This happens if the actor has
// forgotten an id sooner than this role. The event is played with the default row, its caller gets no arm of it, and
// its row stays.
//
// prepare() writes what the number did, and only then returns the `done` that may leave. A number that was not prepared
// when the epoch ended has left nothing. A number that was prepared may be rolled back as the next epoch opens, and
// then its features wait again.
//
// After an exception make a new party from the rows.
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
  FeatureValues values;   // of the party's columns, within its bounds; the caller has checked them
  std::string subject{};  // the party's own name of the subject; may be empty
};

enum class PushStatus : std::uint8_t {
  stored,
  same,      // the same features were pushed, or used, before
  too_late,  // the event was decided without these features
  decided,   // decided by an older version: it is not known whether with these features
  conflict,  // other features were pushed before
  full,
};

// The result of a number at a party, from the rounds.
struct PartyOutcome {
  net::Digest public_words{};    // SHA-256; zeros for a change of mode
  std::vector<std::byte> lanes;  // of a decide: as the party sent them to the actor (ChainRow::lanes)
  std::uint64_t agreed = 0;      // of a secret decide: the party's share of how many events agree
  std::vector<std::byte> model;  // of a learn: the party's shares of the model, as the program encodes them
};

// The party's account, which charges subjects for windows of agreement (order/agreement.h).
class WindowAccount {
 public:
  WindowAccount() = default;
  WindowAccount(const WindowAccount&) = delete;
  WindowAccount& operator=(const WindowAccount&) = delete;
  virtual ~WindowAccount() = default;

  // Charges each subject the window's epsilon, once per window. The charges are on the disk when this returns. Returns
  // for each subject whether it could be charged: its budget was not spent. `window`: the number that the window begins
  // with.
  [[nodiscard]] virtual std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) = 0;
  // No window is gathered now, so others may use the account.
  virtual void rest() = 0;
  // Why no subject can be charged now; empty if subjects can be charged.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

// The limits on what a party gives away of a subject.
struct PartyGuards {
  SubjectLimits limits{};
  WindowAccount* account = nullptr;  // must outlive the party
};

class LiveParty {
 public:
  // A number of the noise that the party adds to a window of agreement (order/agreement.h).
  using Noise = std::function<std::int64_t()>;
  // `defaults`: the party's default row, one number per column. Without noise, a window that is filled throws
  // std::logic_error. `wish`: the recovery that the role was started with.
  LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults, Noise noise = {},
            const LiveWish& wish = {}, const PartyGuards& guards = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // On the disk when this returns: numbers above the opening's number are rolled back, or the recovery is made. Throws
  // DisagreementError if this role has not done that number, or was not started with the recovery. `convert` makes this
  // service's model from a model of another service. If `convert` throws, nothing changes.
  using Convert = std::function<std::vector<std::byte>(std::span<const std::byte> imported)>;
  void open(const LiveOpening& opening, const net::SessionId& session, const Convert& convert = {});
  // The opening's number, which must be above 0, for the actor; without the lanes, for the rewarder.
  [[nodiscard]] RestateFrame restate(bool with_lanes) const;
  // All batches that this role knows, for a role whose store was lost: frames of at most `most` events, or of one
  // batch.
  [[nodiscard]] std::vector<KnownFrame> known(std::size_t most) const;
  void leave_epoch();

  // ---- calls
  // All in one transaction, in the order of the calls.
  [[nodiscard]] std::vector<PushStatus> push(std::span<const FeaturePush> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Drops features that waited too long, and old ids. Returns the number of events whose features were dropped.
  std::size_t forget(LiveTime now);
  // Whether there is more to forget for the next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more() || subjects_.has_more(); }

  // ---- the order
  // Throws ProtocolError if such a learn cannot begin; then the epoch is over.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Throws ProtocolError if the entry cannot be the next one, or is a learn that has not begun; then the epoch is over.
  void propose(const OrderEntry& entry, LiveTime now);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // The time at which features are too late for the decide on its way. The decide may start earlier if all features are
  // here.
  [[nodiscard]] LiveTime cut_off() const;
  [[nodiscard]] bool has_all_features() const;
  // Places of the decide on its way whose features are not here.
  [[nodiscard]] const std::vector<std::size_t>& missing_places() const;
  // Features at hand for such a place. They are used if no features are pushed until the cut-off.
  void supply(std::size_t place, FeatureValues values, const std::string& subject, LiveTime now);
  // The party's own name for the subject of a pseudonym, null if there is none: for rows that come without a name.
  using OwnNames = std::function<const std::string*(const std::string& pseudonym)>;
  void name_by(OwnNames own_names) { own_names_ = std::move(own_names); }
  // The rows of the decide on its way, one row per event. Empty places have the default row. Events beyond what the
  // party gives away of their subjects also have it (subjects.h). Features that come from now on are late. For a window
  // of agreement, subjects are charged when this returns.
  [[nodiscard]] std::vector<FeatureValues> freeze(LiveTime now);
  // For a secret decide on its way: this party's share of the number that the actor is shown; 0 if no window is full.
  [[nodiscard]] std::uint64_t shown_share() const;
  // The rows of the learn that has begun, as they were used, one row per event of its batches.
  [[nodiscard]] std::vector<FeatureValues> learned_rows() const;
  // On the disk when this returns.
  [[nodiscard]] DoneFrame prepare(PartyOutcome outcome, LiveTime now);
  // The last number stays. Throws ProtocolError if the frame names another number.
  void settle(const SettledFrame& frame);

  // This party's shares of the newest model; nothing before the first learn.
  [[nodiscard]] std::optional<std::vector<std::byte>> model() const;
  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Figures count from now on, if they have not begun.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return figures_.ranges(); }
  // The clock says `now`.
  [[nodiscard]] const SubjectFigures& subject_figures(LiveTime now);
  // By how many days the latest day that has begun is after today.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const { return subjects_.days_ahead(now); }
  // The count of one subject, by the name that the party counts it by; nothing if no row of it went into a decision.
  [[nodiscard]] std::optional<SubjectCount> subject(const std::string& name, LiveTime now);

 private:
  struct Subject {
    std::string name;
    SubjectHash hash;
  };
  using Subjects = std::vector<std::optional<Subject>>;  // one per place; nothing if no subject or no row
  struct Running {
    OrderEntry entry;
    LiveTime cut_off = 0;
    std::optional<BatchFeatures> frozen;
    std::vector<std::size_t> missing;  // places without features
    RefusedPlaces refused;
    std::map<std::size_t, PushedFeatures> at_hand{};
    // Set once it is frozen.
    bool begins_window = false;
    std::vector<SubjectHash> counted{};    // subjects of events with their own rows
    std::vector<SubjectHash> in_window{};  // the part of `counted` whose rows are compared
    std::uint64_t withheld = 0;            // events beyond a limit
    std::uint64_t uncharged = 0;           // events of a window whose subjects could not be charged
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
  std::uint64_t last_decide_ = 0;  // the last programs of this epoch
  std::uint64_t last_learn_ = 0;
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
