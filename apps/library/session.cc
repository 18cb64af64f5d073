#include "sotto/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "apps/library/form.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto {
namespace {

using Access = detail::SecretAccess;
using detail::Derivation;

constexpr unsigned least_bits = 8;
constexpr unsigned most_session_bits = 24;
// The product of two words with this number of bits fits the ring, and so does a sum of many such products.
constexpr int input_bits = 30;

// If the bound is large, no fraction bits are left, and the inputs must be whole numbers.
unsigned bits_of_input(const Session& session, double bound) {
  const int room = input_bits - std::max(detail::magnitude(bound), 0);
  return static_cast<unsigned>(std::clamp(room, 0, static_cast<int>(session.options().bits)));
}

// No error message contains an entry of the input.
void write_words(const Matrix& mine, Shape shape, double bound, unsigned bits, std::size_t owner,
                 std::span<std::uint64_t> words) {
  if (!(shape_of(mine) == shape)) {
    throw InputError(fmt::format("the input of party {} is a matrix of {}, where the program takes {}", owner,
                                 to_string(shape_of(mine)), to_string(shape)));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double value = mine.data()[i];
    if (!(std::abs(value) <= bound)) {
      throw InputError(
          fmt::format("the input of party {}: the entry in row {}, column {} is not finite, or larger than the bound "
                      "{:.6g} that the program states. Scale it, or state a larger bound for input() at all roles",
                      owner, i / shape.columns, i % shape.columns, bound));
    }
    words[i] = encode(value, bits);
  }
}

Task<Secret> shared(Session& session, NodeId owner, protocols::Input input, double bound, Derivation made,
                    Shape shape) {
  const detail::Origin origin = made.operation(shape);
  Masked value = co_await protocols::share_input(session.party(), owner, std::move(input), "input");
  co_return Access::make(session, std::move(value), bound, origin);
}

void require_node(const Topology& topology, std::size_t node, const std::string& what) {
  if (node < topology.nodes() && !topology.is_helper(static_cast<NodeId>(node))) return;
  throw std::invalid_argument(what + " a node that there is not");
}

}  // namespace

Session::Session(Party& party, SessionOptions options, detail::Trace* trace)
    : party_(party), options_(options), trace_(trace) {
  if (options.bits < least_bits || options.bits > most_session_bits) {
    throw std::invalid_argument(
        fmt::format("a session has {} to {} fraction bits, not {}", least_bits, most_session_bits, options.bits));
  }
  if (!(std::isfinite(options.bound) && options.bound > 0)) {
    throw std::invalid_argument("the bound of inputs is a positive number");
  }
}

std::size_t Session::receiver() const {
  if (!party_.topology().has_outside_node()) {
    throw std::invalid_argument("this run has no receiver: set has_receiver in the options of the session");
  }
  return party_.topology().outside_node();
}

Task<Secret> Session::input(std::size_t owner, Shape shape, const Matrix& mine, std::optional<double> bound) {
  const double most = bound.value_or(options_.bound);
  require_node(party_.topology(), owner, "an input of");
  if (!(std::isfinite(most) && most > 0)) throw std::invalid_argument("the bound of an input is a positive number");
  detail::require_room(most, 0, "an input");
  const unsigned bits = bits_of_input(*this, most);
  const auto node = static_cast<NodeId>(owner);
  protocols::Input words = protocols::input_at(party_, node, shape, bits, [&](std::span<std::uint64_t> out) {
    write_words(mine, shape, most, bits, owner, out);
  });
  Derivation made(*this, fmt::format("input by {}", party_.topology().name(node)));
  return shared(*this, node, std::move(words), most, made.within(most).with("up to", most).by(bits).rounded_to(bits),
                shape);
}

Secret Session::constant(const Matrix& values) {
  double bound = 0;
  bool whole = true;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    bound = std::max(bound, std::abs(values.data()[i]));
    whole = whole && values.data()[i] == std::round(values.data()[i]);
  }
  const unsigned bits = whole ? 0 : detail::bits_for(*this, bound);
  const std::vector<std::uint64_t> words = detail::encoded(values, bits);
  detail::require_room(bound, bits, "a constant");
  const detail::Origin origin = detail::origin_of_constant(*this, shape_of(values), words, bits, whole);
  return Access::make(*this, Masked::constant(party_, shape_of(values), bits, words), bound, origin);
}

Secret Session::constant(double value) { return constant(Matrix::Constant(1, 1, value)); }

Secret Session::zeros(Shape shape) {
  return constant(Matrix::Zero(static_cast<Eigen::Index>(shape.rows), static_cast<Eigen::Index>(shape.columns)));
}

std::size_t Session::entered(std::string name, Shape shape, std::optional<std::size_t> to) {
  if (to) require_node(party_.topology(), *to, "a value for");
  opened_.push_back(Opened{std::move(name), shape, to});
  return opened_.size() - 1;
}

// The caller may await the task later.
Task<Matrix> Session::open(Secret x, std::size_t place) {
  const std::optional<std::size_t> to = opened_[place].to;
  const std::string whom = to ? party_.topology().name(static_cast<NodeId>(*to)) : "all";
  Derivation opening(*this, fmt::format("opening of {} to {}", opened_[place].name, whom));
  opened_[place].bits = opening.from(x).operation(x.shape()).bits;
  if (!to) {
    const Public value = co_await protocols::open(party_, Access::shares(x), "reveal");
    co_return detail::numbers_of(value);
  }
  const auto node = static_cast<NodeId>(*to);
  const Public value = co_await protocols::open_to(party_, node, Access::shares(x), "reveal to one");
  co_return detail::numbers_of(value);
}

Task<Matrix> Session::open_exactly(Product x, std::size_t place) {
  Secret value = co_await detail::exact(std::move(x));
  co_return co_await open(std::move(value), place);
}

Task<Matrix> Session::reveal(Secret x, std::string name) {
  const std::size_t place = entered(std::move(name), x.shape(), {});
  return open(std::move(x), place);
}

Task<Matrix> Session::reveal(Product x, std::string name) {
  const std::size_t place = entered(std::move(name), x.shape(), {});
  return open_exactly(std::move(x), place);
}

Task<Matrix> Session::reveal_to(std::size_t node, Secret x, std::string name) {
  const std::size_t place = entered(std::move(name), x.shape(), node);
  return open(std::move(x), place);
}

Task<Matrix> Session::reveal_to(std::size_t node, Product x, std::string name) {
  const std::size_t place = entered(std::move(name), x.shape(), node);
  return open_exactly(std::move(x), place);
}

void Session::phase(std::string_view name) {
  if (name == detail::phase_ahead) throw std::invalid_argument("no phase of a program is called preprocessing");
  party_.enter_phase(name);
}

void Session::agree(std::string_view text) {
  if (trace_ != nullptr) trace_->operation(text, sha256(text));
}

}  // namespace sotto
