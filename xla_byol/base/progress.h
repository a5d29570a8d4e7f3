// What a person who waits sees: phases with the time they take.

#ifndef XLA_BYOL_BASE_PROGRESS_H_
#define XLA_BYOL_BASE_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace xla_byol {

// "12.3 s", "4m05s", "3h07m".
std::string DurationText(absl::Duration duration);

// "[######----]": done of total, `width` characters between the brackets.
std::string ProgressBar(int64_t done, int64_t total, int width);

// "encoding [#########-----------] 45%, ETA 12.3 s" or, when it is not known
// how much there is to do (total 0), "compiling ... 12.3 s".
std::string ProgressText(const std::string& what, absl::Duration elapsed,
                         int64_t done, int64_t total);

// A phase that may take a while ("compiling the step"). On a terminal a live
// line shows its progress once it has lasted for `patience`, elsewhere there is
// a line every minute. At its end one line says how long it took.
class Phase {
 public:
  explicit Phase(std::string what, absl::Duration patience = absl::Seconds(2));
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  // Any thread, as often as it likes.
  void SetProgress(int64_t done, int64_t total);
  // Added to the last line: "from the cache".
  void SetNote(std::string note) { note_ = std::move(note); }
  double seconds() const;

 private:
  void Show();

  const std::string what_;
  const absl::Duration patience_;
  const absl::Time start_;
  std::string note_;
  std::atomic<int64_t> done_{0};
  std::atomic<int64_t> total_{0};
  absl::Notification finished_;
  std::thread shower_;
};

}  // namespace xla_byol

#endif  // XLA_BYOL_BASE_PROGRESS_H_
