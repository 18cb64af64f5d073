// Chooses, at the actor, which programs are dealt or prepared in advance, and which of these programs the next entry
// uses.
//
// Programs of an epoch are numbered from 1. A plan names the shapes of the next programs and is never changed. A
// program whose shape is not needed is skipped, and its randomness is thrown away. If a program is larger than the
// number of events, padding fills the rest. The planner forgets all plans at the end of an epoch, because all programs
// that were dealt ahead are then dropped.
//
// Choice. Learns are planned for all due batches. Each learn has the smallest size that has room for the remaining
// events. Learns and decides take turns, so that neither kind falls behind under a heavy load. All other programs are
// decides. A decide has the smallest size that has room for those waiting events for which no program is planned yet.
// If no event waits, the size of a decide is about the size of recent decides. At most `ahead` programs of each kind
// are planned. If no planned decide has room for all waiting events, one more decide is planned, because an event that
// waits for a second decide waits twice as long.
//
// The dealer needs much more time for a learn than for a small decide. So a learn is planned some time before the learn
// begins (ActorPeers::learn_head_start). Decides that were planned before the learn run during this time.
//
// Without a dealer the roles prepare the planned programs (engine/prepared_programs.h). A preparation has the same
// number of rounds for one program as for many. So decides are planned several at a time. No further decide is planned
// while more than half of `ahead` decides are planned and one of these has room for all waiting events. When the actor
// uses a learn, it skips no decide, and when it uses a decide, it skips no learn. So a prepared program of the other
// kind stays.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "apps/live/order/frames.h"

namespace sotto::apps::live {

// The work of the actor that needs programs.
struct PlannerNeeds {
  bool decide = false;        // a decide may begin now
  bool secret = false;        // the decide is a secret one
  std::size_t waiting = 0;    // events that wait for a decide, at most the current largest batch size
  std::size_t due = 0;        // events that are due to be learned
  std::size_t first_due = 0;  // events of the first batch that is due
  bool hold_learns = false;   // due batches may wait, so no further learn is planned
  // True while the dealer deals a planned learn. The learn then begins later, unless an event waits for a decide that
  // was planned after the learn.
  bool deals_learn = false;
  // The fraction bits of the model that the next learn begins from, if the model is imported. If the bits are set, only
  // one learn is planned, because later learns begin from another model.
  bandit::SumBits from{};
  bool concurrent = false;  // the rounds of a learn are running; the next learn and the programs after it must wait
};

// A program to run, and the earlier programs to skip.
struct TakenProgram {
  std::vector<std::uint64_t> skipped;
  std::uint64_t program = 1;
  ProgramShape shape;
};

class ProgramPlanner {
 public:
  // `sizes` must ascend. At most `ahead` learns and `ahead` decides are planned in advance, and one more decide if no
  // planned decide is large enough.
  ProgramPlanner(std::vector<std::uint32_t> sizes, std::size_t ahead, bool has_dealer = true);

  void begin_epoch();
  // Number of planned decides that take() has not returned yet.
  [[nodiscard]] std::size_t decides(bool secret) const;
  // Plans more programs. Returns nothing if no program should be planned now.
  [[nodiscard]] std::optional<PlanFrame> extend(const PlannerNeeds& needs, OrderNumber settled);
  // Returns the next program that `needs` can use, and removes it from the plans. Returns nothing if no such program is
  // planned.
  [[nodiscard]] std::optional<TakenProgram> take(const PlannerNeeds& needs);

 private:
  struct Planned {
    std::size_t programs = 0;
    std::size_t events = 0;  // number of events that fit into the programs
  };
  // Counts the planned programs whose shape satisfies `is`.
  template <class Is>
  [[nodiscard]] Planned planned(Is is) const;
  struct Numbered {
    std::uint64_t program;
    ProgramShape shape;
  };
  [[nodiscard]] bool has_room(const PlannerNeeds& needs) const;
  [[nodiscard]] std::optional<ProgramShape> next_learn(const PlannerNeeds& needs) const;
  [[nodiscard]] std::optional<ProgramShape> next_decide(const PlannerNeeds& needs) const;
  [[nodiscard]] std::uint32_t size_for(std::size_t events) const;
  [[nodiscard]] std::size_t best_decide(std::size_t from, const PlannerNeeds& needs) const;

  std::vector<std::uint32_t> sizes_;
  std::size_t ahead_;
  bool has_dealer_;
  std::uint64_t next_ = 1;        // the number that the next planned program gets
  std::deque<Numbered> planned_;  // planned, not returned by take(); ascending
  std::size_t recent_ = 1;        // average number of events in recent decides
};

// The most events of a decide, if `decided` events were decided before. If the largest batch is above 40 times the
// number of arms, the limit begins lower: at the largest power of two up to 8 times the number of arms. The limit
// doubles while twice the limit is at most half of `decided`. The reason: all scores are equal at first, so a large
// first batch would have only uniformly drawn arms.
[[nodiscard]] std::size_t batch_limit(std::size_t largest, std::size_t arms, std::uint64_t decided);

}  // namespace sotto::apps::live
