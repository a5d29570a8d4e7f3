// A PJRT plugin that does nothing but ask its key-value store for what XLA's
// CUDA client asks: topologies when the client is made, and the id of a clique
// from many threads long after. What goes wrong is the client's error, or ends
// the process.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "pjrt_c_api.h"

struct PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};

struct PJRT_Client {
  PJRT_Client_Create_Args store;
  int node = 0;
  int nodes = 1;
};

namespace {

PJRT_Error* MakeError(PJRT_Error_Code code, const char* message, size_t size) {
  return new PJRT_Error{code, std::string(message, size)};
}
PJRT_CallbackError callback_error = MakeError;

PJRT_Error* Wrong(const std::string& what) {
  return new PJRT_Error{PJRT_Error_Code_INTERNAL, what};
}

// A code, and the value of a get that is OK (code 0).
struct Answer {
  int code = 0;
  std::string value;
};

template <typename Args>
Answer Take(PJRT_Error* error, const Args& args) {
  if (error != nullptr) {
    const Answer answer{error->code, error->message};
    delete error;
    return answer;
  }
  Answer answer{0, std::string(args.value, args.value_size)};
  args.value_deleter_callback(args.value);
  return answer;
}

Answer Get(const PJRT_Client& client, const std::string& key, int timeout_ms) {
  PJRT_KeyValueGetCallback_Args args = {};
  args.struct_size = sizeof(args);
  args.key = key.data();
  args.key_size = key.size();
  args.timeout_in_ms = timeout_ms;
  args.callback_error = &callback_error;
  args.user_arg = client.store.kv_get_user_arg;
  return Take(client.store.kv_get_callback(&args), args);
}

Answer TryGet(const PJRT_Client& client, const std::string& key) {
  PJRT_KeyValueTryGetCallback_Args args = {};
  args.struct_size = sizeof(args);
  args.key = key.data();
  args.key_size = key.size();
  args.callback_error = &callback_error;
  args.user_arg = client.store.kv_try_get_user_arg;
  return Take(client.store.kv_try_get_callback(&args), args);
}

int Put(const PJRT_Client& client, const std::string& key,
        const std::string& value) {
  PJRT_KeyValuePutCallback_Args args = {};
  args.struct_size = sizeof(args);
  args.key = key.data();
  args.key_size = key.size();
  args.value = value.data();
  args.value_size = value.size();
  args.callback_error = &callback_error;
  args.user_arg = client.store.kv_put_user_arg;
  PJRT_Error* error = client.store.kv_put_callback(&args);
  if (error == nullptr) return 0;
  const int code = error->code;
  delete error;
  return code;
}

std::string Topology(int node) {
  // Any byte may be in it.
  return std::string("node\0\n\xff ", 8) + std::to_string(node);
}

// As xla::ExchangeTopologies.
PJRT_Error* ExchangeTopologies(const PJRT_Client& client) {
  const std::string local = "local_topology/cuda/";
  const std::string own = local + std::to_string(client.node);
  if (TryGet(client, own).code != PJRT_Error_Code_NOT_FOUND) {
    return Wrong("try_get of a key that nobody put is not NOT_FOUND");
  }
  if (Put(client, own, Topology(client.node)) != 0) return Wrong("put failed");
  // A second start of the client finds the first one's.
  if (Put(client, own, "other") != PJRT_Error_Code_ALREADY_EXISTS) {
    return Wrong("a second put is not ALREADY_EXISTS");
  }
  if (TryGet(client, own).value != Topology(client.node)) {
    return Wrong("a second put changed the value");
  }
  const std::string global = "global_topology/cuda";
  std::string all;
  if (client.node == 0) {
    for (int i = 0; i < client.nodes; ++i) {
      const Answer answer =
          Get(client, local + std::to_string(i), /*timeout_ms=*/120000);
      if (answer.value != Topology(i)) return Wrong("get: " + answer.value);
      all += answer.value;
    }
    if (Put(client, global, all) != 0) return Wrong("put failed");
  }
  const Answer answer = Get(client, global, /*timeout_ms=*/300000);
  for (int i = 0; i < client.nodes; ++i)
    all += client.node == 0 ? "" : Topology(i);
  if (answer.value != all) return Wrong("global topology: " + answer.value);
  const Answer late = Get(client, "root_process: 0; clique: none", 100);
  if (late.code != PJRT_Error_Code_DEADLINE_EXCEEDED) {
    return Wrong("a get in vain ended with " + late.value);
  }
  return nullptr;
}

// One clique for each process as its root, all at once.
void ExchangeCliques(const PJRT_Client& client) {
  std::vector<std::thread> threads;
  for (int clique = 0; clique < 4 * client.nodes; ++clique) {
    threads.emplace_back([&client, clique] {
      const int root = clique % client.nodes;
      const std::string key = "root_process: " + std::to_string(root) +
                              "; clique: devices=[0," + std::to_string(clique) +
                              "]; is_p2p=0";
      const std::string id = "nccl id " + std::to_string(clique);
      if ((root == client.node && Put(client, key, id) != 0) ||
          Get(client, key, /*timeout_ms=*/60000).value != id) {
        std::fprintf(stderr, "clique %d went wrong\n", clique);
        std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu cliques\n", threads.size());
}

PJRT_Error* Create(PJRT_Client_Create_Args* args) {
  auto* client = new PJRT_Client{*args};
  for (size_t i = 0; i < args->num_options; ++i) {
    const PJRT_NamedValue& option = args->create_options[i];
    const std::string name(option.name, option.name_size);
    if (name == "node_id") client->node = static_cast<int>(option.int64_value);
    if (name == "num_nodes") {
      client->nodes = static_cast<int>(option.int64_value);
    }
  }
  if (PJRT_Error* error = ExchangeTopologies(*client)) {
    delete client;
    return error;
  }
  args->client = client;
  return nullptr;
}

PJRT_Api MakeApi() {
  PJRT_Api api = {};
  api.struct_size = sizeof(api);
  api.pjrt_api_version.struct_size = sizeof(api.pjrt_api_version);
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  api.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* args) {
    delete args->error;
  };
  api.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
    args->message = args->error->message.data();
    args->message_size = args->error->message.size();
  };
  api.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args* args) -> PJRT_Error* {
    args->code = args->error->code;
    return nullptr;
  };
  api.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* {
    return nullptr;
  };
  api.PJRT_Plugin_Attributes =
      [](PJRT_Plugin_Attributes_Args* args) -> PJRT_Error* {
    args->num_attributes = 0;
    return nullptr;
  };
  api.PJRT_Client_Create = Create;
  api.PJRT_Client_Destroy = [](PJRT_Client_Destroy_Args* args) -> PJRT_Error* {
    ExchangeCliques(*args->client);
    delete args->client;
    return nullptr;
  };
  api.PJRT_Client_PlatformName =
      [](PJRT_Client_PlatformName_Args* args) -> PJRT_Error* {
    args->platform_name = "cpu";
    args->platform_name_size = 3;
    return nullptr;
  };
  api.PJRT_Client_PlatformVersion =
      [](PJRT_Client_PlatformVersion_Args* args) -> PJRT_Error* {
    args->platform_version = "0";
    args->platform_version_size = 1;
    return nullptr;
  };
  api.PJRT_Client_ProcessIndex =
      [](PJRT_Client_ProcessIndex_Args* args) -> PJRT_Error* {
    args->process_index = args->client->node;
    return nullptr;
  };
  api.PJRT_Client_Devices = [](PJRT_Client_Devices_Args* args) -> PJRT_Error* {
    args->num_devices = 0;
    return nullptr;
  };
  api.PJRT_Client_AddressableDevices =
      [](PJRT_Client_AddressableDevices_Args* args) -> PJRT_Error* {
    args->num_addressable_devices = 0;
    return nullptr;
  };
  return api;
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = MakeApi();
  return &api;
}
