#!/bin/bash
# Opens reports in a real browser: every chart is drawn, nothing fails, nothing is asked of the network.
set -eu
report=xla_byol/report
write=tests/reporting/write_synthetic_run
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "no Chromium here: install the package chromium" >&2
  exit 1
}
work=$(mktemp -d "${TEST_TMPDIR-/tmp}/report.XXXXXX")
out=${TEST_UNDECLARED_OUTPUTS_DIR-$work}
$write "$work/one" 1400 1 NEWTON_SCHULZ 0.87
$write "$work/two" 1100 2 DIRECTCOPY 0.8
$write "$work/short" 3 3 NEWTON_SCHULZ 0.3
$write "$work/learned" 200 5 NEWTON_SCHULZ 0.9 features

# Tells in the DOM what the page asked for (pictures inside it are no requests) and what its policy refused.
spy='<script>
addEventListener("securitypolicyviolation", (event) => { document.documentElement.dataset.refused = event.blockedURI; });
const asked = performance.getEntriesByType("resource").map((one) => one.name).filter((name) => !name.startsWith("data:"));
document.documentElement.dataset.asked = asked.length + " requests " + asked.join(" ");
</script>'

# open NAME WIDTH,HEIGHT RUNS: writes NAME.html, its DOM after drawing, a picture, and what the browser said.
open() {
  $report --run_dir="$3" --out="$work/$1.html"
  { cat "$work/$1.html"; echo "$spy"; } >"$work/$1.spied.html"
  local flags=(--headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile"
    --disable-background-networking --disable-component-update --no-first-run --enable-logging=stderr
    "--host-resolver-rules=MAP * ~NOTFOUND" --window-size="$2")
  timeout 100 "$browser" "${flags[@]}" --dump-dom "file://$work/$1.spied.html" >"$work/$1.dom" 2>"$work/$1.log"
  timeout 100 "$browser" "${flags[@]}" --screenshot="$out/$1.png" "file://$work/$1.html" 2>>"$work/$1.log"
}
open one 1440,3300 "$work/one"
open many 1440,3800 "$work/one,$work/two,$work/short"
open short 900,4000 "$work/short"
open learned 1440,1500 "$work/learned"

# Then all that a reader may do: the pointer over each chart, each button, a zoom. An exception would be in the DOM.
use='<script>
const over = (chart, type, x) => chart.dispatchEvent(new PointerEvent(type, {bubbles: true, button: 0, pointerId: 1,
    clientX: chart.getBoundingClientRect().left + x, clientY: chart.getBoundingClientRect().top + 90}));
SVGElement.prototype.setPointerCapture = () => {};  // there is no such pointer
let tips = 0, used = 0;
for (const chart of document.querySelectorAll(".card > svg")) {
  over(chart, "pointermove", 200);
  tips += chart.parentNode.querySelector(".tip b") !== null;
}
const drag = document.querySelector(".card > svg");
over(drag, "pointerdown", 100);
over(drag, "pointermove", 180);
over(drag, "pointerup", 180);
const zoomed = !document.getElementById("unzoom").hidden;
// Legends are built anew by each click, so the buttons are counted first.
const count = document.querySelectorAll("button").length;
for (let i = 0; i < count; ++i) {
  const button = document.querySelectorAll("button")[i];
  if (button) { button.click(); ++used; }
}
document.documentElement.dataset.used = `${tips} tips, zoomed ${zoomed}, ${used === count}`;
</script>'
$write "$work/third" 60 4 LRP 0.6
$report --run_dir="$work/short,$work/third" --out="$work/used.html"
echo "$use" >>"$work/used.html"
timeout 100 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --window-size=1440,3800 \
  --enable-logging=stderr --dump-dom "file://$work/used.html" >"$work/used.dom" 2>"$work/used.log"
python3 tests/reporting/check_report.py "$work" "$out"
