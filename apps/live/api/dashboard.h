// The page of a role: what its own side may see of it, live. One page without outside parts, read only; it asks its own
// role for /v1/status, /v1/figures, /v1/privacy and /metrics, and holds nothing of them itself.
#pragma once

#include "apps/kit/http/router.h"

namespace sotto::apps::live {

// GET /. The page needs no token, what it asks for does: where there is one, the page asks its reader for it and keeps
// it in its memory alone.
[[nodiscard]] Route dashboard_route();

// The whole page.
[[nodiscard]] const std::string& dashboard_page();

// Parts of it.
extern const char* const dashboard_style;
extern const char* const dashboard_body;
extern const char* const dashboard_reading;  // script: asks, and takes the answers apart
extern const char* const dashboard_drawing;  // script: shows them

}  // namespace sotto::apps::live
