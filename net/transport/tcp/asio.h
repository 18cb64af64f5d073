// The one way to include Asio. Boost 1.74 uses std::exchange in its C++20 mode without including
// <utility>, which therefore stands first. For .cc files only: no header of ours shows Asio. Its
// memory fences, which only operations handed from thread to thread need, are left out: we use it
// from one thread each, and the thread sanitizer does not know fences.
#pragma once

#include <utility>

#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1

#include <boost/asio.hpp>
#include <memory>

#include "sotto/core/error/errors.h"

namespace sotto::net {

// What holds an io_context and a socket: Asio throws an error of its own where the system gives it no
// descriptors.
template <class Parts>
[[nodiscard]] std::unique_ptr<Parts> make_with_context() {
  try {
    return std::make_unique<Parts>();
  } catch (const boost::system::system_error& error) {
    throw ResourceError("no connections can be made or taken: " + error.code().message() +
                        "; raise ulimit -n");
  }
}

}  // namespace sotto::net
