#include "sotto/bench/lab/o3m_audit/geometry.h"
#include "sotto/bench/lab/o3m_audit/rows.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::apps {
namespace {

constexpr std::size_t most_pairs_of = 1000;
constexpr double equal_within = 1e-9;

// Rows that equal an earlier one but for rounding. Equal rows have equal projections, so that only rows whose
// projections on some fixed direction are neighbours need be compared.
std::vector<std::size_t> duplicates_of(const ConstRows& rows) {
  Eigen::VectorXd direction(rows.cols());
  for (Eigen::Index i = 0; i < direction.size(); ++i) {
    direction[i] = std::cos(static_cast<double>(i + 1));
  }
  const Eigen::VectorXd keys = rows * direction;
  const double near = equal_within * static_cast<double>(rows.cols());
  std::vector<Eigen::Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return keys[a] < keys[b]; });
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (keys[order[j]] - keys[order[i]] > near) break;
      if ((rows.row(order[i]) - rows.row(order[j])).cwiseAbs().maxCoeff() > equal_within) continue;
      found.push_back(static_cast<std::size_t>(std::max(order[i], order[j])));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

RowMajor distances(const RowMajor& rows) {
  RowMajor out(rows.rows(), rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    out.row(i) = (rows.rowwise() - rows.row(i)).rowwise().norm().transpose();
  }
  return out;
}

double largest(const RowMajor& values) { return values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff(); }

double correlation(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Eigen::VectorXd x = a.array() - a.mean();
  const Eigen::VectorXd y = b.array() - b.mean();
  const double scale = x.norm() * y.norm();
  return scale > 0 ? x.dot(y) / scale : 0;
}

}  // namespace

GeometryReading read_geometry(const std::string& whose, std::span<const double> masked, std::span<const double> truth,
                              std::size_t rows) {
  const ConstRows z = as_rows(masked, rows);
  const ConstRows x = as_rows(truth, rows);
  GeometryReading reading;
  reading.whose = whose;
  reading.norm_error = largest(z.rowwise().norm() - x.rowwise().norm());
  const Eigen::Index some = index(std::min(rows, most_pairs_of));
  const RowMajor z_some = z.topRows(some);
  const RowMajor x_some = x.topRows(some);
  reading.inner_product_error = largest(z_some * z_some.transpose() - x_some * x_some.transpose());
  reading.distance_error = largest(distances(z_some) - distances(x_some));
  const std::vector<std::size_t> truly = duplicates_of(x);
  const std::vector<std::size_t> seemingly = duplicates_of(z);
  reading.duplicates = truly.size();
  reading.duplicates_found = seemingly.size();
  reading.same_duplicates = truly == seemingly;
  return reading;
}

std::vector<SumReading> read_sums(const AuditData& data, const MaskedUsers& users) {
  std::vector<SumReading> readings;
  const std::vector<double> rest = without_own(users.view);
  for (std::size_t j = 1; j < data.columns.size(); ++j) {
    const std::vector<double> truth = data.block(j);
    std::vector<double> sent(users.words[j - 1].size());
    from_fixed(users.words[j - 1], users.fraction_bits, sent);
    if (data.columns.size() == 2) sent = rest;
    const Eigen::VectorXd true_norms = as_rows(truth, data.rows).rowwise().norm();
    const Eigen::VectorXd block_norms = as_rows(users.blocks[j - 1], data.rows).rowwise().norm();
    const Eigen::VectorXd sent_norms = as_rows(sent, data.rows).rowwise().norm();
    readings.push_back({j, largest(block_norms - true_norms), correlation(block_norms, true_norms),
                        correlation(sent_norms, true_norms)});
  }
  return readings;
}

}  // namespace sotto::apps
