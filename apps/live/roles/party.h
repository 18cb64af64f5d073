// A compute party of the decision service: stores the features of its own organisation, follows the actor's order, and
// stores its shares of the model. The party is a state machine without clock, thread or link.
//
// push() stores features until their event is proposed. propose() begins the next entry. Features may still arrive
// until the cut-off; after freeze() features are too late. The party's default row replaces missing features, and no
// other role sees this. A learn starts before its entry is proposed: begin() receives the learn's batches, and the
// learn's rounds run concurrently with decides. The result of the rounds stays only in memory until the learn gets its
// number. The model changes only when the learn's number is done.
//
// A party refuses an event that it has decided before, and accepts the rest of the event's batch. An actor proposes
// such an event only if it has forgotten the event's id sooner than the party. The decide uses the default row for a
// refused event. The event's caller gets no arm from this decide, and the event's earlier row stays.
//
// prepare() writes the results of the number to the disk, and then returns the frame `done` to send. If the epoch ends
// before prepare(), nothing of the number is stored. If the epoch ends after prepare(), the number may be rolled back
// when the next epoch opens; the number's features then wait again.
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
  FeatureValues values;   // values of the party's columns; the caller has checked the bounds
  std::string subject{};  // the party's own name for the subject; may be empty
};

enum class PushStatus : std::uint8_t {
  stored,
  same,      // equal features were sent or used before
  too_late,  // the event was decided without these features
  decided,   // decided by an older version, which did not record the features
  conflict,  // other features were sent before
  full,
};

// The results of a number's rounds at a party.
struct PartyOutcome {
  net::Digest public_words{};    // SHA-256 of the public words; zeros for a change of mode
  std::vector<std::byte> lanes;  // for a decide: the lanes that the party sent to the actor (ChainRow::lanes)
  std::uint64_t agreed = 0;      // for a secret decide: the party's share of the number of events that agree
  std::vector<std::byte> model;  // for a learn: the party's encoded shares of the model
};

// The party's account, which charges subjects for windows of agreement (order/agreement.h).
class WindowAccount {
 public:
  WindowAccount() = default;
  WindowAccount(const WindowAccount&) = delete;
  WindowAccount& operator=(const WindowAccount&) = delete;
  virtual ~WindowAccount() = default;

  // Charges each subject the window's epsilon, once per window, and writes the charges to the disk. Returns for each
  // subject whether the subject could be charged; a subject with a spent budget cannot. `window` is the number at which
  // the window begins.
  [[nodiscard]] virtual std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) = 0;
  // Releases the account for other programs, because no window is being filled now.
  virtual void rest() = 0;
  // Says why no subject can be charged now; empty if subjects can be charged.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

// Limits on the use of a subject's rows by a party.
struct PartyGuards {
  SubjectLimits limits{};
  WindowAccount* account = nullptr;  // must outlive the party
};

