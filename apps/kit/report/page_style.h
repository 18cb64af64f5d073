// The style sheet of report.html.
#pragma once

namespace sotto::apps {

extern const char* const page_style;

}  // namespace sotto::apps
