#include "apps/library/curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "apps/library/form.h"

namespace sotto {
namespace detail {
namespace {

// See include/sotto/protocol/math/pieces.h.
constexpr unsigned piece_shift = 30;
constexpr std::size_t most_remembered = 64;
constexpr int values_looked_at = 512;
constexpr int values_compared = 64;
constexpr int usual_bits = 20;
constexpr double least_reach = 0.0625;  // smaller bounds on x do not make the range of a curve smaller

double largest_value(const Curve& curve) {
  double largest = 0;
  for (int i = 0; i <= values_looked_at; ++i) {
    largest = std::max(largest, std::abs(curve.f(curve.least + (curve.most - curve.least) * i / values_looked_at)));
  }
  return largest;
}

Secret finely(const Secret& x) {
  const unsigned bits = bits_for(x.session(), x.bound());
  return x.bits() < bits ? raised(x, bits) : x;
}

// A curve without a name is identified by its values at some arguments.
Derivation derivation(const std::string& name, const Secret& x, const Curve& curve) {
  Derivation made(x.session(), "curve " + name);
  made.from(x).within(curve.least).within(curve.most).within(curve.error);
  for (int i = 0; name.empty() && i <= values_compared; ++i) {
    made.within(curve.f(curve.least + (curve.most - curve.least) * i / values_compared));
  }
  return made;
}

Task<Secret> values(Secret x, CurvePlan plan, Derivation made) {
  const Wanted wanted{.shift = piece_shift, .bits = plan.pieces->fraction_bits};
  Masked argument = co_await ready(x, wanted);
  const Origin origin =
      made.rounded_to(plan.pieces->fraction_bits).rounded_to(plan.pieces->result_bits).operation(x.shape());
  Masked value = co_await protocols::evaluate(x.session().party(), std::move(argument), plan.pieces);
  co_return SecretAccess::make(x.session(), std::move(value), plan.bound, origin);
}

}  // namespace

CurvePlan plan_curve(const std::string& name, const Curve& curve, unsigned bits, const SessionOptions& options) {
  using Key = std::tuple<std::string, double, double, unsigned, unsigned, double, bool>;
  thread_local std::map<Key, CurvePlan> remembered;
  const bool has_dealer = options.preprocessing == RandomnessBy::dealer;
  const Key key{name, curve.least, curve.most, bits, options.bits, curve.error, has_dealer};
  const auto found = remembered.find(key);
  if (!name.empty() && found != remembered.end()) return found->second;
  const double bound = largest_value(curve) * (1 + curve.error) + curve.error;
  const int room = operand_bits - std::max(magnitude(bound), 0);
  const auto result_bits = static_cast<unsigned>(std::clamp(room, 1, static_cast<int>(options.bits)));
  CurvePlan plan{std::make_shared<const protocols::Pieces>(protocols::plan_pieces(
                     curve.f, curve.least, curve.most, bits, result_bits, curve.error, has_dealer)),
                 bound};
  if (name.empty()) return plan;
  if (remembered.size() >= most_remembered) remembered.clear();
  remembered.emplace(key, plan);
  return plan;
}

double curve_error(const Session& session, double base) {
  return base * std::max(1.0, std::ldexp(1.0, usual_bits - static_cast<int>(session.options().bits)));
}

Task<Secret> within_range(std::string name, Secret x, Curve curve) {
  const Secret fine = finely(x);
  const unsigned bits = std::min(fine.bits(), x.session().options().bits);
  Derivation made = derivation(name, x, curve);
  return values(fine, plan_curve(name, curve, bits, x.session().options()), std::move(made));
}

Task<Secret> apply_named(std::string name, Secret x, Curve curve, RangeEnds beyond) {
  const bool below = beyond.below && -x.bound() < curve.least;
  const bool above = beyond.above && x.bound() > curve.most;
  const double reach = std::max(x.bound(), least_reach);
  if (!below) curve.least = std::max(curve.least, -reach);
  if (!above) curve.most = std::min(curve.most, reach);
  if (!(curve.least < curve.most)) throw BoundError("a curve: the bound of its argument leaves nothing of its range");
  if (!below && !above) co_return co_await within_range(std::move(name), std::move(x), std::move(curve));
  const Secret fine = finely(x);
  const double least = below ? curve.least : -x.bound() - 1;
  const double most = above ? curve.most : x.bound() + 1;
  if (!above) {
    auto [value, low] = co_await all(within_range(std::move(name), fine, curve), less(fine, least));
    Secret result = co_await exact(low * (curve.below - value) + value);
    co_return result.within(value.bound() + std::abs(curve.below));
  }
  if (!below) {
    auto [value, high] = co_await all(within_range(std::move(name), fine, curve), less(most, fine));
    Secret result = co_await exact(high * (curve.above - value) + value);
    co_return result.within(value.bound() + std::abs(curve.above));
  }
  auto [value, low, high] =
      co_await all(within_range(std::move(name), fine, curve), less(fine, least), less(most, fine));
  Secret result = co_await exact(low * (curve.below - value) + high * (curve.above - value) + value);
  co_return result.within(std::max({value.bound(), std::abs(curve.below), std::abs(curve.above)}));
}

}  // namespace detail

Task<Secret> apply(Secret x, Curve curve) { return detail::apply_named("", std::move(x), std::move(curve), {}); }

namespace {

constexpr double exp_error = 1.6e-5;
constexpr double tanh_error = 2.4e-5;
constexpr double wide_error = 9e-5;
constexpr double far = 12;       // exp(-12) is 6e-6
constexpr double below = 11.75;  // below -11.75, exp(x) is replaced by 0, so that 2^8 pieces are enough

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Task<Secret> exp(Secret x, double most) {
  if (!(most >= -8 && most <= 8)) throw std::invalid_argument("exp takes arguments up to -8 .. 8");
  const double error = detail::curve_error(x.session(), most > 4 ? wide_error : exp_error);
  const Curve curve{[](double v) { return std::exp(v); }, -below, most, 0, 0, error};
  const detail::RangeEnds below_alone{true, false};
  return detail::apply_named("exp", std::move(x), curve, below_alone);
}

Task<Secret> sigmoid(Secret x) {
  const Curve curve{logistic, -far, far, 0, 1, detail::curve_error(x.session())};
  const detail::RangeEnds both;
  return detail::apply_named("sigmoid", std::move(x), curve, both);
}

Task<Secret> tanh(Secret x) {
  const Curve curve{[](double v) { return std::tanh(v); },       -far / 2, far / 2, -1, 1,
                    detail::curve_error(x.session(), tanh_error)};
  const detail::RangeEnds both;
  return detail::apply_named("tanh", std::move(x), curve, both);
}

Task<Secret> polynomial(Secret x, std::vector<double> coefficients) {
  if (coefficients.size() > 17) throw std::invalid_argument("a polynomial of degree 16 at most");
  std::vector<Secret> powers{x};
  while (powers.size() + 1 < coefficients.size()) {
    const std::size_t known = powers.size();
    std::vector<Task<Secret>> next;
    for (std::size_t i = 0; i < known && known + i + 2 <= coefficients.size(); ++i) {
      next.push_back(rounded(powers[known - 1] * powers[i]));
    }
    std::vector<Secret> made = co_await all(std::move(next));
    for (Secret& power : made) powers.push_back(std::move(power));
  }
  Secret sum = x.session().zeros(x.shape());
  if (!coefficients.empty()) sum = sum + coefficients[0];
  for (std::size_t i = 1; i < coefficients.size(); ++i) sum = sum + powers[i - 1] * coefficients[i];
  co_return sum;
}

}  // namespace sotto
