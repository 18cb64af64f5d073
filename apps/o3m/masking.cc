#include "apps/o3m/masking.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>
#include <stdexcept>

#include "apps/kit/learn/factor_kernels.h"
#include "apps/kit/learn/seeded.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::o3m {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMajor>;

Eigen::Index index(std::size_t size) { return static_cast<Eigen::Index>(size); }

ConstRows matrix(const MaskBlock& block) { return {block.values.data(), index(block.dimension), index(block.columns)}; }

Eigen::MatrixXd normal_matrix(Eigen::Index d, const Seed& seed) {
  Prg prg(seed);
  Eigen::MatrixXd matrix(d, d);
  for (Eigen::Index i = 0; i < matrix.size(); i += 2) {
    const NormalPair pair = normal_pair(prg);
    matrix.data()[i] = pair.first;
    if (i + 1 < matrix.size()) matrix.data()[i + 1] = pair.second;
  }
  return matrix;
}

}  // namespace

std::vector<double> random_orthogonal(std::size_t d, const Seed& seed) {
  if (d == 0) throw std::invalid_argument("an orthogonal matrix has at least one row");
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(normal_matrix(size, seed));
  std::vector<double> values(d * d);
  Eigen::Map<RowMajor> q(values.data(), size, size);
  q = qr.householderQ();
  for (Eigen::Index j = 0; j < size; ++j) {
    if (qr.matrixQR()(j, j) < 0) q.col(j) *= -1;
  }
  return values;
}

std::vector<double> random_orthogonal(std::size_t d) { return random_orthogonal(d, Seed::from_os()); }

MaskBlock block_of(std::span<const double> mask, std::size_t dimension, std::size_t first, std::size_t columns) {
  if (mask.size() != dimension * dimension || first + columns > dimension) {
    throw std::invalid_argument("the mask has no such block");
  }
  MaskBlock block{dimension, columns, std::vector<double>(dimension * columns)};
  for (std::size_t row = 0; row < dimension; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      block.values[row * columns + column] = mask[row * dimension + first + column];
    }
  }
  return block;
}

double distance_from_orthonormal(const MaskBlock& block) {
  const ConstRows b = matrix(block);
  const RowMajor gram = b.transpose() * b;
  const double distance = (gram - RowMajor::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff();
  // This line checks for NaN separately, because maxCoeff() may ignore NaN.
  return gram.allFinite() ? distance : HUGE_VAL;
}

BlockMask::BlockMask(const MaskBlock& block)
    : dimension_(block.dimension), columns_(block.columns), panels_(padded(block.dimension) * block.columns) {
  constexpr std::size_t width = FactorKernels::block;
  for (std::size_t row = 0; row < dimension_; ++row) {
    double* panel = panels_.data() + row / width * width * columns_;
    for (std::size_t column = 0; column < columns_; ++column) {
      panel[column * width + row % width] = block.values[row * columns_ + column];
    }
  }
}

void BlockMask::apply(std::span<const double> contexts, std::span<double> masked) const {
  const std::size_t rows = columns_ == 0 ? 0 : contexts.size() / columns_;
  if (contexts.size() != rows * columns_ || masked.size() != rows * dimension_) {
    throw std::invalid_argument("the contexts do not fit the block");
  }
  factor_kernels().multiply(masked.data(), contexts.data(), panels_.data(), rows, columns_, dimension_);
}

void mask_contexts(const MaskBlock& block, std::span<const double> contexts, std::span<double> masked) {
  BlockMask(block).apply(contexts, masked);
}

void to_fixed(std::span<const double> values, unsigned fraction_bits, std::span<std::uint64_t> words) {
  const double scale = std::ldexp(1.0, static_cast<int>(fraction_bits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    words[i] = static_cast<std::uint64_t>(std::llrint(values[i] * scale));
  }
}

void from_fixed(std::span<const std::uint64_t> words, unsigned fraction_bits, std::span<double> values) {
  const double unit = std::ldexp(1.0, -static_cast<int>(fraction_bits));
  for (std::size_t i = 0; i < words.size(); ++i) {
    values[i] = static_cast<double>(static_cast<std::int64_t>(words[i])) * unit;
  }
}

}  // namespace sotto::apps::o3m
