#include "xla_byol/scaling/scaling_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace xla_byol {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// A number for CSV; empty where there is none.
std::string Cell(const std::optional<double>& value) {
  return value.has_value() ? absl::StrFormat("%.6g", *value) : "";
}

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// The plot's area in the SVG's own units.
constexpr double kLeft = 78, kRight = 600, kTop = 44, kBottom = 372;

struct Axis {
  double low = 0, high = 1;  // logarithms to base 2
  double begin = 0, end = 1;

  double At(double value) const {
    return begin + (std::log2(value) - low) / (high - low) * (end - begin);
  }
};

Axis AxisFor(double smallest, double largest, double begin, double end) {
  Axis axis{std::floor(std::log2(smallest)), std::ceil(std::log2(largest)),
            begin, end};
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  return axis;
}

std::string Short(double value) {
  if (value >= 1e6) return absl::StrFormat("%.3gM", value / 1e6);
  if (value >= 1e4) return absl::StrFormat("%.3gk", value / 1e3);
  return absl::StrFormat("%.4g", value);
}

std::string Text(double x, double y, absl::string_view anchor,
                 absl::string_view text, absl::string_view style = "") {
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y,
      anchor, style, text);
}

std::string Grid(const Axis& x, const Axis& y,
                 const std::vector<double>& devices) {
  std::string svg;
  for (const double count : devices) {
    absl::StrAppendFormat(&svg,
                          "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n",
                          x.At(count), kTop, kBottom);
    absl::StrAppend(&svg, Text(x.At(count), kBottom + 20, "middle",
                               absl::StrFormat("%.0f", count)));
  }
  // Every second power where there are many.
  const double step = y.high - y.low > 8 ? 2 : 1;
  for (double power = y.low; power <= y.high; power += step) {
    const double value = std::exp2(power);
    absl::StrAppendFormat(&svg,
                          "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n",
                          kLeft, y.At(value), kRight);
    absl::StrAppend(&svg,
                    Text(kLeft - 8, y.At(value) + 4, "end", Short(value)));
  }
  return svg;
}

// One batch size over the machines, and what perfect scaling from the smallest
// of them would be, as far as the plot reaches.
std::string Line(std::vector<const ScalingRow*> points, const Axis& x,
                 const Axis& y, double most_devices,
                 const std::string& stroke) {
  std::sort(points.begin(), points.end(),
            [](const ScalingRow* a, const ScalingRow* b) {
              return a->devices < b->devices;
            });
  std::string path, dots;
  for (const ScalingRow* point : points) {
    const double px = x.At(point->devices);
    const double py = y.At(point->images_per_second());
    absl::StrAppendFormat(&path, "%s%.1f %.1f", path.empty() ? "M" : "L", px,
                          py);
    absl::StrAppendFormat(
        &dots,
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" %s><title>%s, batch %d: "
        "%.0f images/s</title></circle>\n",
        px, py, stroke, point->topology, point->batch,
        point->images_per_second());
  }
  const ScalingRow& first = *points.front();
  const double per_device = first.images_per_second() / first.devices;
  const double last = std::min(most_devices, std::exp2(y.high) / per_device);
  return absl::StrFormat(
             "<path class=\"ideal\" %s d=\"M%.1f %.1fL%.1f %.1f\"/>\n", stroke,
             x.At(first.devices), y.At(first.images_per_second()), x.At(last),
             y.At(per_device * last)) +
         absl::StrCat("<path ", stroke, " d=\"", path, "\"/>\n", dots);
}

constexpr char kSvgHead[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 430\" "
    "font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<style>\n"
    "svg { --ink: #1c2128; --soft: #59636e; --faint: #d9dee4; --page: "
    "#ffffff; --c0: #0b66c3; --c1: #d9480f; --c2: #12805c; --c3: #a33ea1; "
    "--c4: #b27b00; }\n"
    "@media (prefers-color-scheme: dark) { svg { --ink: #e8ecf1; --soft: "
    "#9aa5b1; --faint: #303841; --page: #181d24; --c0: #6cb2ff; --c1: "
    "#ff9a5c; --c2: #4fd1a1; --c3: #e08be0; --c4: #f2c14e; } }\n"
    "text { fill: var(--soft) } .title { fill: var(--ink); font-weight: 600; "
    "font-size: 15px } .grid { stroke: var(--faint) } path, circle { fill: "
    "none; stroke-width: 2 } .grid { stroke-width: 1 } .ideal { "
    "stroke-width: 1; stroke-dasharray: 3 5; opacity: 0.8 }\n</style>\n"
    "<rect width=\"800\" height=\"430\" style=\"fill: var(--page)\"/>\n";

}  // namespace

