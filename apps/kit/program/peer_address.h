// Where another role is reached, as somebody writes it into a config or behind a flag.
#pragma once

#include <string>
#include <string_view>

#include "sotto/protocol/transport/tcp/address.h"

namespace sotto::apps {

// As net::parse_address; also refuses 0.0.0.0 and [::], on which a role can listen, and where none is reached.
[[nodiscard]] net::Address parse_peer(std::string_view text, const std::string& where);

}  // namespace sotto::apps
