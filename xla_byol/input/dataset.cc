#include "xla_byol/input/dataset.h"

#include <algorithm>
#include <memory>

namespace xla_byol::input {

Dataset Slice(const Dataset& dataset, int64_t begin, int64_t end) {
  if (begin == 0 && end == dataset.size()) return dataset;
  DatasetInfo info = dataset.info();
  info.size = end - begin;
  return Dataset(
      std::move(info),
      [dataset, begin](int64_t index, RecordScratch& scratch, Record& record) {
        return dataset.Read(begin + index, scratch, record);
      },
      [dataset, begin](int64_t index) {
        return dataset.Locate(begin + index);
      });
}

Dataset EveryNth(const Dataset& dataset, int64_t step, bool others) {
  const auto place = [step, others](int64_t index) {
    return others ? index + index / (step - 1) + 1 : index * step;
  };
  DatasetInfo info = dataset.info();
  const int64_t selected = (info.size + step - 1) / step;
  info.size = others ? info.size - selected : selected;
  return Dataset(
      std::move(info),
      [dataset, place](int64_t index, RecordScratch& scratch, Record& record) {
        return dataset.Read(place(index), scratch, record);
      },
      [dataset, place](int64_t index) { return dataset.Locate(place(index)); });
}

Dataset Concatenate(const std::vector<Dataset>& parts) {
  if (parts.size() == 1) return parts[0];
  struct Joined {
    std::vector<Dataset> parts;
    std::vector<int64_t> ends;

    // The part that holds a record, and the record's number within it.
    std::pair<const Dataset&, int64_t> Find(int64_t index) const {
      const auto end = std::upper_bound(ends.begin(), ends.end(), index);
      const size_t part = static_cast<size_t>(end - ends.begin());
      return {parts[part], part == 0 ? index : index - ends[part - 1]};
    }
  };
  auto joined = std::make_shared<Joined>();
  DatasetInfo info = parts[0].info();
  info.size = 0;
  for (const Dataset& part : parts) {
    info.size += part.size();
    info.has_labels = info.has_labels && part.info().has_labels;
    info.num_classes = std::max(info.num_classes, part.info().num_classes);
    if (part.info().image_size != info.image_size) info.image_size.reset();
    joined->parts.push_back(part);
    joined->ends.push_back(info.size);
  }
  return Dataset(
      std::move(info),
      [joined](int64_t index, RecordScratch& scratch, Record& record) {
        const auto [part, local] = joined->Find(index);
        return part.Read(local, scratch, record);
      },
      [joined](int64_t index) {
        const auto [part, local] = joined->Find(index);
        return part.Locate(local);
      });
}

}  // namespace xla_byol::input
