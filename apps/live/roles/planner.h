// Chooses, at the actor, which programs are dealt or prepared in advance, and which of them the next entry takes.
//
// Programs of an epoch are numbered from 1. A plan names the shapes of the next programs and is never changed. A
// program whose shape turns out to be useless is skipped, and its randomness is thrown away. If a program has more
// places than events, the rest is padded. The planner forgets everything at the end of an epoch, when programs that
// were dealt ahead are dropped.
//
// Choice. Learns are planned for all batches that are due, each in the smallest size for the events that are left.
// Learns and decides take turns, so that neither kind falls behind if both have more to do than they can. All other
// programs are decides. A decide has the smallest size for the events that wait and have no program yet. While no event
// waits, its size is about that of recent decides. At most `ahead` programs of each kind are planned. One more decide
// is planned if none of them has room for all events that wait, because an event that waits for a second decide takes
// twice as long.
//
// Dealing a learn takes many times as long as dealing a small decide. So a learn is planned for a while before it
// begins (ActorPeers::learn_head_start). Meanwhile the decides before it are used.
//
// Without a dealer the roles prepare the planned programs (engine/prepared_programs.h). A preparation takes as many
// rounds for one program as for many. So decides are planned in pieces: no further decide is planned while more than
// half of `ahead` are there and one of them has room for all events that wait. Neither kind of program skips the other:
// a prepared program stays until it is taken.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "apps/live/order/frames.h"

namespace sotto::apps::live {

// The work that is to be done.
struct PlannerNeeds {
  bool decide = false;        // a decide may begin now
  bool secret = false;        // the decide is a secret one
  std::size_t waiting = 0;    // events that wait for a decide, at most as many as the largest batch now takes
  std::size_t due = 0;        // events that are due to be learned
  std::size_t first_due = 0;  // events of the first batch that is due
  bool hold_learns = false;   // due batches may wait: no further learn is planned for them
  // The dealer is still dealing a planned learn. The learn begins later, unless an event waits for a decide that comes
  // after the learn.
  bool deals_learn = false;
  // The bits of the model that the next learn begins from. If they are set, no further learn is planned, because later
  // learns begin from another model.
  bandit::SumBits from{};
  bool concurrent = false;  // a learn is played next to decides: the next learn, and programs planned after it, wait
};

// A program that is taken, and the earlier programs that are skipped.
struct TakenProgram {
  std::vector<std::uint64_t> skipped;
  std::uint64_t program = 1;
  ProgramShape shape;
};

class ProgramPlanner {
 public:
  // `sizes` must ascend. At most `ahead` learns and `ahead` decides are planned and not taken, apart from one more
  // decide that has room.
  ProgramPlanner(std::vector<std::uint32_t> sizes, std::size_t ahead, bool has_dealer = true);

  void begin_epoch();
  // Number of decides that are planned and not taken.
  [[nodiscard]] std::size_t decides(bool secret) const;
  // Shapes to plan now, if any.
  [[nodiscard]] std::optional<PlanFrame> extend(const PlannerNeeds& needs, OrderNumber settled);
  // The next useful program, if one is planned.
  [[nodiscard]] std::optional<TakenProgram> take(const PlannerNeeds& needs);

 private:
  struct Planned {
    std::size_t programs = 0;
    std::size_t events = 0;  // number of events that they have room for
  };
  // The planned programs whose shape satisfies `is`.
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
  std::uint64_t next_ = 1;        // number of the program that is planned next
  std::deque<Numbered> planned_;  // planned and not taken, ascending
  std::size_t recent_ = 1;        // how many events decides had recently
};

// The most events of a decide after `decided` events. If the largest batch is above 40 times the number of arms,
// batches begin at the largest power of two up to 8 times that number. They double as soon as two of them are at most
// half of the earlier events. The reason: all scores tie at first, so a large first batch would have only uniformly
// drawn arms.
[[nodiscard]] std::size_t batch_limit(std::size_t largest, std::size_t arms, std::uint64_t decided);

}  // namespace sotto::apps::live
