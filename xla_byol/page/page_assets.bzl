"""The parts of a self-contained page as C++ constants."""

def page_assets(page, parts):
    """Makes <page>_assets.h with a constant for each part.

    Args:
      page: the page's name, such as "report", in the folder report_page.
      parts: (name, file) pairs; ("Style", "report.css") becomes kReportStyle.
    """
    guard = "XLA_BYOL_PAGE_{0}_PAGE_{0}_ASSETS_H_".format(page.upper())
    constants = [
        "  constant {} $(location {})".format(name, file)
        for name, file in parts
    ]
    native.genrule(
        name = page + "_assets",
        srcs = [file for _, file in parts],
        outs = [page + "_assets.h"],
        cmd = """
constant() {{
  printf 'inline constexpr char k{prefix}%s[] = R"asset(\\n' "$$1"
  cat "$$2"
  printf ')asset";\\n'
}}
{{
  echo '#ifndef {guard}'
  echo '#define {guard}'
  echo 'namespace xla_byol {{'
{constants}
  echo '}}  // namespace xla_byol'
  echo '#endif'
}} >$@
""".format(
            constants = "\n".join(constants),
            guard = guard,
            prefix = page.capitalize(),
        ),
    )
