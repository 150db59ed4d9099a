"use strict";
// Draws and lists the contents of #data and #plans (see content.py). Texts become nodes, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const scenarios = data.scenarios;
  const noRecourse = data.no_recourse;
  const PAGE_ROWS = 25;
  const DECISION_ROWS = 12;
  // Longer names may be broken, as in elements.py.
  const LONGEST_UNBROKEN = 24;
  const WHOLE_STEPS = [1, 10, 100, 1000, 10000, 100000].flatMap((power) => [power, 2 * power, 5 * power]);
  // Another decision is drawn from the start unless it stretches the chart by more than this.
  const MOST_STRETCH = 2.5;

  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const large = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

  const collator = new Intl.Collator("en", { numeric: true });

  function shown(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return value === "inf" || value === "-inf" ? (value === noRecourse ? "no recourse" : "without limit") : value;
    if (Number.isInteger(value)) return whole.format(value);
    if (Math.abs(value) < 1e-4) return Number(value.toPrecision(6)).toExponential().replace(/e-(\d)$/, "e-0$1");
    return (Math.abs(value) >= 10000 ? large : small).format(value);
  }

  function size(value) {
    return value === "inf" ? Infinity : value === "-inf" ? -Infinity : value === null ? NaN : value;
  }

  function finite(value) {
    return typeof value === "number" ? value : null;
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value);
    }
    made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
    return made;
  }

  // As in errors.py: invisible characters are escaped, so that no name looks like another. Downloads keep names as they are.
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
  function visible(text) {
    return text.replace(HIDDEN, (sign) => {
      const code = sign.codePointAt(0), digits = code.toString(16);
      return code < 256 ? `\\x${digits.padStart(2, "0")}` : code < 65536 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
    });
  }

  function download(name, text, type) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    element("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // ---- tables that can be sorted, filtered, paged and downloaded ----------------------------------------------

  // As io/csv_cells.py: an apostrophe keeps a spreadsheet from executing a text; infinities are numbers.
  function neutral(text) {
    const executed = /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+|inf)([eE][+-]?\d+)?$/.test(text);
    return executed || /^'+[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  }

  function csvOf(columns, rows) {
    const field = (value) => {
      const text = value === null || value === undefined ? "" : typeof value === "string" ? neutral(value) : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns.map((column) => field(column.title))];
    for (const row of rows) lines.push(columns.map((column) => field(column.values[row])));
    return lines.map((line) => line.join(",")).join("\n") + "\n";
  }

  function compared(column) {
    const values = column.values;
    if (!column.numeric) return (a, b) => collator.compare(values[a], values[b]);
    return (a, b) => {
      const left = size(values[a]), right = size(values[b]);
      if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right);
      return left === right ? 0 : left - right;
    };
  }

  // columns: [{title, values, numeric, pick, best, bars, unknown}]; a row is a place in the values.
  function table(host, { caption, columns, file, order, isPicked, mark, pageRows = PAGE_ROWS }) {
    const written = columns.filter((column) => !column.bars), texts = written.filter((column) => !column.numeric);
    const count = columns[0].values.length;
    const all = order ?? Array.from({ length: count }, (_, k) => k);
    let rows = all, sorted = null, falling = false, page = 0;

    const body = element("tbody"), position = element("span", { "aria-live": "polite" });
    const filter = element("input", { type: "search", placeholder: "filter by name", "aria-label": `filter: ${caption}`, oninput: arrange });
    const back = element("button", { type: "button", onclick: () => turn(-1), "aria-label": "previous page" }, "‹");
    const forth = element("button", { type: "button", onclick: () => turn(1), "aria-label": "next page" }, "›");
    const save = element("button", { type: "button", onclick: () => download(file, csvOf(written, rows), "text/csv") }, "CSV");
    save.setAttribute("aria-label", `download as CSV: ${caption}`);
    const heads = columns.map((column, k) => column.bars ? element("td") : element("th", { scope: "col", class: column.numeric ? "number" : "text" },
      element("button", { type: "button", onclick: () => sort(k) }, column.title)));
    const drawn = element("table", { "aria-label": caption }, element("thead", {}, element("tr", {}, ...heads)), body);
    const tools = element("div", { class: "tools" }, filter, position, back, forth, save);
    host.replaceChildren(element("p", { class: "note" }, caption), tools, element("div", { class: "scroll" }, drawn));

    function sort(k) {
      falling = sorted === k ? !falling : columns[k].numeric;
      sorted = k;
      heads.forEach((head, other) => {
        if (other === k) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      arrange();
    }

    function arrange() {
      const wanted = filter.value.trim().toLowerCase();
      rows = wanted ? all.filter((row) => texts.some((column) => String(column.values[row]).toLowerCase().includes(wanted))) : all.slice();
      if (sorted !== null) {
        const compare = compared(columns[sorted]);
        rows.sort((a, b) => (falling ? compare(b, a) : compare(a, b)) || a - b);
      }
      page = 0;
      draw();
    }

    function turn(step) {
      page += step;
      draw();
    }

    function cell(column, row) {
      const value = column.values[row];
      if (column.bars) {
        const bar = element("span", { class: "bar" });
        bar.style.width = `${value}%`;
        return element("td", { class: "bars" }, bar);
      }
      const text = column.unknown && finite(value) === null ? column.unknown : shown(value);
      const inside = column.pick ? element("button", { type: "button", onclick: () => column.pick(row) }, text) : text;
      const style = column.numeric ? "number" : text.length <= LONGEST_UNBROKEN ? "text short" : "text";
      return element("td", { class: style + (column.best?.[row] ? " best" : "") }, inside);
    }

    function draw() {
      const start = page * pageRows, visible = rows.slice(start, start + pageRows);
      body.replaceChildren(...visible.map((row) => {
        const line = element("tr", {}, ...columns.map((column) => cell(column, row)));
        if (mark?.(row)) line.classList.add("worst");
        if (isPicked?.(row)) { line.classList.add("picked"); line.setAttribute("aria-current", "true"); }
        return line;
      }));
      const end = start + visible.length, of = rows.length === count ? whole.format(count) : `${whole.format(rows.length)} found`;
      position.textContent = rows.length ? `${whole.format(start + 1)}–${whole.format(end)} of ${of}` : "nothing found";
      back.disabled = page === 0;
      forth.disabled = end >= rows.length;
      back.hidden = forth.hidden = count <= pageRows;
      filter.hidden = count <= 10 || texts.length === 0;
    }

    draw();
    return { draw };
  }

  // ---- charts ------------------------------------------------------------------------------------------------

  const charts = [];

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  // Stored for redrawing when the colour scheme, the width or the medium changes.
  function chart(host, make) {
    const entry = { host, make, plot: null };
    entry.draw = () => {
      entry.plot?.destroy();
      host.replaceChildren();
      entry.plot = make(host);
    };
    entry.draw();
    charts.push(entry);
    new ResizeObserver(() => {
      if (entry.plot && host.clientWidth && host.clientWidth !== entry.plot.width) entry.plot.setSize({ width: host.clientWidth, height: height(host) });
    }).observe(host);
    return entry;
  }

  function height(host) {
    return host.clientWidth < 480 ? 240 : 320;
  }

  function axes(xTitle, yTitle, host, ranks = false) {
    const style = () => ({ stroke: colour("soft"), grid: { stroke: colour("rule"), width: 1 }, ticks: { stroke: colour("rule"), width: 1 } });
    const width = Math.max(...[data.worst, data.bound].map((value) => shown(value).length), 5) * 7.5 + 16;
    return [
      { ...style(), ...(ranks ? { incrs: WHOLE_STEPS } : {}), label: xTitle, labelSize: 18, size: 34, space: 70, values: (_, ticks) => ticks.map(shown) },
      { ...style(), label: host.clientWidth < 480 ? undefined : yTitle, labelSize: 22, size: width, values: (_, ticks) => ticks.map(shown) },
    ];
  }

  // A range with a margin, also around a single value.
  function airy(_, low, high) {
    if (low === null || high === null) return [0, 1];
    const margin = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
    return [low - margin, high + margin];
  }

  // Two dashed lines at one height show both colours: the second fills the gaps of the first.
  function horizontal(plot, value, name, offset = 0) {
    if (typeof value !== "number") return;
    const y = plot.valToPos(value, "y", true), { left, top, width, height } = plot.bbox;
    if (y < top || y > top + height) return;
    plot.ctx.save();
    plot.ctx.strokeStyle = colour(name);
    plot.ctx.setLineDash([6 * devicePixelRatio, 6 * devicePixelRatio]);
    plot.ctx.lineDashOffset = offset * devicePixelRatio;
    plot.ctx.lineWidth = 1.5 * devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, y);
    plot.ctx.lineTo(left + width, y);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  function vertical(plot, value) {
    const x = plot.valToPos(value, "x", true), { top, height } = plot.bbox;
    plot.ctx.save();
    plot.ctx.strokeStyle = colour("soft");
    plot.ctx.lineWidth = 1.5 * devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, top);
    plot.ctx.lineTo(x, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  // The keys below a chart: {name, colour, dashed, shown, toggle}; those with a toggle are buttons.
  function keys(host, entries) {
    host.replaceChildren(...entries.map(({ name, colour: value, dashed, shown: on, toggle }) => {
      const key = toggle ? element("button", { type: "button", class: "key", "aria-pressed": String(on), onclick: toggle }, name) : element("span", { class: "key" }, name);
      key.classList.toggle("dashed", Boolean(dashed));
      key.style.setProperty("--key", value);
      return key;
    }));
  }

  // Six colours of the style sheet, then hues a golden angle apart, so that none comes twice.
  function otherColour(k) {
    return colour(`other-${k + 1}`) || `hsl(${Math.round(k * 137.5) % 360} 60% 45%)`;
  }

  const finiteOf = (values) => values.map(finite).filter((value) => value !== null);
  const drawnOthers = (scenarios?.others ?? []).filter((other) => other.drawn).map((other) => ({ ...other, shown: staysFlat(other) }));

  function staysFlat(other) {
    const own = finiteOf(scenarios.cost), both = own.concat(finiteOf(other.values));
    const span = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity);
    return both.length > own.length && span(both) <= MOST_STRETCH * span(own);
  }

  function costsChart(host) {
    const ranks = scenarios.order.map((_, k) => k + 1);
    const ranked = (values) => scenarios.order.map((row) => finite(values[row]));
    const cost = ranked(scenarios.cost);
    const kept = scenarios.order.map((row, k) => (scenarios.chosen[row] === null ? null : cost[k]));
    const others = drawnOthers.map(({ title, values, shown: show }, k) => ({
      values: ranked(values), series: { label: visible(title), stroke: otherColour(k), width: 1, points: { show: false }, show },
    }));
    const dots = ranks.length <= 60;
    const plot = new uPlot({
      width: host.clientWidth, height: height(host),
      scales: { x: { time: false, range: (_, low, high) => [low - 0.02 * (high - low) - 0.5, high + 0.02 * (high - low) + 0.5] }, y: { range: airy } },
      axes: axes("scenarios, the worst first", data.words.cost, host, true),
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { size: 8 } },
      series: [
        {},
        { label: "this decision", stroke: colour("cost"), width: 2, points: { show: dots, size: 6, fill: colour("cost") } },
        { label: "scenarios kept", stroke: colour("kept"), fill: colour("kept"), width: 0, paths: () => null, points: { show: true, size: 10, fill: colour("kept") } },
        ...others.map((other) => other.series),
      ],
      hooks: {
        draw: [(drawn) => {
          horizontal(drawn, data.bound, "bound", 6);
          horizontal(drawn, data.worst, "worst");
          if (picked !== null) vertical(drawn, rankOf[picked] + 1);
        }],
        setCursor: [(drawn) => readCosts(drawn.cursor.idx ?? (picked === null ? null : rankOf[picked]))],
      },
    }, [ranks, cost, kept, ...others.map((other) => other.values)], host);
    plot.over.addEventListener("click", () => {
      if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) pick(scenarios.order[plot.cursor.idx], true);
    });
    costsKeys(plot);
    return plot;
  }

  function costsKeys(plot) {
    const line = (name, value) => ({ name: data.words[name], colour: colour(name), dashed: true, known: typeof value === "number" });
    keys(document.getElementById("costs-keys"), [
      { name: "this decision", colour: colour("cost") },
      { name: "scenarios kept", colour: colour("kept") },
      ...[line("worst", data.worst), line("bound", data.bound)].filter((key) => key.known),
      ...drawnOthers.map((other, k) => ({ name: other.title, colour: otherColour(k), shown: other.shown, toggle: () => {
        other.shown = !other.shown;
        plot.setSeries(3 + k, { show: other.shown });
        costsKeys(plot);
      } })),
    ]);
  }

  // What the chart shows at this place, in words below it.
  function readCosts(rank) {
    if (rank === null) return;
    const row = scenarios.order[rank], others = drawnOthers.filter((other) => other.shown).map((other) => `; ${visible(other.title)} ${shown(other.values[row])}`);
    document.getElementById("costs-readout").textContent = `scenario ${visible(scenarios.name[row])}: ${data.words.cost} ${shown(scenarios.cost[row])}${others.join("")}`;
  }

  function proofChart(host) {
    const steps = data.steps, last = steps.seconds.length - 1;
    const stairs = { width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: steps.seconds.length <= 200, size: 6 } };
    const read = (k) => {
      const at = (name) => `${data.words[name]} ${finite(steps[name][k]) === null ? "none yet" : shown(steps[name][k])}`;
      document.getElementById("proof-readout").textContent = `after ${steps.seconds[k].toFixed(2)} s: ${at("worst")}, ${at("bound")}`;
    };
    keys(document.getElementById("proof-keys"), [{ name: data.words.worst, colour: colour("worst") }, { name: data.words.bound, colour: colour("bound"), dashed: true }]);
    return new uPlot({
      width: host.clientWidth, height: height(host),
      scales: { x: { time: false, range: airyTime }, y: { range: airy } },
      axes: axes("seconds", data.words.cost, host),
      legend: { show: false },
      cursor: { drag: { x: true, y: false } },
      series: [{}, { label: data.words.worst, stroke: colour("worst"), ...stairs }, { label: data.words.bound, stroke: colour("bound"), dash: [6, 3], ...stairs }],
      hooks: { setCursor: [(drawn) => read(drawn.cursor.idx ?? last)] },
    }, [steps.seconds, steps.worst.map(finite), steps.bound.map(finite)], host);
  }

  function airyTime(_, low, high) {
    return [0, high > 0 ? high * 1.03 : 1];
  }

  // ---- the plan of a scenario -----------------------------------------------------------------------------------

  const plans = new Map();
  let picked = null, scenarioTable = null, costsPlot = null;
  const rankOf = [];
  scenarios?.order.forEach((row, rank) => { rankOf[row] = rank; });

  async function readPlans() {
    const packed = document.getElementById("plans")?.textContent ?? "";
    if (!packed) return;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const lines = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
    for (const line of lines.split("\n")) {
      if (!line) continue;
      const [row, ...entries] = JSON.parse(line);
      plans.set(row, entries);
    }
  }

  function pick(row, scroll = false) {
    picked = row;
    const name = document.getElementById("plan-scenario");
    name.textContent = visible(scenarios.name[row]);
    name.classList.toggle("short", name.textContent.length <= LONGEST_UNBROKEN);
    scenarioTable?.draw();
    costsPlot?.plot.redraw(false);
    if (costsPlot) readCosts(rankOf[row]);
    showPlan(row);
    if (scroll) showSection(document.getElementById("plan"));
  }

  // The heading and the first rows come into view; nothing moves if they are there already.
  function showSection(section) {
    const { top } = section.getBoundingClientRect();
    if (top >= 0 && top <= innerHeight / 2) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollTo({ top: scrollY + top - innerHeight / 3, behavior: still ? "auto" : "smooth" });
  }

  function showPlan(row) {
    const entries = plans.get(row), cost = scenarios.cost[row], note = document.getElementById("plan-note"), host = document.getElementById("plan-table");
    const costs = `${data.words.cost} ${shown(cost)}`;
    if (typeof cost === "string") note.textContent = cost === noRecourse ? "The decision has no recourse in this scenario." : "The recourse is unbounded in this scenario, so there is no optimal recourse.";
    else if (entries) note.textContent = entries.length ? `${costs}. Everything not listed is 0.` : `${costs}. Nothing to do: every recourse variable is 0.`;
    else note.textContent = `${costs}. The plan for this scenario is not stored in this page, which contains the plans of ${whole.format(plans.size)} of ${whole.format(scenarios.name.length)} scenarios; neurprise solve FILE --recourse NAME prints it.`;
    host.hidden = !entries || !entries.length;
    if (!host.hidden) {
      const names = [], values = [];
      for (let k = 0; k < entries.length; k += 2) { names.push(data.recourse_names[entries[k]]); values.push(entries[k + 1]); }
      table(host, { caption: "recourse", file: "plan.csv", columns: [{ title: "name", values: names }, { title: "value", values, numeric: true }] });
    }
    drawPicture(entries ?? []);
  }

  // ---- the picture -----------------------------------------------------------------------------------------------

  function drawPicture(entries) {
    const drawing = document.querySelector("svg.picture"), picture = data.picture;
    if (!drawing || !picture) return;
    const plan = new Map();
    for (let k = 0; k < entries.length; k += 2) plan.set(entries[k], entries[k + 1]);
    const points = [...drawing.querySelectorAll(":scope > g[transform]")];
    points.forEach((point, k) => {
      const now = picture.now[k], later = picture.later[k];
      const state = now < 0 && later < 0 ? "fixed" : now >= 0 && data.x[now] > 0 ? "now" : later >= 0 && plan.get(later) > 0 ? "later" : "idle";
      point.setAttribute("class", state);
    });
    if (picture.lines.every((variable) => variable < 0)) return;
    const largest = Math.max(0, ...picture.lines.map((variable) => plan.get(variable) ?? 0));
    const places = points.map((point) => point.transform.baseVal[0].matrix);
    const drawn = [];
    picture.lines.forEach((variable, k) => {
      const value = plan.get(variable) ?? 0;
      if (value <= 0) return;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const from = places[picture.ends[2 * k]], to = places[picture.ends[2 * k + 1]];
      for (const [name, number] of Object.entries({ x1: from.e, y1: from.f, x2: to.e, y2: to.f, "stroke-width": 1 + (3 * value) / largest })) line.setAttribute(name, number);
      drawn.push(line);
    });
    drawing.querySelector(":scope > g:not([transform])").replaceChildren(...drawn);
  }

  // ---- all together ------------------------------------------------------------------------------------------------

  document.documentElement.classList.add("scripted");
  if (data.decision) {
    const chosen = data.decision.value.map((value, k) => k).sort((a, b) => (data.decision.value[b] !== 0) - (data.decision.value[a] !== 0) || a - b);
    table(document.getElementById("decision-table"), { caption: "first-stage variables, zeros last", file: "decision.csv", order: chosen, pageRows: DECISION_ROWS,
      columns: [{ title: "name", values: data.decision.name }, { title: "value", values: data.decision.value, numeric: true }] });
  }
  if (scenarios) {
    const worst = size(scenarios.cost[scenarios.order[0]]);
    const equallyBad = (cost) => cost === worst || Math.abs(cost - worst) <= data.tie * Math.abs(worst);
    const others = scenarios.others.map(({ title, values }) => ({ title, values, numeric: true }));
    scenarioTable = table(document.getElementById("scenario-table"), {
      caption: `${data.words.cost} of the decision by scenario`, file: "scenarios.csv", order: scenarios.order,
      isPicked: (row) => row === picked, mark: (row) => equallyBad(size(scenarios.cost[row])),
      columns: [
        { title: "scenario", values: scenarios.name, pick: (row) => pick(row, true) },
        { title: data.words.cost, values: scenarios.cost, numeric: true },
        { title: "chosen as", values: scenarios.chosen, numeric: true },
        ...others,
      ],
    });
    const host = document.getElementById("costs-plot");
    if (host) costsPlot = chart(host, costsChart);
    host?.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const rank = Math.min(Math.max((picked === null ? 0 : rankOf[picked]) + step, 0), scenarios.order.length - 1);
      pick(scenarios.order[rank]);
    });
    readPlans().catch(() => plans.clear()).then(() => { pick(scenarios.order[0]); document.documentElement.dataset.ready = "plans"; });
  }
  const proof = document.getElementById("proof-plot");
  if (proof && finiteOf(data.steps.worst.concat(data.steps.bound)).length) chart(proof, proofChart);
  if (data.comparison) table(document.getElementById("comparison-table"), data.comparison);
  if (data.chosen) table(document.getElementById("chosen-table"), data.chosen);
  const steps = { seconds: "seconds", scenarios: "scenarios", bound: data.words.bound, worst: data.words.worst };
  if (proof) table(document.getElementById("steps-table"), { caption: "the search, step by step", file: "steps.csv",
    columns: Object.entries(steps).map(([name, title]) => ({ title, values: data.steps[name].slice(0, -1), numeric: true, unknown: "none yet" })) });
  document.getElementById("save-json").addEventListener("click", () => download("report.json", document.getElementById("report-json").textContent, "application/json"));

  const redraw = () => charts.forEach((entry) => entry.draw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  matchMedia("print").addEventListener("change", redraw);
})();
