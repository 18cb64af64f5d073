// Product: a product of two secrets, or a sum of such products, before rounding.
//
//     Secret z = co_await (x * y);                                           1 round
//     Secret r = co_await (matmul(x, w) + matmul(v, u) - y) * 0.5;           1 round for all of it
//
// Only the await of a product takes a round. In this round the roles round the result to the session's fraction bits.
// The error is below one unit of the result's last bit, and zero on average. A factor is masked first, in one more
// round, if it is not masked yet, or if both factors together have too many bits for the ring.
//
// Rounds, bytes   1 round, or 2 if a factor is masked first. Each party sends each other party 8 bytes per entry of the
//                 result, and 8 bytes per entry of each factor that is masked first. For each entry of the result, the
//                 dealer deals 8 bytes and one bit for each dropped bit. Let a factor be itself a product, whose
//                 rounding dropped f bits. Then the dealer also deals f bits for each pair of entries that the new
//                 product multiplies. If the dropped bits of both factors add up to more than 64, or if there are many
//                 more pairs than entries of the factor, the factor is masked again, in one more round.
// Views           Openings are uniform (include/sotto/protocol/arithmetic/mask_trunc.h,
//                 include/sotto/protocol/io/mask.h).
// Ranges          Throws BoundError if the bound and the fraction bits of the result need more than 61 bits together.
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

  // Throw std::invalid_argument if shapes differ.
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

  // The same product with a bound that you know to hold for every entry.
  [[nodiscard]] Product within(double bound) &&;

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

// The products of entries at the same place. A single row, column or entry of a factor is repeated.
[[nodiscard]] Product operator*(const Secret& x, const Secret& y);
[[nodiscard]] Product matmul(const Secret& x, const Secret& y);
// The dot product of each row of x with the same row of y, or with the only row of y, as a column.
[[nodiscard]] Product row_dot(const Secret& x, const Secret& y);

// A task that awaits the product and returns the rounded result.
[[nodiscard]] Task<Secret> rounded(Product product);
// The same secret, rounded to the session's fraction bits in 1 round if x has more fraction bits. Otherwise no round.
[[nodiscard]] Task<Secret> rounded(Secret x);

}  // namespace sotto
