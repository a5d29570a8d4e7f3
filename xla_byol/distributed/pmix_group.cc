#include "xla_byol/distributed/pmix_group.h"

#include <pmix.h>

#include <cstring>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "xla_byol/base/crc32c.h"
#include "xla_byol/base/status_macros.h"

namespace xla_byol::distributed {
namespace {

absl::Status ToStatus(pmix_status_t status, absl::string_view what) {
  if (status == PMIX_SUCCESS) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("PMIx: ", what, ": ", PMIx_Error_string(status)));
}

class PmixGroup : public ProcessGroup {
 public:
  PmixGroup(const pmix_proc_t& self, int size)
      : ProcessGroup(static_cast<int>(self.rank), size), self_(self) {}
  ~PmixGroup() override { PMIx_Finalize(nullptr, 0); }

  std::string description() const override { return "PMIx"; }

  absl::Status Put(absl::string_view key, absl::string_view value) override {
    absl::MutexLock lock(&mutex_);
    const std::string name = NameOf(key);
    if (!put_.insert(name).second) {
      return absl::AlreadyExistsError(
          absl::StrCat("this process has put '", key, "' before"));
    }
    // Text, since values may hold any byte.
    std::string text = absl::Base64Escape(value);
    pmix_value_t wrapped;
    PMIX_VALUE_CONSTRUCT(&wrapped);
    wrapped.type = PMIX_STRING;
    wrapped.data.string = text.data();
    RETURN_IF_ERROR(
        ToStatus(PMIx_Put(PMIX_GLOBAL, name.c_str(), &wrapped), "put"));
    return ToStatus(PMIx_Commit(), "commit");
  }

  absl::StatusOr<std::string> TryGet(int writer,
                                     absl::string_view key) override {
    pmix_proc_t process;
    PMIX_PROC_LOAD(&process, self_.nspace, static_cast<pmix_rank_t>(writer));
    // What the server has now, not what was copied from it when the process was
    // first asked about; and no waiting in the server, which 4.2.2 does not
    // always end.
    pmix_info_t info[2];
    bool yes = true;
    PMIX_INFO_LOAD(&info[0], PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    pmix_value_t* value = nullptr;
    absl::MutexLock lock(&mutex_);
    const pmix_status_t status =
        PMIx_Get(&process, NameOf(key).c_str(), info, 2, &value);
    if (status != PMIX_SUCCESS) {
      return absl::NotFoundError(
          absl::StrCat("PMIx: no '", key, "': ", PMIx_Error_string(status)));
    }
    std::string bytes;
    const bool good = value->type == PMIX_STRING &&
                      absl::Base64Unescape(value->data.string, &bytes);
    PMIX_VALUE_RELEASE(value);
    if (!good) {
      return absl::DataLossError(
          absl::StrCat("PMIx: '", key, "' is none of our values"));
    }
    return bytes;
  }

 private:
  // PMIx has short keys.
  static std::string NameOf(absl::string_view key) {
    return absl::StrCat("xla_byol.", absl::Hex(Crc32c(key)), ".",
                        key.substr(0, 100));
  }

  const pmix_proc_t self_;
  absl::Mutex mutex_;
  std::set<std::string> put_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<ProcessGroup>> JoinPmix() {
  pmix_proc_t self;
  RETURN_IF_ERROR(ToStatus(PMIx_Init(&self, nullptr, 0),
                           "no launcher (mpirun, srun --mpi=pmix) listens"));
  pmix_proc_t job;
  PMIX_PROC_LOAD(&job, self.nspace, PMIX_RANK_WILDCARD);
  pmix_value_t* value = nullptr;
  const pmix_status_t status =
      PMIx_Get(&job, PMIX_JOB_SIZE, nullptr, 0, &value);
  if (status != PMIX_SUCCESS) {
    PMIx_Finalize(nullptr, 0);
    return ToStatus(status, "the number of processes");
  }
  const int size = static_cast<int>(value->data.uint32);
  PMIX_VALUE_RELEASE(value);
  return std::make_unique<PmixGroup>(self, size);
}

}  // namespace xla_byol::distributed
