// The arithmetic of O3M inside one process and one thread: the computing time of each participant for a step, compared
// with the central twin and the textbook. There are no links and no files.
//
// All participants do the same work as in a run. Each participant masks its columns, rounds to fixed point and adds
// zero shares. The active participant adds up the words that the other participants would send, decodes the sum and
// plays. The twin plays on the whole contexts with the same C++ class. The trial plays one round after the other, and
// each round is a batch of steps. In each round all quantities are measured in turn, so that drift affects all
// quantities equally.
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

// Microseconds for a step, one sample for each round; all lists except the last have equal length.
struct O3mFigures {
  std::uint64_t steps = 0;          // number of steps that were played
  std::vector<double> joining_us;   // time in which the active participant masks, adds up and decodes
  std::vector<double> playing_us;   // time in which the active participant selects and updates
  std::vector<double> twin_us;      // time in which the twin selects and updates
  std::vector<double> passive_us;   // time of the first passive participant's work
  std::vector<double> textbook_us;  // one sample for each textbook step, which inverts (ucb) or factorises (ts) A
};

// Plays about `steps` steps of synthetic contexts, in at least three whole rounds, and plays `textbook_steps` steps of
// the textbook algorithm. Columns are split evenly. Throws std::logic_error if the twin and the active participant pull
// different arms, and Interrupted.
[[nodiscard]] O3mFigures measure_o3m(const O3mCase& what, std::uint64_t steps, std::uint64_t textbook_steps,
                                     const std::atomic<bool>& interrupted);

// Figures of whole runs: every role is a process on loopback, and this process plays the central twin after each run.
// Figures are microseconds for a step, one sample for each run; all lists have equal length.
struct O3mRunFigures {
  std::vector<double> playing_us;     // selecting and updating, once the masked contexts have arrived
  std::vector<double> twin_us;        // the twin's selecting and updating, on whole contexts
  std::vector<double> end_to_end_us;  // masking, sending, adding up and playing
  double received_bytes = 0;          // bytes that the active participant receives for each step
  bool arms_equal = true;             // whether the run pulled the same arms as the twin, in all runs
};

// Measures `repeats` runs of `steps` steps on synthetic files. Links use TLS or plain TCP. Throws the errors of
// launch_local_o3m().
[[nodiscard]] O3mRunFigures measure_o3m_runs(const O3mCase& what, std::uint64_t steps, std::size_t repeats,
                                             bool plaintext, const std::atomic<bool>& interrupted);

struct O3mRunMeasurement {
  O3mCase what;
  std::uint64_t steps = 0;
  bool plaintext = false;
  O3mRunFigures figures;
};

// The tables of `sotto-lab bench o3m`: times of a step, and the targets with the results. The targets are for the
// active participant's arithmetic with five participants, in one thread. A step with 100 dimensions and 10 arms takes
// at most 20 us. A step with 1000 dimensions and 100 arms takes at most 10 ms. Other cases have no target.
struct O3mMeasurement {
  O3mCase what;
  O3mFigures figures;  // at least one sample of each figure
};

[[nodiscard]] std::vector<FigureTable> o3m_tables(const std::vector<O3mMeasurement>& measurements,
                                                  const std::vector<O3mRunMeasurement>& runs);

// LinUCB and LinTS in their first textbook form: the whole matrix A is inverted or factorised again in each step.
// `sotto-lab bench o3m` compares O3M with this textbook form.

class TextbookBandit {
 public:
  explicit TextbookBandit(const LinearBanditOptions& options);
  ~TextbookBandit();

  // select() and update() work like those of LinearBandit, with two differences: ties go to the first arm, and LinTS
  // adds its noise to theta.
  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts);
  void update(std::span<const double> context, double reward);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace sotto::apps::lab
