// Product: products of two secrets before they are rounded.
//
//     Secret z = co_await (x * y);                                           1 round
//     Secret r = co_await (matmul(x, w) + matmul(v, u) - y) * 0.5;           1 round for all of it
//
// Sums, differences, multiples by public numbers and sums with secrets are local. The await takes the round: it drops
// the fraction bits that a product has too many, with an error below one unit of the result's last bit and right on the
// average. Where a factor is not masked, or has too many bits, one round before makes it so; the factor keeps that form
// for further products. A product by something without fraction bits (a bit of a comparison) has none too many: its
// await rounds nothing and takes no round beside.
//
// Rounds, bytes   1, or 2: 8 bytes an entry of the result and of each factor that is masked, from each party to each
//                 other. Dealt: 8 bytes an entry and as many bits as are dropped, and for a factor that was rounded
//                 itself as many bits again for each pair of entries that the product multiplies. Where that is much,
//                 such a factor is masked afresh, at a round.
// Who sees what   Openings are uniform (include/sotto/protocol/arithmetic/mask_trunc.h,
//                 include/sotto/protocol/io/mask.h).
// Ranges          BoundError where bounds and bits add up to more than 61.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/secret.h"

namespace sotto {

class Product {
 public:
  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] double bound() const noexcept { return bound_; }
  [[nodiscard]] Session& session() const;

  // Throw std::invalid_argument where shapes differ.
  Product& operator+=(const Product& other);
  Product& operator*=(double factor);
  friend Product operator+(Product x, const Product& y) { return x += y; }
  friend Product operator-(Product x, const Product& y) { return x += -y; }
  friend Product operator-(Product x) { return x *= -1; }
  friend Product operator*(Product x, double y) { return x *= y; }
  friend Product operator*(double x, Product y) { return y *= x; }
  friend Product operator/(Product x, double y) { return x *= 1 / y; }
  friend Product operator+(Product x, const Secret& y) { return x.plus(y, 1); }
  friend Product operator+(const Secret& x, Product y) { return y.plus(x, 1); }
  friend Product operator-(Product x, const Secret& y) { return x.plus(y, -1); }
  friend Product operator-(const Secret& x, Product y) { return (-y).plus(x, 1); }

  // The same, of which you know that no entry is larger.
  [[nodiscard]] Product within(double bound) &&;

  // What an await gives.
  class Awaiter {
   public:
    explicit Awaiter(Task<Secret> task) : task_(std::move(task)), inner_(std::move(task_).operator co_await()) {}
    [[nodiscard]] bool await_ready() const noexcept { return inner_.await_ready(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> parent) const {
      inner_.await_suspend(parent);
    }
    [[nodiscard]] Secret await_resume() const { return inner_.await_resume(); }

   private:
    Task<Secret> task_;
    Task<Secret>::Awaiter inner_;
  };
  [[nodiscard]] Awaiter operator co_await() const;

 private:
  friend struct detail::SecretAccess;
  enum class Map : std::uint8_t { elementwise, matmul, row_dot, row_scale };
  struct Term {
    Secret x, y;
    Map map;
    double factor;
  };
  struct Linear {
    Secret x;
    double factor;
  };

  Product(Map map, Secret x, Secret y, Shape shape, double bound);
  Product& plus(const Secret& other, double factor);

  Shape shape_;
  double bound_;
  std::vector<Term> terms_;
  std::vector<Linear> linear_;
};

// Entry by entry; a single row, column or entry serves all.
[[nodiscard]] Product operator*(const Secret& x, const Secret& y);
[[nodiscard]] Product matmul(const Secret& x, const Secret& y);
// The dot products of the rows of x with those of y, or with its only one: a column.
[[nodiscard]] Product row_dot(const Secret& x, const Secret& y);

// What the await of a product does, as a task: for all().
[[nodiscard]] Task<Secret> rounded(Product product);
// A secret with no more fraction bits than the session's, where public factors or sums gave it more: 1 round. The same
// secret where it has not, without a round.
[[nodiscard]] Task<Secret> rounded(Secret x);

}  // namespace sotto
