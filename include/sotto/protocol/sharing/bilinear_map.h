// BilinearMap: says which products x[i] y[j] of the entries of two matrices add up to which entry of a third matrix.
// The pairs (i, j) have the same order at every role.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

// An operand of a bilinear map.
enum class Operand : std::uint8_t { left, right };

// A masked operand at a compute party: D and a share of the mask.
struct MaskedOperand {
  const Words& d;
  const Words& mask;
};

class BilinearMap {
 public:
  virtual ~BilinearMap() = default;

  [[nodiscard]] virtual std::size_t pairs() const = 0;
  // For each product x[i] y[j] that the map adds to output o: sum[o] += x[i] y[j].
  virtual void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const = 0;
  // products[p] = x[i] y[j] for pair number p.
  virtual void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const = 0;
  // sum[o] = the sum of x[i] pairs[p] over all pairs p = (i, j) of output o.
  virtual void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const = 0;
  // sum[o] = the sum of y[j] pairs[p] over all pairs p = (i, j) of output o.
  virtual void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const = 0;

  // The terms of B(Dx - mx, Dy - my) that a party computes by itself: all except B(mx, my). With the party's shares sx
  // of x and sy of y, the result is B(Dx, sy) - B(mx, Dy), which equals B(sx, Dy) - B(Dx, my).
  [[nodiscard]] virtual Words local_product(const MaskedOperand& x, const MaskedOperand& y, bool adds_constants) const;

  Shape left, right, out;

 protected:
  BilinearMap(Shape x, Shape y, Shape result) : left(x), right(y), out(result) {}
  BilinearMap(const BilinearMap&) = default;
  BilinearMap& operator=(const BilinearMap&) = default;

  // D - m if the party adds constants, else -m.
  [[nodiscard]] static Words shares_of(const MaskedOperand& value, bool adds_constants);
  [[nodiscard]] static Words negated(const Words& words);
};

}  // namespace sotto