class LiveParty {
 public:
  // Draws the noise that the party adds to a window of agreement (order/agreement.h).
  using Noise = std::function<std::int64_t()>;
  // `defaults`: the party's default row, one number per column. Without `noise`, a decide that fills a window throws
  // std::logic_error. `recovery_request`: the request for a recovery that the role was started with.
  LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults, Noise noise = {},
            const RecoveryRequest& recovery_request = {}, const PartyGuards& guards = {});

  // ---- the epoch
  [[nodiscard]] LiveHistory history() const { return book_.history(); }
  // Rolls back numbers above the opening's number, or does the recovery, and writes the result to the disk. Throws
  // DisagreementError if the party has not done the opening's number, or was not started with the recovery. `convert`
  // converts the model of another service to a model of this service. If `convert` throws, nothing changes.
  using Convert = std::function<std::vector<std::byte>(std::span<const std::byte> imported)>;
  void open(const LiveOpening& opening, const net::SessionId& session, const Convert& convert = {});
  // Makes the frame with the opening's number, which must be above 0. The frame for the actor has lanes, and the frame
  // for the rewarder has none.
  [[nodiscard]] RestateFrame restate(bool with_lanes) const;
  // Makes frames with all batches that this party knows, for a role with a lost store. A frame has at most `most`
  // events, unless it has only one batch, which may be larger.
  [[nodiscard]] std::vector<KnownFrame> known(std::size_t most) const;
  void leave_epoch();

  // ---- calls
  // Processes all pushes in one transaction, in the given order.
  [[nodiscard]] std::vector<PushStatus> push(std::span<const FeaturePush> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Erases features that waited too long, and some of the old ids. Returns the number of events whose features were
  // erased.
  std::size_t forget(LiveTime now);
  // Whether forget() has more old rows to erase in its next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more() || subjects_.has_more(); }

  // ---- the order
  // Begins the learn. Throws ProtocolError if the learn cannot begin; the epoch must then end.
  void begin(const BeginFrame& learn);
  // The learn that has begun but has no number yet, or null.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Begins the next entry. Throws ProtocolError if the entry cannot be the next one, or is a learn that has not begun.
  // After a ProtocolError the epoch must end.
  void propose(const OrderEntry& entry, LiveTime now);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // The time from which features are too late for the running decide. The decide may start earlier if no features are
  // missing.
  [[nodiscard]] LiveTime cut_off() const;
  [[nodiscard]] bool has_all_features() const;
  // The indices of the running decide's events whose features are still missing.
  [[nodiscard]] const std::vector<std::size_t>& missing_places() const;
  // Supplies features from the party's table for an event with missing features. The table's features are used if no
  // features are sent before the cut-off.
  void supply(std::size_t place, FeatureValues values, const std::string& subject, LiveTime now);
  // A function that returns the party's own name for a pseudonym, or null. The function is used for rows that were sent
  // without a name.
  using OwnNames = std::function<const std::string*(const std::string& pseudonym)>;
  void name_by(OwnNames own_names) { own_names_ = std::move(own_names); }
  // Returns the rows of the running decide, one row per event. An event has the default row if its features are
  // missing, or if its subject has reached a limit (subjects.h). Features that arrive after this call are too late. For
  // a window of agreement, this call also charges the subjects.
  [[nodiscard]] std::vector<FeatureValues> freeze(LiveTime now);
  // For a running secret decide: this party's share of the sum that the decide shows to the actor; 0 if no window is
  // full.
  [[nodiscard]] std::uint64_t shown_share() const;
  // For the learn that has begun: the rows that the decides used, one row per event of the learn's batches.
  [[nodiscard]] std::vector<FeatureValues> learned_rows() const;
  // Writes the number of the program that has ended to the disk. Returns the frame to send.
  [[nodiscard]] DoneFrame prepare(PartyOutcome outcome, LiveTime now);
  // Records that the last number is settled. Throws ProtocolError if the frame names another number.
  void settle(const SettledFrame& frame);

  // This party's shares of the newest model. Returns nothing before the first learn.
  [[nodiscard]] std::optional<std::vector<std::byte>> model() const;
  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Records `now` as the time at which the figures begin, unless such a time is already recorded.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& figure_history() const noexcept {
    return figures_.history();
  }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return figures_.ranges(); }
  // The figures about all subjects at the time `now`.
  [[nodiscard]] const SubjectFigures& subject_figures(LiveTime now);
  // The latest day that has begun at this party is so many days after the day of `now`; 0 if it is not later.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const { return subjects_.days_ahead(now); }
  // The count of a subject. `name` is the party's own name for the subject, or else the subject's pseudonym. Returns
  // nothing if no decision has used a row of the subject.
  [[nodiscard]] std::optional<SubjectCount> subject(const std::string& name, LiveTime now);

 private:
  struct Subject {
    std::string name;
    SubjectHash hash;
  };
  using Subjects = std::vector<std::optional<Subject>>;  // one per event; not set without a subject or a row
  struct Running {
    OrderEntry entry;
    LiveTime cut_off = 0;
    std::optional<BatchFeatures> frozen;
    std::vector<std::size_t> missing;  // indices of events without features
    RefusedPlaces refused;
    std::map<std::size_t, PushedFeatures> at_hand{};
    // The members below are set once the decide is frozen.
    bool begins_window = false;
    std::vector<SubjectHash> counted{};    // subjects of events with their own rows
    std::vector<SubjectHash> in_window{};  // subjects of events that are counted in the window
    std::uint64_t withheld = 0;            // number of events that got the default row because of a limit
    std::uint64_t uncharged = 0;           // events in the window whose subjects could not be charged
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
  std::uint64_t last_decide_ = 0;  // program numbers of this epoch's last decide and learn
  std::uint64_t last_learn_ = 0;
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
