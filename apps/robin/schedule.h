// The phases of a ROBIN run: phase p = 1, 2, .. has 2^p steps, the last one what is left of the horizon. The first U
// are local LinUCB, whose statistics are kept across them; the others are greedy on what was released last. Each phase
// from U on but the last one ends with an upload: after phase U of an estimate from all steps so far, later of one from
// the phase alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/apps/robin/settings.h"

namespace sotto::apps {

struct Phase {
  std::size_t number = 1;
  std::uint64_t first_step = 0;
  std::uint64_t steps = 2;
  bool local = true;     // LinUCB; else greedy on the broadcast
  bool uploads = false;  // it ends with an upload, which takes a release
  [[nodiscard]] std::uint64_t end() const { return first_step + steps; }
};

// Of checked() settings.
[[nodiscard]] std::vector<Phase> phases_of(const RobinSettings& settings);
// The same phases, all local and none with an upload: remark 4.6, and the local twin.
[[nodiscard]] std::vector<Phase> local_phases_of(const RobinSettings& settings);
[[nodiscard]] std::size_t releases_of(const RobinSettings& settings);

// Steps that the upload of a phase speaks of.
[[nodiscard]] std::uint64_t estimate_steps(const Phase& phase);
// How far estimates lie from theta in any direction, tau_factor standard deviations of it at most: half the width of a
// bin of PrivateRange. settings.lambda_min must be above 0.
[[nodiscard]] double tau_of(const RobinSettings& settings, const Phase& phase);

}  // namespace sotto::apps
