#include "sotto/apps/o3m/orthogonal.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <stdexcept>

#include "sotto/apps/kit/learn/normal.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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

}  // namespace sotto::apps
