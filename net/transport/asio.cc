#include "net/transport/asio.h"

#include <boost/asio/impl/src.hpp>
