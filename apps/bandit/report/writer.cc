#include "sotto/apps/bandit/report/writer.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/bandit/report/html.h"
#include "sotto/apps/kit/report/run_page.h"

namespace sotto::apps {

void write_run(const std::filesystem::path& directory, const BanditResult& result) {
  write_run_files(directory, report_html(result), to_json(result));
}

}  // namespace sotto::apps