std::string ScalingText(absl::Span<const ScalingRow> rows) {
  std::string text = absl::StrFormat(
      "%-10s %7s %7s %8s %9s %9s %11s %9s %10s %6s  %s\n", "topology",
      "devices", "batch", "per dev.", "memory", "compute", "collectives",
      "step", "images/s", "share", "compiled for");
  for (const ScalingRow& row : rows) {
    absl::StrAppendFormat(&text, "%-10s %7d %7d %8d ", row.topology,
                          row.devices, row.batch, row.batch_per_device);
    if (!row.fits()) {
      absl::StrAppend(&text, row.problem, "\n");
      continue;
    }
    absl::StrAppendFormat(
        &text, "%5.2f GiB %6.1f ms %8.1f ms %6.1f ms %10.0f %4.0f %%  %s\n",
        row.memory_bytes.value_or(0) / kGiB, *row.compute_seconds * 1e3,
        row.collective_seconds * 1e3, row.step_seconds() * 1e3,
        row.images_per_second(),
        100 * row.collective_seconds / row.step_seconds(),
        row.compiled_for.empty() ? row.topology : row.compiled_for);
  }
  return text;
}

std::string ScalingCsv(absl::Span<const ScalingRow> rows) {
  std::string csv =
      "topology,devices,global_batch,images_per_device,memory_bytes,"
      "compute_seconds,optimal_seconds,collective_seconds,collective_bytes,"
      "step_seconds,images_per_second,collective_share,compiled_for,problem\n";
  for (const ScalingRow& row : rows) {
    const auto if_fits = [&row](double value) {
      return Cell(row.fits() ? std::optional<double>(value) : std::nullopt);
    };
    absl::StrAppend(
        &csv, row.topology, ",", row.devices, ",", row.batch, ",",
        row.batch_per_device, ",", Cell(row.memory_bytes), ",",
        Cell(row.compute_seconds), ",", Cell(row.optimal_seconds), ",",
        if_fits(row.collective_seconds), ",", if_fits(row.collective_bytes),
        ",", if_fits(row.step_seconds()), ",",
        if_fits(row.fits() ? row.images_per_second() : 0), ",",
        if_fits(row.fits() ? row.collective_seconds / row.step_seconds() : 0),
        ",", row.compiled_for.empty() ? row.topology : row.compiled_for, ",",
        row.problem.empty() ? "" : Quoted(row.problem), "\n");
  }
  return csv;
}

std::string ScalingSvg(absl::Span<const ScalingRow> rows) {
  std::map<int, std::vector<const ScalingRow*>> lines;  // by batch
  std::vector<double> devices;
  double least = 0, most = 0;
  for (const ScalingRow& row : rows) {
    devices.push_back(row.devices);
    if (!row.fits()) continue;
    lines[row.batch].push_back(&row);
    const double speed = row.images_per_second();
    least = least == 0 ? speed : std::min(least, speed);
    most = std::max(most, speed);
  }
  std::string svg = kSvgHead;
  absl::StrAppend(
      &svg, Text(kLeft, 24, "start", "Images per second (model, not measured)",
                 " class=\"title\""));
  if (lines.empty()) {
    return absl::StrCat(svg, Text(kLeft, 80, "start", "no point fits"),
                        "</svg>\n");
  }
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  const Axis x = AxisFor(devices.front(), devices.back(), kLeft, kRight);
  const Axis y = AxisFor(least, most, kBottom, kTop);
  absl::StrAppend(
      &svg, Grid(x, y, devices),
      Text((kLeft + kRight) / 2, kBottom + 42, "middle", "devices"));
  int color = 0;
  double label_y = kTop + 10;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string stroke =
        absl::StrFormat("style=\"stroke: var(--c%d)\"", color++ % 5);
    absl::StrAppend(&svg, Line(line->second, x, y, devices.back(), stroke));
    absl::StrAppendFormat(&svg, "<path %s d=\"M%.1f %.1fh22\"/>\n", stroke,
                          kRight + 18, label_y - 4);
    absl::StrAppend(&svg, Text(kRight + 46, label_y, "start",
                               absl::StrCat("batch ", line->first)));
    label_y += 22;
  }
  absl::StrAppend(
      &svg, Text(kRight + 18, label_y, "start", "dotted: perfect scaling"));
  return svg + "</svg>\n";
}

}  // namespace xla_byol
