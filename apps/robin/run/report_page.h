// What people read of a ROBIN run: a summary for a terminal, and report.html, one self-contained page in
// the style of that of the private bandit (apps/bandit/report/html.h). Whatever came from outside is escaped.
#pragma once

#include <filesystem>
#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/robin/run/result.h"

namespace sotto::apps {

// Several aligned lines, each ended by a newline.
[[nodiscard]] std::string summary_text(const RobinResult& result, const TextOptions& options);

[[nodiscard]] std::string report_html(const RobinResult& result);

// Writes run.json and report.html, each by rename; makes the folder if needed. ResourceError where
// that cannot be done.
void write_run(const std::filesystem::path& folder, const RobinResult& result);

}  // namespace sotto::apps
