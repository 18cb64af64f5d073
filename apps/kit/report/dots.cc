#include "apps/kit/report/dots.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace sotto::apps {

DotScale dot_scale(std::span<const Dot> dots) {
  DotScale scale;
  for (const Dot& dot : dots) {
    for (const std::optional<double>& end : {dot.value, dot.low, dot.high}) {
      if (!end) continue;
      scale.low = std::min(scale.low, *end);
      scale.high = std::max(scale.high, *end);
    }
  }
  return scale;
}

std::string dot_cell(const Dot& dot, const DotScale& scale) {
  const double width = scale.high - scale.low;
  const auto percent = [&](double value) { return width > 0 ? 100 * (value - scale.low) / width : 0; };
  std::string content;
  if (dot.low && dot.high) {
    content += fmt::format(R"(<i style="left:{:.1f}%;width:{:.1f}%"></i>)", percent(*dot.low),
                           percent(*dot.high) - percent(*dot.low));
  }
  if (dot.value) content += fmt::format(R"(<b style="left:{:.1f}%"></b>)", percent(*dot.value));
  return fmt::format(R"(<div class="{}" aria-hidden="true">{}</div>)", dot.is_own ? "dots own" : "dots", content);
}

}  // namespace sotto::apps
