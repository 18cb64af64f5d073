// The one way to include Asio. Boost 1.74 uses std::exchange in its C++20 mode without including
// <utility>, which therefore stands first. For .cc files only: no header of ours shows Asio.
#pragma once

#include <utility>

#include <boost/asio.hpp>
