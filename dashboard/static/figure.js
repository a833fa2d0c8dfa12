// Draws the page's figures once they come into view; Plotly is loaded only then.
"use strict";

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function dressed(layout) {
  const line = token("--line");
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: token("--muted") };
  return {
    ...layout,
    font: { ...layout.font, color: token("--text") },
    hoverlabel: {
      ...layout.hoverlabel,
      bgcolor: token("--surface"),
      bordercolor: token("--line"),
      font: { ...layout.hoverlabel.font, color: token("--text") },
    },
    xaxis: { ...layout.xaxis, ...axis },
    yaxis: { ...layout.yaxis, ...axis },
  };
}

// The middle of a map of shares is the page's own grey, so that "even" recedes in both schemes.
function tinted(trace) {
  if (trace.type !== "heatmap") return trace;
  const colorscale = [[0, "#c04f12"], [0.5, token("--raised")], [1, "#0077bb"]];
  return { ...trace, colorscale };
}

const AGAIN_MS = 10000; // A server that restarts is back sooner.
let loading = null;

function plotly(address) {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      loading = null; // The next figure tries again.
      reject(new Error("the drawing script did not load"));
    };
    document.head.append(script);
  });
  return loading;
}

const shown = new WeakMap(); // what each canvas shows: the same figure is not drawn twice

async function draw(canvas) {
  const source = document.getElementById(canvas.dataset.figure);
  const wanted = token("--text") + source.textContent;
  if (shown.get(canvas) === wanted) return;
  shown.set(canvas, wanted);
  const figure = JSON.parse(source.textContent);
  if (source.dataset.label) canvas.setAttribute("aria-label", source.dataset.label);
  const options = { displayModeBar: false, responsive: true, showTips: false };
  try {
    const drawer = await plotly(canvas.dataset.plotly);
    if (shown.get(canvas) !== wanted) return; // A later figure of this canvas waited, too.
    if (!canvas.childElementCount) canvas.replaceChildren(); // without the words of a failure
    await drawer.react(canvas, figure.data.map(tinted), dressed(figure.layout), options);
    canvas.setAttribute("data-ready", "");
  } catch (error) {
    canvas.removeAttribute("data-ready");
    canvas.textContent = `No figure: ${error.message}. The table has the same data.`;
    shown.delete(canvas);
    setTimeout(watch, AGAIN_MS);
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    draw(target);
  }
}, { rootMargin: "200px" });

function watch() {
  for (const canvas of document.querySelectorAll("[data-figure]:not([data-ready])")) {
    canvas.style.minHeight = `${canvas.dataset.height}px`; // its room is kept, so nothing jumps
    seen.observe(canvas);
  }
}

document.addEventListener("htmx:after:swap", () => {
  document.querySelectorAll("[data-figure][data-ready]").forEach(draw);
  watch();
});

watch();

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  document.querySelectorAll("[data-figure][data-ready]").forEach(draw);
});
