"""protobuf's cc_proto_library over the native rule."""

def cc_proto_library(**kwargs):
    native.cc_proto_library(**kwargs)
