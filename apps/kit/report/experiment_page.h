// What the report pages of reproduced experiments share: the page's frame and charts with legends.
#pragma once

#include <string>

#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/provenance.h"

namespace sotto::apps {

// A whole page: `title` is text, `style` comes after the common one (class "verdict failed" is known), `body` is
// markup.
[[nodiscard]] std::string experiment_page(const std::string& title, const std::string& style,
                                          const std::string& body);

// A <figure>: a legend with each series' last value, the chart at both widths, the caption (text).
[[nodiscard]] std::string chart_figure(const LineChart& chart, const std::string& caption);

// The last section and the footer: where the figures come from, how long all took.
[[nodiscard]] std::string experiment_end(const Provenance& provenance, double seconds);

}  // namespace sotto::apps
