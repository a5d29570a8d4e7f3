#include "xla_byol/pjrt/compile_options.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "xla_byol/pjrt/compile_options.pb.h"

namespace xla_byol::pjrt {
absl::StatusOr<std::string> CompileOptions::Serialize(Platform platform) const {
  if (num_replicas < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("compile options: num_replicas is ", num_replicas,
                     ", must be 1 or more"));
  }
  if (!device_ids.empty() &&
      device_ids.size() != static_cast<size_t>(num_replicas)) {
    return absl::InvalidArgumentError(
        absl::StrCat("compile options: ", device_ids.size(), " device ids for ",
                     num_replicas, " replicas"));
  }
  CompileOptionsProto proto;
  auto* build = proto.mutable_executable_build_options();
  build->set_device_ordinal(-1);
  build->set_num_replicas(num_replicas);
  build->set_num_partitions(1);
  if (!device_ids.empty()) {
    auto* assignment = build->mutable_device_assignment();
    assignment->set_replica_count(num_replicas);
    assignment->set_computation_count(1);
    auto* devices = assignment->add_computation_devices();
    for (int id : device_ids) devices->add_replica_device_ids(id);
  }
  // Overrides, not debug_options: a partial debug_options message would replace
  // every flag's default by zero.
  std::map<std::string, Flag> all = flags;
  for (const RequiredFlag& flag : Info(platform).required_flags) {
    all.emplace(flag.name, flag.value);
  }
  for (const auto& [name, value] : all) {
    auto& flag = (*proto.mutable_env_option_overrides())[name];
    if (const auto* text = std::get_if<std::string>(&value)) {
      flag.set_string_field(*text);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
      flag.set_bool_field(*truth);
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      flag.set_int_field(*number);
    } else {
      flag.set_double_field(std::get<double>(value));
    }
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    proto.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace xla_byol::pjrt
