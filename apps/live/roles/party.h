// A compute party of the decision service: it keeps the features of its own side, follows the order of the actor, and
// keeps its shares of the model. A state machine without clock, thread or link.
//
// push() stores features until their event is proposed. propose() takes the next entry; until the cut-off features
// still come in, and freeze() ends that: where they are missing the party's default row stands, which nobody else sees.
// A learn is begun first: begin() takes what it is of, its rounds are played beside decides, and what they give is kept
// in memory alone until its number comes. A model changes at that number and nowhere else. An event that this role has
// decided before is refused, and not its batch: it is played with the default row, its caller gets no arm of it, and
// its row stays. That is where the actor has forgotten an id sooner than this role. prepare() writes what the number
// did, and only then returns the `done` that may leave. What was not prepared when the epoch ended has left nothing;
// what was may be rolled back as the next one opens, and then its features wait again.
//
// After an exception make a new one from the rows.
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
  FeatureValues values;   // of the party's columns, within its bounds: the caller has checked
  std::string subject{};  // whom they are about, by the party's own name; may be empty
};

enum class PushStatus : std::uint8_t {
  stored,
  same,      // as they were pushed, or used, before
  too_late,  // their event was decided without them
  decided,   // their event was: whether with them is not known any more, as an older version kept nothing of it
  conflict,  // others than were pushed before
  full,
};

// What a number did at a party, from the rounds.
struct PartyOutcome {
  net::Digest public_words{};    // SHA-256; of a change of mode zeros
  std::vector<std::byte> lanes;  // of a decide: as it sent them to the actor (ChainRow::lanes)
  std::uint64_t agreed = 0;      // of a secret decide: its share of how many events agree
  std::vector<std::byte> model;  // of a learn: its shares of the model, as the program encodes them
};

// What charges subjects for windows of agreement (order/agreement.h): the party's account.
class WindowAccount {
 public:
  WindowAccount() = default;
  WindowAccount(const WindowAccount&) = delete;
  WindowAccount& operator=(const WindowAccount&) = delete;
  virtual ~WindowAccount() = default;

  // Charges each of these the window's epsilon, once a window, on the disk when it returns. Says of each whether it
  // could be: it has not spent its budget. `window`: the number that it begins with.
  [[nodiscard]] virtual std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) = 0;
  // No window is gathered now: others may use the account.
  virtual void rest() = 0;
  // Why nobody can be charged just now; empty where that is not so.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

// What a party gives away of a subject at most.
struct PartyGuards {
  SubjectLimits limits{};
  WindowAccount* account = nullptr;  // outlives the party
};

class LiveParty {
 public:
  // A number of the noise that the party adds to a window of agreement (order/agreement.h).
  using Noise = std::function<std::int64_t()>;
  // `defaults`: the party's default row, a number a column. Without noise std::logic_error where a window is filled.
  // `wish`: what it was started with.
  LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults, Noise noise = {},
            const LiveWish& wish = {}, const PartyGuards& guards = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // On the disk when this returns: what is above the opening's number is rolled back, or the recovery is made. Throws
  // DisagreementError where this role has not done that number, or was not told of the recovery. `convert` makes this
  // service's model of one that was imported from another service; what it throws leaves all unchanged.
  using Convert = std::function<std::vector<std::byte>(std::span<const std::byte> imported)>;
  void open(const LiveOpening& opening, const net::SessionId& session, const Convert& convert = {});
  // What the actor, or without the lanes the rewarder, is told of the opening's number, above 0.
  [[nodiscard]] RestateFrame restate(bool with_lanes) const;
  // All batches that it knows, for a role whose store was lost: frames of at most `most` events, or of one batch.
  [[nodiscard]] std::vector<KnownFrame> known(std::size_t most) const;
  void leave_epoch();

  // ---- calls
  // All in one transaction, in the order of the calls.
  [[nodiscard]] std::vector<PushStatus> push(std::span<const FeaturePush> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Features that waited too long, and ids of long ago, are dropped. Returns the number of events whose features were.
  std::size_t forget(LiveTime now);
  // There is more to forget, which the next call does.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more() || subjects_.has_more(); }

  // ---- the order
  // Throws ProtocolError where such a learn cannot begin: the epoch is over then.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* beside() const { return beside_ ? &*beside_ : nullptr; }
  // Throws ProtocolError where it cannot be the next entry, or is a learn that has not begun: the epoch is over then.
  void propose(const OrderEntry& entry, LiveTime now);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // When features come too late for the decide on its way; before, if all are there.
  [[nodiscard]] LiveTime cut_off() const;
  [[nodiscard]] bool has_all_features() const;
  // Places of the decide on its way whose features are not here.
  [[nodiscard]] const std::vector<std::size_t>& missing_places() const;
  // What is at hand for such a place: used where nothing is pushed until the cut-off.
  void supply(std::size_t place, FeatureValues values, const std::string& subject, LiveTime now);
  // The party's own name of whom a pseudonym is, null where it has none: for rows that come without one.
  using OwnNames = std::function<const std::string*(const std::string& pseudonym)>;
  void name_by(OwnNames own_names) { own_names_ = std::move(own_names); }
  // The rows of the decide on its way, an event a row; empty places have the default row, and so have events beyond
  // what the party gives away of their subjects (subjects.h). From now on what comes is late. For a window of agreement
  // subjects are charged when it returns.
  [[nodiscard]] std::vector<FeatureValues> freeze(LiveTime now);
  // Of a secret decide on its way: this party's share of the number that the actor is shown, 0 where no window is full.
  [[nodiscard]] std::uint64_t shown_share() const;
  // The rows of the learn that has begun, as they were used, an event of its batches a row.
  [[nodiscard]] std::vector<FeatureValues> learned_rows() const;
  // On the disk when this returns.
  [[nodiscard]] DoneFrame prepare(PartyOutcome outcome, LiveTime now);
  // The last number stays. Throws ProtocolError where it is another one.
  void settle(const SettledFrame& frame);

  // Its shares of the newest model; nothing before the first learn.
  [[nodiscard]] std::optional<std::vector<std::byte>> model() const;
  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // From now on, if they have not begun.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return figures_.ranges(); }
  // By its clock it is `now`.
  [[nodiscard]] const SubjectFigures& subject_figures(LiveTime now);
  // By which the latest day that has begun is after today.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const { return subjects_.days_ahead(now); }
  // Of one subject, by the name that the party counts it by; nothing if no row of it went into a decision.
  [[nodiscard]] std::optional<SubjectCount> subject(const std::string& name, LiveTime now);

 private:
  struct Subject {
    std::string name;
    SubjectHash hash;
  };
  using Subjects = std::vector<std::optional<Subject>>;  // of each place; nothing where nobody knows, or no row goes in
  struct Running {
    OrderEntry entry;
    LiveTime cut_off = 0;
    std::optional<BatchFeatures> frozen;
    std::vector<std::size_t> missing;  // places without features
    RefusedPlaces refused;
    std::map<std::size_t, PushedFeatures> at_hand{};
    // Once it is frozen.
    bool begins_window = false;
    std::vector<SubjectHash> counted{};    // subjects of events with their own rows
    std::vector<SubjectHash> in_window{};  // of those, whose rows are compared
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
  std::optional<BeginFrame> beside_;
  std::uint64_t last_decide_ = 0;  // programs of this epoch
  std::uint64_t last_learn_ = 0;
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
