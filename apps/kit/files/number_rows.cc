#include "sotto/apps/kit/files/number_rows.h"

namespace sotto::apps {

Table read_number_rows(const std::filesystem::path& path, const IsText& is_text,
                       const TableLimits& limits) {
  return read_csv(path, Header::optional, is_text, limits);
}

}  // namespace sotto::apps
