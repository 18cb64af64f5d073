// Product: products of two secrets that are not rounded yet.
//
//     Secret z = co_await (x * y);                                           1 round
//     Secret r = co_await (matmul(x, w) + matmul(v, u) - y) * 0.5;           1 round for all of it
//
// No message is needed to add or subtract products, to multiply a product by a public number, or to add a secret to a
// product. Only the await of a product takes a round: it drops the surplus fraction bits of the product. The error of
// the await is below one unit of the result's last bit, and zero on average.
//
// A factor that is not masked, or has too many bits, is first masked with fewer bits, in one more round. A factor that
// was masked stays masked for further products. A factor without fraction bits, such as the bit of a comparison, gives
// the product no surplus bits. If a product has no surplus bits, its await does not round the product, and spends no
// round on rounding.
//
// Rounds, bytes   1 round, or 2 if a factor is masked first. Each party sends each other party 8 bytes per entry of the
//                 result, and 8 bytes per entry of each factor that is masked. Dealt: 8 bytes per entry, and as many
//                 bits per entry as are dropped. If a factor is itself a rounded product, more bits are dealt. For each
//                 pair of entries that the product multiplies, these are as many bits as the rounding of this factor
//                 dropped. If too many bits would have to be dealt for a rounded factor, the factor is masked again, in
//                 one more round.
// Views           Openings are uniform (include/sotto/protocol/arithmetic/mask_trunc.h,
//                 include/sotto/protocol/io/mask.h).
// Ranges          BoundError if the bits of the bounds and the fraction bits add up to more than 61.
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

// The product entry by entry. If a factor has a single row, this row is used for every row of the other factor. A
// single column, or a single entry, is used likewise for every column, or every entry.
[[nodiscard]] Product operator*(const Secret& x, const Secret& y);
[[nodiscard]] Product matmul(const Secret& x, const Secret& y);
// A column: the dot product of each row of x with the same row of y, or with the only row of y.
[[nodiscard]] Product row_dot(const Secret& x, const Secret& y);

// The await of a product as a task, which can be passed to all().
[[nodiscard]] Task<Secret> rounded(Product product);
// The same secret with no more fraction bits than the session has. Takes 1 round if x has more fraction bits, because
// of public factors or sums, and otherwise no round.
[[nodiscard]] Task<Secret> rounded(Secret x);

}  // namespace sotto
