// The plots of `sotto-lab bench wan` as files: each an SVG that stands alone, and all of them on one
// HTML page that loads nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/page.h"
#include "sotto/bench/lab/measure/wan_charts.h"

namespace sotto::apps {

// A chart with its legend, colours and background.
[[nodiscard]] std::string wan_svg(const WanChart& chart);
[[nodiscard]] std::string wan_html(const Page& page, const std::vector<WanChart>& charts);

// Writes wan.md, wan.html and wan-<key>.svg for each chart. Throws ResourceError where it cannot.
void write_wan(const std::filesystem::path& folder, const Page& page,
               const std::vector<WanChart>& charts);

}  // namespace sotto::apps
