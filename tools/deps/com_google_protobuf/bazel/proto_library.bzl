"""protobuf's proto_library over the native rule."""

def proto_library(**kwargs):
    native.proto_library(**kwargs)
