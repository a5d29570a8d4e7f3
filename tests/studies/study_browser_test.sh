#!/bin/bash
# Opens the page of the published study in a real browser: tables and charts are drawn, nothing fails, nothing is asked
# of the network.
set -eu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "no Chromium here: install the package chromium" >&2
  exit 1
}
work=$(mktemp -d "${TEST_TMPDIR-/tmp}/study.XXXXXX")
out=${TEST_UNDECLARED_OUTPUTS_DIR-$work}
results=docs/results/predictors.results.jsonl
xla_byol/study --config=configs/studies/predictors.textproto --results=$results --study_dir="$work"
page=$work/study.html

flags=(--headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile"
  --disable-background-networking --disable-component-update --no-first-run --enable-logging=stderr
  "--host-resolver-rules=MAP * ~NOTFOUND" --window-size=1440,3200)
timeout 100 "$browser" "${flags[@]}" --screenshot="$out/study.png" "file://$page" 2>"$work/log"
cp "$page" "$work/spied.html"
cat >>"$work/spied.html" <<'END'
<script>
document.documentElement.dataset.asked = performance.getEntriesByType("resource").filter((one) => !one.name.startsWith("data:")).length;
</script>
END
timeout 100 "$browser" "${flags[@]}" --dump-dom "file://$work/spied.html" >"$work/dom" 2>>"$work/log"

fail() {
  echo "$1" >&2
  cat "$work/log" >&2
  exit 1
}
! grep -q CONSOLE "$work/log" || fail "the page has written to the console"
grep -q 'data-asked="0"' "$work/dom" || fail "the page asks for more than itself"
# One table and four figures; every predictor has its row, with the paper's number in it.
grep -q 'data-drawn="5"' "$work/dom" || fail "not all is drawn: $(grep -o '<html[^>]*>' "$work/dom")"
for predictor in linear MLP identity LRP DirectPred DirectCopy NE Visser NS NS2 Stiefel; do
  grep -q ">$predictor</" "$work/dom" || fail "no row for $predictor"
done
grep -q 'class="paper">68.8<' "$work/dom" || fail "no number of the paper"
! grep -oE '<path[^>]* d="[^"]*"' "$work/dom" | grep -qE 'NaN|Infinity' || fail "a curve leads nowhere"
# Curves are as many as predictors in each figure.
curves=$(grep -o '<path class="line"' "$work/dom" | wc -l)
((curves >= 4 * 9)) || fail "$curves curves"
python3 - "$out/study.png" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[1:4] == b"PNG" and struct.unpack(">II", data[16:24]) == (1440, 3200) and len(data) > 50_000, len(data)
END
