// The arithmetic of O3M inside one process and one thread: what each participant computes for a step, beside the
// central twin and the textbook. No link and no file.
//
// All participants do what they do in a run: mask their columns, round to fixed point, add zero shares; the active one
// adds up what the others would send, decodes it and plays. The twin plays on the whole contexts with the same class.
// Rounds of a batch of steps follow one another, all quantities in turn, so that what drifts concerns all alike.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct O3mCase {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::size_t dimension = 100;
  std::size_t arms = 10;
  std::size_t participants = 5;
};

// Microseconds a step, a sample a round; all lists but the last are equally long.
struct O3mFigures {
  std::uint64_t steps = 0;          // that were played
  std::vector<double> joining_us;   // of the active one: mask, add up, decode
  std::vector<double> playing_us;   // of the active one: select and update
  std::vector<double> twin_us;      // select and update
  std::vector<double> passive_us;   // of the first passive one
  std::vector<double> textbook_us;  // a sample a step: A inverted (ucb) or factorised (ts) anew
};

// About `steps` steps of synthetic contexts, whole rounds and three at least, and `textbook_steps` of the textbook.
// Columns are split evenly. Throws std::logic_error where the twin and the active participant pull different arms, and
// Interrupted.
[[nodiscard]] O3mFigures measure_o3m(const O3mCase& what, std::uint64_t steps, std::uint64_t textbook_steps,
                                     const std::atomic<bool>& interrupted);

// The same in whole runs: every role a process on loopback, beside the central twin that this process plays after each
// run. Microseconds a step, a sample a run; all lists are equally long.
struct O3mRunFigures {
  std::vector<double> playing_us;     // once the masked contexts are there
  std::vector<double> twin_us;        // the same loop on whole contexts
  std::vector<double> end_to_end_us;  // masking, sending, adding up and playing
  double received_bytes = 0;          // a step, by the active participant
  bool arms_equal = true;             // to the twin's, in all runs
};

// `repeats` runs of `steps` steps on synthetic files. Links are those of TLS, or plain TCP. Errors as of
// launch_local_o3m().
[[nodiscard]] O3mRunFigures measure_o3m_runs(const O3mCase& what, std::uint64_t steps, std::size_t repeats,
                                             bool plaintext, const std::atomic<bool>& interrupted);

struct O3mRunMeasurement {
  O3mCase what;
  std::uint64_t steps = 0;
  bool plaintext = false;
  O3mRunFigures figures;
};

// The tables of `sotto-lab bench o3m`: times of a step, and which of the targets are met.
// Targets, of the active participant's arithmetic with five participants, one thread: at most 20 us a step with 100
// dimensions and 10 arms, at most 10 ms with 1000 and 100. Others have none.
struct O3mMeasurement {
  O3mCase what;
  O3mFigures figures;  // at least one sample of each
};

[[nodiscard]] std::vector<FigureTable> o3m_tables(const std::vector<O3mMeasurement>& measurements,
                                                  const std::vector<O3mRunMeasurement>& runs);

// LinUCB and LinTS as one writes them down first: A as a whole, inverted or factorised anew in each step. The
// comparison of `sotto-lab bench o3m`.

class TextbookBandit {
 public:
  explicit TextbookBandit(const LinearBanditOptions& options);
  ~TextbookBandit();

  // As of LinearBandit; ties go to the first arm, and the noise of ts is one of theta.
  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts);
  void update(std::span<const double> context, double reward);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace sotto::apps::lab
