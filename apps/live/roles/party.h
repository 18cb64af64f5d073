// A compute party of the decision service: stores the features of its own organisation, follows the actor's order, and
// stores its shares of the model. The party is a state machine without clock, thread or link. After an exception, make
// a new party from the rows.
//
// The party's default row replaces missing features, and no other role sees whether features were missing. If an event
// was decided before, the party refuses only this event and accepts the other events of the batch. The caller of a
// refused event gets no arm from this decide.
//
// If the epoch ends before prepare(), nothing of the running entry is stored. If the epoch ends after prepare(), the
// next opening may roll the entry back; the features of the entry then wait again.
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
  FeatureValues values;  // the caller has checked the bounds
  std::string subject{};
};

enum class PushStatus : std::uint8_t {
  stored,
  same,      // equal features were sent or used before
  too_late,  // the event was decided without these features
  decided,
  conflict,  // other features were sent before
  full,
};

struct PartyOutcome {
  net::Digest public_words{};  // SHA-256 of the public words (OrderPlace); zeros if the entry has none
  std::vector<std::byte> lanes;
  std::vector<std::uint8_t> best;  // of a decide, with LiveSettings::keeps_best() (archive.h)
  LiftWords lift;                  // of a learn, with LiveSettings::lift: shares of its counts
  std::uint64_t agreed = 0;
  std::vector<std::byte> model;
};

class WindowAccount {
 public:
  WindowAccount() = default;
  WindowAccount(const WindowAccount&) = delete;
  WindowAccount& operator=(const WindowAccount&) = delete;
  virtual ~WindowAccount() = default;

  // Charges each subject the window's epsilon, once per window, and writes the charges to the disk. A subject with a
  // spent budget is not charged, and its result is false. `window` is the number of the first decide in the window. For
  // a window of the lift, `window` is last_number + the number of windows of the lift up to this one.
  [[nodiscard]] virtual std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) = 0;
  // Releases the account for other programs, because no window is being filled now.
  virtual void rest() = 0;
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

struct PartyGuards {
  SubjectLimits limits{};
  WindowAccount* account = nullptr;  // must outlive the party
};

// What a party brings to the counts of the lift, for the events of a learn.
struct LiftPart {
  std::vector<std::uint8_t> best;     // the party's share of the event's bit
  std::vector<std::uint8_t> counted;  // 1 if the party counts the event
};

