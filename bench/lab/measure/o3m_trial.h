// The computing time of each participant of O3M for a step, compared with the central twin and the textbook algorithm,
// in one thread without links and files.
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

// Microseconds for a step. All lists except the last have one sample for each round of the measurement.
struct O3mFigures {
  std::uint64_t steps = 0;
  std::vector<double> joining_us;  // time in which the active participant masks, adds up and decodes
  std::vector<double> playing_us;  // time in which the active participant selects and updates
  std::vector<double> twin_us;
  std::vector<double> passive_us;   // first passive participant
  std::vector<double> textbook_us;  // one sample for each textbook step, which inverts (ucb) or factorises (ts) A
};

// Plays about `steps` steps, in at least three rounds of the measurement, and `textbook_steps` steps of the textbook
// algorithm. Throws std::logic_error if the twin and the active participant pull different arms, and Interrupted.
[[nodiscard]] O3mFigures measure_o3m(const O3mCase& what, std::uint64_t steps, std::uint64_t textbook_steps,
                                     const std::atomic<bool>& interrupted);

// Whole runs, with every role as a process on loopback. Microseconds for a step, one sample for each run.
struct O3mRunFigures {
  std::vector<double> playing_us;     // selecting and updating, once the masked contexts have arrived
  std::vector<double> twin_us;        // the twin sees whole contexts
  std::vector<double> end_to_end_us;  // masking, sending, adding up and playing
  double received_bytes = 0;
  bool arms_equal = true;
};

[[nodiscard]] O3mRunFigures measure_o3m_runs(const O3mCase& what, std::uint64_t steps, std::size_t repeats,
                                             bool plaintext, const std::atomic<bool>& interrupted);

struct O3mRunMeasurement {
  O3mCase what;
  std::uint64_t steps = 0;
  bool plaintext = false;
  O3mRunFigures figures;
};

struct O3mMeasurement {
  O3mCase what;
  O3mFigures figures;
};

[[nodiscard]] std::vector<FigureTable> o3m_tables(const std::vector<O3mMeasurement>& measurements,
                                                  const std::vector<O3mRunMeasurement>& runs);

// LinUCB and LinTS in textbook form: each step inverts or factorises the whole matrix A again.
class TextbookBandit {
 public:
  explicit TextbookBandit(const LinearBanditOptions& options);
  ~TextbookBandit();

  // As in LinearBandit, except that ties go to the first arm, and LinTS adds its noise to theta.
  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts);
  void update(std::span<const double> context, double reward);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace sotto::apps::lab
