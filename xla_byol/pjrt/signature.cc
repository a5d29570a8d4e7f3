#include "xla_byol/pjrt/signature.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_byol/base/status_macros.h"
#include "xla_byol/pjrt/hlo_module.h"

namespace xla_byol::pjrt {
absl::StatusOr<Signature> Signature::FromOptimizedProgram(
    const std::string& format, const std::string& code) {
  HloModuleProto module;
  if (!ParseModule(format, code, &module) || !module.has_host_program_shape()) {
    return absl::InternalError(
        absl::StrCat("the compiled program's signature cannot be read from ",
                     code.size(), " bytes of format '", format, "'"));
  }
  Signature signature;
  for (const ShapeProto& shape : module.host_program_shape().parameters()) {
    ASSIGN_OR_RETURN(ArraySpec spec, ReadShape(shape));
    signature.parameters.push_back(std::move(spec));
  }
  const ShapeProto& result = module.host_program_shape().result();
  if (IsTuple(result)) {
    for (const ShapeProto& shape : result.tuple_shapes()) {
      ASSIGN_OR_RETURN(ArraySpec spec, ReadShape(shape));
      signature.results.push_back(std::move(spec));
    }
  } else {
    ASSIGN_OR_RETURN(ArraySpec spec, ReadShape(result));
    signature.results.push_back(std::move(spec));
  }
  signature.donated.resize(signature.parameters.size());
  std::vector<int64_t> donated;
  for (const auto& entry : module.input_output_alias().entries()) {
    donated.push_back(entry.parameter_number());
  }
  for (const auto& entry : module.buffer_donor().entries()) {
    donated.push_back(entry.parameter_number());
  }
  for (int64_t parameter : donated) {
    if (parameter < 0 ||
        parameter >= static_cast<int64_t>(signature.donated.size())) {
      return absl::InternalError(
          absl::StrCat("the compiled program donates parameter ", parameter,
                       " of ", signature.donated.size()));
    }
    signature.donated[parameter] = true;
  }
  return signature;
}

std::string Signature::ToString() const {
  std::vector<std::string> in;
  for (size_t i = 0; i < parameters.size(); ++i) {
    in.push_back(
        absl::StrCat(parameters[i].ToString(), donated[i] ? " donated" : ""));
  }
  return absl::StrCat(
      "(", absl::StrJoin(in, ", "), ") -> (",
      absl::StrJoin(results, ", ",
                    [](std::string* out, const ArraySpec& spec) {
                      out->append(spec.ToString());
                    }),
      ")");
}

}  // namespace xla_byol::pjrt
