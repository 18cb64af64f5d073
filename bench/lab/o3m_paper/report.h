// report.html and run.json of `sotto-lab paper o3m`: one self-contained page with the figures and the
// tables, nothing loaded from anywhere, no script.
#pragma once

#include <filesystem>
#include <string>

#include "sotto/bench/lab/o3m_paper/result.h"

namespace sotto::apps {

[[nodiscard]] std::string paper_html(const PaperResult& result);

// Both files, each appearing by rename. Makes the folder if needed; ResourceError where that fails.
void write_paper(const std::filesystem::path& folder, const PaperResult& result);

}  // namespace sotto::apps
