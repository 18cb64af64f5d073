// The data that comes with the project: the UCI optical digits (apps/kit/data/digits.csv, see
// apps/kit/data/digits.LICENSE).
#pragma once

#include <filesystem>

namespace sotto::apps {

// Where digits.csv is: beside an installed sotto, or in the source tree that this one was built from. Throws
// InputError, with what to do, when it is in neither place.
[[nodiscard]] std::filesystem::path shipped_digits();

}  // namespace sotto::apps
