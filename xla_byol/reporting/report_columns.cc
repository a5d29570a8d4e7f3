#include "xla_byol/reporting/report_columns.h"

#include <limits>

#include "xla_byol/reporting/downsample.h"

namespace xla_byol {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void AddTo(const MetricsRecord& record, ReportAxis& axis) {
  axis.step.push_back(static_cast<double>(record.step));
  axis.epoch.push_back(record.epoch);
  axis.seconds.push_back(record.time);
}

ReportAxis LastOfGroups(const ReportAxis& axis,
                        const std::vector<size_t>& bounds, double start) {
  ReportAxis last;
  for (size_t group = 1; group < bounds.size(); ++group) {
    const size_t at = bounds[group] - 1;
    last.step.push_back(axis.step[at]);
    last.epoch.push_back(axis.epoch[at]);
    last.seconds.push_back(axis.seconds[at] - start);
  }
  return last;
}

}  // namespace

void Columns::Add(const MetricsRecord& record) {
  const size_t row = axis_.step.size();
  AddTo(record, axis_);
  for (size_t i = 0; i < record.values.size(); ++i) {
    const auto& [name, value] = record.values[i];
    std::vector<double>& column = ColumnFor(name, i);
    column.resize(row, kNan);
    column.push_back(value);
  }
}

// Records of a kind mostly have the same names in the same places.
std::vector<double>& Columns::ColumnFor(const std::string& name, size_t place) {
  if (place < values_.size() && values_[place].first == name) {
    return values_[place].second;
  }
  for (auto& [known, column] : values_) {
    if (known == name) return column;
  }
  return values_.emplace_back(name, std::vector<double>()).second;
}

const std::vector<double>* Columns::Find(absl::string_view name) const {
  for (const auto& [known, column] : values_) {
    if (known == name) return &column;
  }
  return nullptr;
}

ReportTable Columns::ToTable(const std::string& kind, double start) const {
  const size_t rows = axis_.step.size();
  const std::vector<size_t> bounds = GroupBounds(rows, kMaxCurvePoints);
  ReportTable table{
      kind, LastOfGroups(axis_, bounds, start), rows > kMaxCurvePoints, {}};
  for (const auto& [name, values] : values_) {
    std::vector<double> whole = values;
    whole.resize(rows, kNan);
    table.columns.emplace_back(name, GroupValues(whole, bounds));
  }
  return table;
}

void HistogramRows::Add(const MetricsRecord& record,
                        const Histogram& histogram) {
  if (histogram.edges != edges_) {
    *this = HistogramRows();
    edges_ = histogram.edges;
  }
  AddTo(record, axis_);
  double sum = 0;
  for (const double count : histogram.counts) sum += count;
  std::vector<double>& row = shares_.emplace_back(histogram.counts);
  for (double& share : row) share = sum > 0 ? share / sum : 0;
}

ReportHeatmap HistogramRows::ToHeatmap(const std::string& name,
                                       double start) const {
  const std::vector<size_t> bounds =
      GroupBounds(shares_.size(), kMaxHeatmapColumns);
  ReportHeatmap map{name, LastOfGroups(axis_, bounds, start), edges_, {}};
  for (size_t group = 0; group + 1 < bounds.size(); ++group) {
    std::vector<double> mean(edges_.size() - 1);
    const double weight =
        1 / static_cast<double>(bounds[group + 1] - bounds[group]);
    for (size_t i = bounds[group]; i < bounds[group + 1]; ++i) {
      for (size_t bin = 0; bin < mean.size(); ++bin) {
        mean[bin] += weight * shares_[i][bin];
      }
    }
    map.shares.push_back(std::move(mean));
  }
  return map;
}

}  // namespace xla_byol