class LiveParty {
 public:
  using Noise = std::function<std::int64_t()>;
  // Without `noise`, a decide that fills a window throws std::logic_error.
  LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults, Noise noise = {},
            const RecoveryRequest& recovery_request = {}, const PartyGuards& guards = {});

  [[nodiscard]] LiveHistory history() const { return book_.history(); }
  // Rolls back entries above the opening's number, or does the recovery, and writes the result to the disk. Throws
  // DisagreementError if the party has not done the opening's entry, or was not started with the recovery. `convert`
  // converts the model of another service. If `convert` throws, nothing changes.
  using Convert = std::function<std::vector<std::byte>(std::span<const std::byte> imported)>;
  void open(const LiveOpening& opening, const net::SessionId& session, const Convert& convert = {});
  // The opening's number must be above 0. Only the actor's frame may have lanes.
  [[nodiscard]] RestateFrame restate(bool with_lanes) const;
  // Makes frames with all batches that this party knows, for a role with a lost store. A frame has at most `most`
  // events, unless it has only one batch, which may be larger.
  [[nodiscard]] std::vector<KnownFrame> known(std::size_t most) const;
  void leave_epoch();

  [[nodiscard]] std::vector<PushStatus> push(std::span<const FeaturePush> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  std::size_t forget(LiveTime now);
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more() || subjects_.has_more() || archive_has_more_; }

  // Throws ProtocolError if the learn cannot begin; the epoch must then end.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose entry is not done yet, or null.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Throws ProtocolError if the entry cannot be the next one; the epoch must then end.
  void propose(const OrderEntry& entry, LiveTime now);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  [[nodiscard]] LiveTime cut_off() const;
  [[nodiscard]] bool has_all_features() const;
  [[nodiscard]] const std::vector<std::size_t>& missing_places() const;
  // Brings features for the event at index `place` of the running decide. The party uses `values` unless its
  // organisation pushes features for the event before the cut-off.
  void supply(std::size_t place, FeatureValues values, const std::string& subject, LiveTime now);
  // Returns the party's own name for a pseudonym, or null. The party uses this name for rows that were sent without a
  // name.
  using OwnNames = std::function<const std::string*(const std::string& pseudonym)>;
  void name_by(OwnNames own_names) { own_names_ = std::move(own_names); }
  // Returns one row per event of the running decide. An event has the default row if its features are missing, or if
  // its subject has reached a limit (subjects.h). For a window of agreement, this call also charges the subjects.
  [[nodiscard]] std::vector<FeatureValues> freeze(LiveTime now);
  // The party's share of the sum that the running secret decide shows to the actor; 0 if the decide shows no sum.
  [[nodiscard]] std::uint64_t shown_share() const;
  [[nodiscard]] std::vector<FeatureValues> learned_rows() const;
  // Draws the noise of one count of the lift. Without this function, a learn that fills a window throws
  // std::logic_error.
  void draw_lift_noise_by(Noise noise) { lift_noise_ = std::move(noise); }
  // For the learn that has begun. For a window of the lift, begin() has charged the subjects.
  [[nodiscard]] const LiftPart& lift_part() const { return lift_part_; }
  // The party's shares of the counts that the begun learn shows to the actor; zeros if it shows none.
  [[nodiscard]] LiftWords shown_lift() const;
  [[nodiscard]] DoneFrame prepare(PartyOutcome outcome, LiveTime now);
  // Throws ProtocolError if the frame does not name the last entry of this party.
  void settle(const SettledFrame& frame);

  [[nodiscard]] std::optional<std::vector<std::byte>> model() const;
  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& figure_history() const noexcept {
    return figures_.history();
  }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return figures_.ranges(); }
  [[nodiscard]] const SubjectFigures& subject_figures(LiveTime now);
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const { return subjects_.days_ahead(now); }
  // `name` is the party's own name for the subject, or else the subject's pseudonym. Returns nothing if no decision has
  // used a row of the subject.
  [[nodiscard]] std::optional<SubjectCount> subject(const std::string& name, LiveTime now);

 private:
  struct Subject {
    std::string name;
    NamedBy named_by;
    SubjectHash hash;
  };
  using Subjects = std::vector<std::optional<Subject>>;
  struct Running {
    OrderEntry entry;
    LiveTime cut_off = 0;
    std::optional<BatchFeatures> frozen;
    Subjects subjects;  // of the frozen rows
    std::vector<std::size_t> missing;
    RefusedPlaces refused;
    std::map<std::size_t, PushedFeatures> at_hand{};
    bool begins_window = false;
    std::vector<SubjectHash> counted{};
    std::vector<SubjectHash> in_window{};
    std::uint64_t withheld = 0;
    std::uint64_t uncharged = 0;
  };

  void find_missing();
  [[nodiscard]] BatchFeatures gathered() const;
  [[nodiscard]] std::optional<Subject> subject_at(std::size_t place, const PushedFeatures& features) const;
  void limit(BatchFeatures& features, Subjects& subjects, LiveTime now);
  void limit_window(std::vector<FeatureValues>& rows, const Subjects& subjects);
  void count_subjects(RowDraft& draft);
  void count_lift();
  [[nodiscard]] bool is_kept(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] LiftCounted lift_of(RowDraft& draft, const OrderEntry& learn, LiftWords counts);
  [[nodiscard]] static OrderNumber decided_in(const LiveRow& event);
  [[nodiscard]] PushStatus push_one(RowDraft& draft, const FeaturePush& call, LiveTime now);
  [[nodiscard]] std::optional<PushStatus> status_of_used(const RowDraft& draft, const FeaturePush& call) const;
  void put_used(RowDraft& draft, const EventId& event, OrderNumber number,
                const std::optional<PushedFeatures>& features);
  [[nodiscard]] BatchFeatures used(const RowDraft& draft, OrderNumber number) const;
  void erase_learned(RowDraft& draft);
  void put_archive(RowDraft& draft, const OrderEntry& entry, std::vector<std::uint8_t> best, LiveTime now);
  void forget_archive(RowDraft& draft, LiveTime now);
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
  WindowSubjects lift_window_;
  LiftPart lift_part_;
  std::vector<SubjectHash> in_lift_;  // the subjects that the begun learn counts
  Noise lift_noise_;
  WindowAccount* account_;
  OwnNames own_names_;
  std::optional<Running> running_;
  std::optional<BeginFrame> concurrent_;
  std::uint64_t last_decide_ = 0;
  std::uint64_t last_learn_ = 0;
  bool archive_has_more_ = false;
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
