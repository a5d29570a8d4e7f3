// What is drawn: sections of charts, each chart a list of curves. A curve is [kind of record, name, label, options]:
//   axis: "right"     its own y axis
//   percent: true     a share, written in percent
//   perLatent: true   divided by the latent size
//   low, high: names  columns that bound a band around it
//   else: [...]       curves to take instead when this one has fewer than three points
// Options of a chart: zero (the y axis begins there), exact (never smoothed), reference (a dotted line for a run),
// needsFirst (no chart without its first curve). A chart without a single point is left out. Metrics that no chart names
// follow in a last section, those recorded once in a table.
"use strict";

const SECTIONS = [
  {
    title: "Learning",
    charts: [
      {title: "Loss", note: "BYOL's loss on the training batches", curves: [["train", "loss", "loss"]]},
      {
        title: "Accuracy",
        note: "probe: trained along with the network, on training batches; k-NN and linear: test images, frozen features",
        curves: [
          ["train", "probe_accuracy", "online probe", {percent: true}],
          ["evaluation", "knn_top1", "k-NN", {percent: true}],
          ["evaluation", "linear_top1", "linear, top 1", {percent: true}],
          ["evaluation", "linear_top5", "linear, top 5", {percent: true}],
        ],
      },
      {title: "Probe loss", note: "cross entropy of the online probe", curves: [["train", "probe_loss", "probe loss"]]},
      {
        title: "Schedules",
        exact: true,
        note: "learning rate, and τ: the target's share of itself in its moving average",
        curves: [["train", "learning_rate", "learning rate"], ["train", "target_decay", "τ", {axis: "right"}]],
      },
    ],
  },
  {
    title: "What makes it tick",
    intro: "The figures of “The Edge of Orthogonality” for this training. A healthy predictor comes near an orthogonal " +
        "projection of high rank; the latents' singular values spread out instead of collapsing onto a few.",
    charts: [
      {
        heatmap: "spectrum",
        title: "Singular values of the latents' covariance",
        note: "their distribution over training; in each step divided by the largest",
      },
      {
        title: "Spread of the singular values",
        note: "median, with the middle half as a band; accuracy on the right",
        zero: true,
        needsFirst: true,
        curves: [
          ["diagnostics", "spectrum_q50", "median singular value", {low: "spectrum_q25", high: "spectrum_q75"}],
          ["evaluation", "linear_top1", "linear accuracy", {
            axis: "right", percent: true,
            else: [["evaluation", "knn_top1", "k-NN accuracy"], ["train", "probe_accuracy", "probe accuracy"]],
          }],
        ],
      },
      {
        title: "Stable rank and trace of the predictor",
        note: "divided by the latent size: 1 is the identity's",
        zero: true,
        curves: [
          ["diagnostics", "predictor_stable_rank", "stable rank", {perLatent: true}],
          ["diagnostics", "predictor_trace", "trace", {perLatent: true}],
        ],
      },
      {
        title: "Distance to the polar factor",
        note: "‖P − U‖ / √f with P = U H: 0 for an orthogonal predictor",
        zero: true,
        curves: [["diagnostics", "predictor_polar_distance", "polar distance"]],
      },
      {
        title: "Distance from an orthogonal projection",
        note: "spectral norms, P scaled to norm 1; both are 0 for an orthogonal projection, and one eigenvalue of ½ gives 0.25",
        zero: true,
        curves: [
          ["diagnostics", "predictor_projection_error", "‖P² − P‖"],
          ["diagnostics", "predictor_asymmetry", "‖P − Pᵀ‖"],
        ],
      },
      {
        title: "Where the loss comes from",
        note: "what the best linear predictor of the batch leaves, per image, and its two sources; latents are not normalized here",
        zero: true,
        curves: [
          ["diagnostics", "residual_loss", "whole"],
          ["diagnostics", "residual_resampling", "other view, same network"],
          ["diagnostics", "residual_ema", "same view, other network"],
        ],
      },
      {
        title: "Collapse",
        note: "spread of the unit vectors over a batch: 0 when all images look alike; when healthy about 1/√n for vectors of n " +
            "numbers (dotted: for the latents)",
        zero: true,
        reference: (run) => run.latent_size > 0 ? 1 / Math.sqrt(run.latent_size) : NaN,
        curves: [["train", "latent_std", "latents"], ["diagnostics", "feature_std", "features"]],
      },
      {
        title: "Largest singular value",
        note: "of the latents' covariance, before the division",
        curves: [["diagnostics", "spectrum_largest", "largest singular value"]],
      },
    ],
  },
  {
    title: "Speed",
    charts: [
      {title: "Images per second", note: "of training, over all devices", zero: true, curves: [["train", "images_per_s", "images/s"]]},
      {
        title: "Waiting for data",
        note: "share of the time in which the devices wait for the input",
        zero: true,
        curves: [["train", "data_wait_share", "waiting", {percent: true}]],
      },
    ],
  },
];

// Shown at the top: [key of the headline, label, format, +1 if more is better, -1 if less is].
const HEADLINES = [
  ["linear_top1", "linear probe, top 1", formatPercent, 1],
  ["linear_top5", "linear probe, top 5", formatPercent, 1],
  ["knn_top1", "k-NN", formatPercent, 1],
  ["probe_accuracy", "online probe (training)", formatPercent, 1],
  ["loss", "loss at the end", (value) => formatNumber(value, 4), 0],
  ["stable_rank", "predictor's stable rank / f", (value) => formatNumber(value, 3), 0],
  ["steps", "steps", formatCount, 0],
  ["epochs", "epochs", (value) => formatNumber(value, 3), 0],
  ["seconds", "time without pauses", formatDuration, 0],
  ["images_per_s", "images/s", formatCount, 1],
  ["data_wait", "waiting for data", formatPercent, -1],
];

// The rows of the table below the headlines: [prefix of the metric, what was measured].
const BASELINES = [["", "this run"], ["untrained_", "untrained network"], ["pixels_", "raw pixels"]];

// Its columns: [metric of kind "evaluation", label, format].
const BASELINE_COLUMNS = [
  ["linear_top1", "linear probe, top 1", formatPercent],
  ["knn_top1", "k-NN", formatPercent],
  ["feature_rank", "effective rank", (value) => formatNumber(value, 3)],
  ["feature_rankme", "RankMe", (value) => formatNumber(value, 3)],
];

// The sums of a run's sessions, in the order of the table: [name in records of kind "session", what it is].
const SESSION_TIMES = [
  ["compile_s", "compiling"],
  ["restore_s", "restoring"],
  ["training_s", "training"],
  ["data_wait_s", "… of it waiting for data"],
  ["checkpoint_s", "… of it saving checkpoints"],
  ["evaluation_s", "… of it evaluating between steps"],
  ["final_evaluation_s", "evaluating at the end"],
];
