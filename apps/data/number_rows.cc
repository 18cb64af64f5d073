#include "apps/data/number_rows.h"

namespace sotto::apps {

Table read_number_rows(const std::filesystem::path& path) {
  return read_csv(path, Header::optional);
}

}  // namespace sotto::apps
