// report.html and run.json of `sotto-lab paper robin`: one self-contained page with the figures and the
// tables, nothing loaded from anywhere, no script.
#pragma once

#include <filesystem>
#include <string>

#include "sotto/bench/lab/robin_paper/result.h"

namespace sotto::apps {

[[nodiscard]] std::string robin_paper_html(const RobinPaperResult& result);

// Both files, each appearing by rename. Makes the folder if needed; ResourceError where that fails.
void write_robin_paper(const std::filesystem::path& folder, const RobinPaperResult& result);

}  // namespace sotto::apps
