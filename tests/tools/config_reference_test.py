#!/usr/bin/env python3
"""tools/config_reference on small proto files."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

PATH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("config_reference", str(PATH))
SPEC = importlib.util.spec_from_loader("config_reference", LOADER)
tool = importlib.util.module_from_spec(SPEC)
sys.modules["config_reference"] = tool
LOADER.exec_module(tool)

PROTO = """syntax = "proto2";

package p;

message Config {
  // Of everything
  // random.
  optional uint64 seed = 1 [default = 7];

  optional Part part = 2;
}

// Some part.
message Part {
  enum Kind {
    A = 0;  // first|one
    B = 1;  // second, with
            // two lines
  }
  // Which.
  optional Kind kind = 1 [default = B];
  repeated float sizes = 2;  // Of each.
}
"""


class ConfigReferenceTest(unittest.TestCase):

    def test_every_field_has_a_row_under_its_path(self):
        text = tool.page(tool.parse(PROTO))
        self.assertIn("| `seed` | uint64 | `7` | Of everything random. |\n", text)
        self.assertIn("| `part` | Part |  | Some part. |\n", text)
        self.assertIn("\n## part\n\nSome part.\n", text)
        self.assertIn("| `part.kind` | Kind | `B` | Which. |\n", text)
        self.assertIn("| `part.sizes` | list of float |  | Of each. |\n", text)

    def test_enums_list_their_values(self):
        text = tool.page(tool.parse(PROTO))
        self.assertIn("| `A` | first\\|one |\n| `B` | second, with two lines |\n", text)

    def test_a_field_without_a_comment_is_refused(self):
        with self.assertRaisesRegex(tool.ProtoError, "Part.kind has no comment"):
            tool.page(tool.parse(PROTO.replace("  // Which.\n", "")))

    def test_a_comment_before_a_blank_line_is_no_fields(self):
        with self.assertRaisesRegex(tool.ProtoError, "Part.kind has no comment"):
            tool.page(tool.parse(PROTO.replace("  // Which.\n", "  // Which.\n\n")))

    def test_what_it_cannot_read_is_refused_with_its_line(self):
        with self.assertRaisesRegex(tool.ProtoError, "line 10 is none that this tool knows: oneof"):
            tool.parse(PROTO.replace("  optional Part part = 2;", "  oneof x {"))

    def test_a_message_that_no_config_reaches_is_refused(self):
        with self.assertRaisesRegex(tool.ProtoError, "no field of Config leads to Lost"):
            tool.page(tool.parse(PROTO + "// Lost.\nmessage Lost {\n}\n"))


if __name__ == "__main__":
    unittest.main()
