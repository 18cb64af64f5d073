// Which programs are dealt or prepared ahead, and which of them the next entry takes: at the actor.
//
// Programs of an epoch are numbered from 1. A plan names the shapes of the next ones and is never changed; a program of
// a shape that turns out to be of no use is skipped, and its randomness thrown away. Events that are fewer than a shape
// are padded. The planner forgets all at the end of an epoch: what was dealt ahead is dropped then.
//
// Choice. Learns are planned for all that is due, each in the smallest size for what is left of it, and in turn with
// decides, so that neither kind falls behind where both have more to do than they can. All else is planned as decides:
// of the smallest size for the events that wait and have no program yet, or, while nobody waits, for about as many as
// came of late. Of both kinds at most `ahead` are planned; and a decide more where none of them has room for all who
// wait, as one that waits for another takes twice as long.
//
// Dealing a learn takes many times as long as dealing a small decide. So a learn is planned for a while before it
// begins (ActorPeers::learn_head_start), in which the decides before it are used.
//
// Without a dealer the roles prepare what is planned (engine/prepared_programs.h), which takes as many rounds for one
// program as for many. So it is planned in pieces: no further decide while more than half of `ahead` are there, of
// which one has room for all who wait. And neither kind of program skips the other: what is prepared lies there until
// it is taken.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "apps/live/order/frames.h"

namespace sotto::apps::live {

// What there is to do.
struct PlannerNeeds {
  bool decide = false;        // a decide may begin now
  bool secret = false;        // and which of the two
  std::size_t waiting = 0;    // events that wait for one, as far as they fit the largest batch of the time
  std::size_t due = 0;        // events that are due to be learned
  std::size_t first_due = 0;  // of the first batch that is due
  bool hold_learns = false;   // what is due may wait: no further learn is planned for it
  // The dealer is at a learn that was planned: it begins later, unless a decide is waited for that comes behind it.
  bool deals_learn = false;
  // As the model is that the next learn begins from. Where there are any, it is the only one that is planned: those
  // after it begin from another model.
  bandit::SumBits from{};
  bool beside = false;  // a learn is played beside decides: the next one, and what is planned after it, waits for it
};

// A program that is taken, and those before it that are skipped.
struct TakenProgram {
  std::vector<std::uint64_t> skipped;
  std::uint64_t program = 1;
  ProgramShape shape;
};

class ProgramPlanner {
 public:
  // `sizes` ascending; `ahead`: decides that are planned and not taken, but for one with room, and the most learns.
  ProgramPlanner(std::vector<std::uint32_t> sizes, std::size_t ahead, bool has_dealer = true);

  void begin_epoch();
  // Decides that are planned and not taken.
  [[nodiscard]] std::size_t decides(bool secret) const;
  // Shapes to plan now, if any.
  [[nodiscard]] std::optional<PlanFrame> extend(const PlannerNeeds& needs, OrderNumber settled);
  // The next program that is of use, if one is planned.
  [[nodiscard]] std::optional<TakenProgram> take(const PlannerNeeds& needs);

 private:
  struct Planned {
    std::size_t programs = 0;
    std::size_t events = 0;  // that have room in them
  };
  // Of those that `is` holds of.
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
  std::uint64_t next_ = 1;        // program that is planned next
  std::deque<Numbered> planned_;  // and not taken, ascending
  std::size_t recent_ = 1;        // events of a decide, of late
};

// The most events of a decide after `decided` events. Where the largest batch is above 40 arms, batches begin with the
// largest power of two up to 8 arms and double as soon as two of them are at most half of the events before: all scores
// tie at first, and a large batch would be of uniform arms.
[[nodiscard]] std::size_t batch_limit(std::size_t largest, std::size_t arms, std::uint64_t decided);

}  // namespace sotto::apps::live
