// Chooses, at the actor, which programs are dealt or prepared in advance, and which of these programs the next entry
// uses.
//
// A plan is never changed once it is sent. A program whose shape is not needed is skipped, and its randomness is thrown
// away. If a program is larger than the number of events, padding fills the rest.
//
// A learn gets the smallest size that is enough for all due events without a planned learn. Learns and decides
// alternate in the plan, so that neither kind falls behind under a heavy load. A decide gets the smallest size that is
// enough for the waiting events without a planned decide, and for the mean number of events in recent decides.
//
// The dealer needs much more time for a learn than for a small decide. So a learn is planned some time before the learn
// begins (ActorPeers::learn_head_start).
//
// Without a dealer the roles prepare the planned programs (engine/prepared_programs.h). A preparation needs equally
// many rounds for one decide and for several decides, so the planner plans several decides at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "apps/live/order/frames.h"

namespace sotto::apps::live {

struct PlannerNeeds {
  bool decide = false;
  bool secret = false;
  std::size_t waiting = 0;
  std::size_t due = 0;
  std::size_t first_due = 0;
  bool hold_learns = false;
  // True while the dealer deals a planned learn. The learn then begins later, unless an event waits for a decide that
  // was planned after the learn.
  bool deals_learn = false;
  // The fraction bits of the imported model that the next learn begins from. If they are set, only one learn is
  // planned, because later learns begin from another model.
  bandit::SumBits from{};
  bool concurrent = false;  // the rounds of a learn are running, so the next learn must wait
};

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
  [[nodiscard]] std::size_t decides(bool secret) const;
  [[nodiscard]] std::optional<PlanFrame> extend(const PlannerNeeds& needs, OrderNumber settled);
  // Returns nothing if no program that `needs` can use is planned.
  [[nodiscard]] std::optional<TakenProgram> take(const PlannerNeeds& needs);

 private:
  struct Planned {
    std::size_t programs = 0;
    std::size_t events = 0;
  };
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
  std::uint64_t next_ = 1;
  std::deque<Numbered> planned_;
  std::size_t recent_ = 1;
};

// The largest number of events in the next decide, after `decided` decided events. If `largest` is above 40 A, where A
// is the number of arms, the limit begins at the largest power of two that is at most 8 A. The limit doubles while
// twice the limit is at most half of `decided`. At first all scores are equal, so all arms of a large first batch would
// be uniformly random.
[[nodiscard]] std::size_t batch_limit(std::size_t largest, std::size_t arms, std::uint64_t decided);

}  // namespace sotto::apps::live
