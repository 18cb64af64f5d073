// A party's own interface: features of events, one and many.
#pragma once

#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` must outlive the server. The context's features are the party's.
void add_party_routes(Router& router, PartyService& service, const SharedContext& context);

}  // namespace sotto::apps::live
