// Draws the results that stand in the page as JSON. Whatever a model or a pull request wrote goes in as text nodes only.
(() => {
  "use strict";

  // `display` has the text for every number of `results`.
  const { results, display } = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const NONE = "–";
  const ROWS_AT_ONCE = 100;
  const SHOWN_CHARACTERS = 6000;
  const SHOWN_LINES = 80;

  // ---------------------------------------------------------------- text

  // What is not seen, or reorders what is seen. A joiner inside an emoji is part of a picture.
  const HIDDEN =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}\u{d800}-\u{dfff}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

  // Not the pictures of control characters: few fonts have them.
  const CONTROLS = ("NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI "
    + "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US").split(" ");

  function mark(character) {
    const code = character.codePointAt(0);
    if (code < 0x20) return `⟪${CONTROLS[code]}⟫`;
    if (code === 0x7f) return "⟪DEL⟫";
    return "⟪U+" + code.toString(16).toUpperCase().padStart(4, "0") + "⟫";
  }

  // As one string, where no element can stand.
  function visible(text) {
    return String(text).replace(/\r\n/g, "\n").replace(HIDDEN, mark);
  }

  // As text nodes, with every mark in an element of its own.
  function put(node, text) {
    const whole = String(text).replace(/\r\n/g, "\n");
    const found = whole.match(HIDDEN);
    if (!found || found.length > 2000) {
      node.append(found ? visible(whole) : whole);
      return node;
    }
    let from = 0;
    for (const match of whole.matchAll(HIDDEN)) {
      if (match.index > from) node.append(whole.slice(from, match.index));
      const shown = document.createElement("span");
      shown.className = "hidden-character";
      shown.textContent = mark(match[0]);
      node.append(shown);
      from = match.index + match[0].length;
    }
    if (from < whole.length) node.append(whole.slice(from));
    return node;
  }

  function cut(text, length) {
    const whole = String(text);
    if (whole.length <= length) return whole;
    const end = whole.charCodeAt(length - 1) >= 0xd800 && whole.charCodeAt(length - 1) <= 0xdbff ? length - 1 : length;
    return whole.slice(0, end) + "…";
  }

  const counted = (count, noun) => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
  const whole = (number) => number.toLocaleString("en");
  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  const commit = (text) => cut(text, 10).replace("…", "");
  const moment = (text) => String(text).replace("T", " ").replace(/(:\d\d)(\.\d+)?Z$/, "$1 UTC");

  function age(then, now) {
    const hours = (Date.parse(now) - Date.parse(then)) / 3_600_000;
    if (!Number.isFinite(hours)) return "";
    return hours < 24 ? "less than a day old" : `${counted(Math.floor(hours / 24), "day")} old`;
  }

  // ---------------------------------------------------------------- elements

  // Attributes are set one by one; there is none among them that runs or loads anything but `href`, see `link`.
  function h(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : visible(value));
    }
    return add(node, children);
  }

  function add(node, children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      if (child instanceof Node) node.append(child);
      else put(node, child);
    }
    return node;
  }

  function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, visible(value));
    return add(node, children);
  }

  const quietly = (...content) => h("span", { class: "muted" }, ...content);
  const aside = (text) => h("span", { class: "away" }, text);

  // Only within the page, or to the web.
  function link(to, ...children) {
    const outside = /^https?:\/\//i.test(to);
    if (!outside && !to.startsWith("#/")) return h("span", null, ...children);
    const node = h("a", outside ? { rel: "noopener noreferrer" } : null, ...children);
    node.setAttribute("href", to);
    return node;
  }

  function copyButton(text, what, label = "Copy") {
    const button = h("button", { type: "button", class: "quiet small", "aria-label": `Copy ${what}` }, label);
    button.addEventListener("click", async () => {
      let done = false;
      try {
        await navigator.clipboard.writeText(text);
        done = true;
      } catch {
        const area = h("textarea", { class: "away", "aria-label": what });
        area.value = text;
        document.body.append(area);
        area.select();
        try {
          done = document.execCommand("copy");
        } catch {
          done = false;
        }
        area.remove();
        button.focus();
      }
      button.textContent = done ? "Copied" : "Not allowed";
      say(done ? `Copied ${what}` : "Copying is not allowed here");
      setTimeout(() => { button.textContent = label; }, 1600);
    });
    return button;
  }

  const live = h("div", { class: "away", role: "status", "aria-live": "polite" });
  function say(text) {
    live.textContent = visible(text);
  }

  // A table that scrolls in its own box. A column: label, value (to sort by), cell (to show), number.
  function table(caption, columns, rows, options = {}) {
    const body = h("tbody");
    const heads = columns.map((column) => {
      const head = h("th", { scope: "col", class: column.number ? "number" : null });
      if (column.value && rows.length > 1) {
        const button = h("button", { type: "button", class: "sort" }, column.label);
        button.addEventListener("click", () => {
          const down = head.getAttribute("aria-sort") === (column.number ? "descending" : "ascending");
          const direction = down === Boolean(column.number) ? "ascending" : "descending";
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", direction);
          draw([...rows].sort(compareBy(column.value, direction === "descending")));
        });
        head.append(button);
      } else {
        add(head, [column.label]);
      }
      return head;
    });
    function draw(ordered) {
      const limit = options.limit || 200;
      body.replaceChildren(...ordered.slice(0, limit).map(row));
      if (ordered.length > limit) {
        const more = h("button", { type: "button", class: "quiet" }, `Show all ${whole(ordered.length)} rows`);
        more.addEventListener("click", () => body.replaceChildren(...ordered.map(row)));
        body.append(h("tr", null, h("td", { colspan: columns.length }, more)));
      }
    }
    function row(item) {
      return h("tr", { class: options.rowClass ? options.rowClass(item) : null }, columns.map((column, at) => {
        const attributes = { class: [column.number && "number", column.class].filter(Boolean).join(" ") || null };
        return at === (options.head ?? 0) && options.head !== -1
          ? h("th", { scope: "row", ...attributes }, column.cell(item))
          : h("td", attributes, column.cell(item));
      }));
    }
    draw(rows);
    return scrolling(caption, h("table", null, h("caption", { class: options.showCaption ? null : "away" }, caption),
      h("thead", null, h("tr", null, heads)), body));
  }

  function scrolling(label, node) {
    return h("section", { class: "scrolls", "aria-label": label, tabindex: "0" }, node);
  }

  function compareBy(value, descending) {
    return (a, b) => {
      const [x, y] = [value(a), value(b)];
      const [noX, noY] = [x === null || x === undefined, y === null || y === undefined];
      if (noX || noY) return noX - noY;
      const order = typeof x === "number" && typeof y === "number" ? x - y : collator.compare(String(x), String(y));
      return descending ? -order : order;
    };
  }
  const collator = new Intl.Collator("en", { numeric: true });

  // Text in a block; what is long is cut until somebody wants all of it.
  function block(text, options = {}) {
    const all = String(text ?? "");
    if (all === "") return h("p", { class: "muted empty" }, options.empty || "(empty)");
    const pre = h(options.tag || "pre", { class: options.class || null });
    const fill = options.fill || put;
    let end = Math.min(all.length, SHOWN_CHARACTERS);
    let at = -1;
    for (let line = 0; line < SHOWN_LINES; line += 1) {
      at = all.indexOf("\n", at + 1);
      if (at === -1 || at >= end) break;
      if (line === SHOWN_LINES - 1) end = at;
    }
    if (end >= all.length - 200) {
      fill(pre, all);
      return pre;
    }
    fill(pre, cut(all, end));
    const button = h("button", { type: "button", class: "quiet small" }, `Show all ${whole(all.length)} characters`);
    button.addEventListener("click", () => {
      pre.replaceChildren();
      fill(pre, all);
      pre.setAttribute("tabindex", "-1");
      pre.focus({ preventScroll: true });
      button.remove();
    });
    return h("div", { class: "long" }, pre, button);
  }

  const titled = (level, title, ...content) => h("section", { class: "part" }, h(`h${level}`, null, title), ...content);
  const folded = (summary, ...content) => h("details", null, h("summary", null, summary), ...content);

  // What is costly is made when it is first opened.
  function foldedLater(summary, make, open = false) {
    const node = h("details", null, h("summary", null, summary));
    let made = false;
    const fill = () => {
      if (made) return;
      made = true;
      add(node, [make()]);
    };
    node.addEventListener("toggle", () => node.open && fill());
    if (open) {
      node.open = true;
      fill();
    }
    return node;
  }

  // ---------------------------------------------------------------- words and signs

  const STATUS = { passed: "✓", failed: "✗", error: "!", unmeasured: "○", skipped: "↷", removed: "∅" };
  const STATUS_ORDER = ["failed", "error", "unmeasured", "removed", "skipped", "passed"];
  const CHANGE = {
    regressed: ["▼", "worse"],
    lost: ["◌", "lost"],
    changed: ["≠", "changed"],
    removed: ["∅", "removed"],
    improved: ["▲", "better"],
    added: ["+", "new"],
    unchanged: ["=", "same"],
  };
  const CHANGE_ORDER = Object.keys(CHANGE);
  const VERDICT = {
    passed: "good", failed: "bad", broken: "bad", "nothing-measured": "bad", "no-common-case": "bad",
    "no-baseline": "warn", "not-judged": "warn", interrupted: "bad",
  };
  const OUTCOME = { improved: ["good", "✓"], regressed: ["bad", "✗"], slipped: ["warn", "·"], inconclusive: ["warn", "?"] };

  function badge(kind, sign, word) {
    return h("span", { class: `badge ${kind}` }, h("span", { "aria-hidden": "true", class: "sign" }, sign), word);
  }
  const statusBadge = (status) => badge(`is-${String(status).replace(/[^a-z]/g, "")}`, STATUS[status] || "·", status);
  function changeBadge(change) {
    if (!change) return quietly(NONE);
    if (change === "unchanged") return quietly("same");
    const [sign, word] = CHANGE[change] || ["·", change];
    return badge(`to-${change}`, sign, word);
  }

  // ---------------------------------------------------------------- what there is

  const comparison = results.comparison || null;
  const compared = new Map((comparison?.suites || []).map((suite) => [suite.id, suite]));
  const suites = results.suites || [];
  const suiteOf = new Map(suites.map((suite) => [suite.id, suite]));
  const displayOf = new Map(suites.map((suite, index) => [suite.id, display.suites[index]]));
  const cases = [];
  const byKey = new Map();
  const keyOf = (suite, id) => JSON.stringify([suite, id]);

  function enlist(suite, one, change, status, texts = null) {
    const key = keyOf(suite, one.id);
    if (byKey.has(key)) return;
    const quarantine = suiteOf.get(suite)?.policy?.quarantine?.[one.id] || null;
    const entry = {
      suite, id: one.id, one, change, status, quarantine, texts, order: cases.length,
      scores: display.scores[suite]?.[one.id] || null,
      moved: change ? change.change : compared.get(suite)?.state === "compared" ? "unchanged" : null,
      score: one.score ?? null, duration: one.duration_ms ?? null, slices: one.slices || [],
      flaky: Boolean(one.flaky), quarantined: Boolean(quarantine || change?.quarantined), text: null,
    };
    byKey.set(key, entry);
    cases.push(entry);
  }

  for (const suite of suites) {
    const changes = new Map((compared.get(suite.id)?.cases || []).map((change) => [change.id, change]));
    const texts = displayOf.get(suite.id).cases;
    suite.cases.forEach((one, index) => enlist(suite.id, one, changes.get(one.id) || null, one.status, texts[index]));
  }
  // What only the baseline has is listed too: nothing goes in silence.
  for (const suite of comparison?.suites || []) {
    for (const change of suite.cases) {
      if (change.change === "removed") enlist(suite.id, { id: change.id }, change, "removed");
    }
  }

  const verdictOf = (suite) => displayOf.get(suite.id).verdict;
  const suiteBadge = (suite) => badge(`is-${verdictOf(suite).colour}`, STATUS[verdictOf(suite).colour] || "·", verdictOf(suite).text);

  const pageOf = (entry) => entry.texts?.page || { sections: [] };

  // A text, or a JSON pointer to where it stands in the case.
  function textOf(entry, text) {
    if (text === null || text === undefined || typeof text === "string") return text ?? "";
    let value = entry.one;
    for (const part of text.at.split("/").slice(1)) value = value?.[part.replace(/~1/g, "/").replace(/~0/g, "~")];
    return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, null, 2);
  }

  const summary = (entry) => textOf(entry, pageOf(entry).headline);

  // Everything that a case says, for the search; made when it is first searched.
  function words(entry) {
    if (entry.text === null) {
      const found = [entry.suite, entry.id];
      const collect = (value) => {
        if (typeof value === "string") found.push(value);
        else if (value && typeof value === "object") Object.values(value).forEach(collect);
      };
      const { detail, checks, output, location, slices } = entry.one;
      [detail, checks, output, location?.file, slices].forEach(collect);
      entry.text = found.join("\n").toLowerCase();
    }
    return entry.text;
  }

  const metricNames = (suite) => displayOf.get(suite.id).order;
  const metricTexts = (suite, name) => displayOf.get(suite.id).metrics[name];

  function before(change) {
    const delta = change?.delta;
    if (!delta) return null;
    if (delta.is === "same") return delta.value;
    if (delta.is === "from-zero") return 0;
    return delta.before ?? null;
  }

  function by(change) {
    const delta = change?.delta;
    if (!delta) return null;
    if (delta.is === "same") return 0;
    const was = before(change);
    return isNumber(was) && isNumber(delta.now) ? delta.now - was : null;
  }

  function deltaCell(texts) {
    const change = texts?.change;
    if (!change || change.by === "") return quietly(NONE);
    if (change.by === "=") return quietly("=");
    const [tone, sign] = OUTCOME[change.outcome] || ["muted", ""];
    return h("span", { class: tone, title: `${change.outcome}; ${texts.hint}` }, change.by,
      sign && h("span", { "aria-hidden": "true" }, ` ${sign}`), aside(` ${change.outcome}`));
  }

  const hasMoved = (texts) => Boolean(texts?.change) && texts.change.by !== "" && texts.change.by !== "=";

  // ---------------------------------------------------------------- differences

  // The common subsequence of two short lists; `null` where they are too long for it.
  function align(a, b) {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let end = 0;
    while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
    const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
    const keepA = a.map((_, at) => at < start || at >= a.length - end);
    const keepB = b.map((_, at) => at < start || at >= b.length - end);
    if (x.length * y.length > 250_000) return { keepA, keepB };
    const width = y.length + 1;
    const best = new Uint16Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i -= 1) {
      for (let j = y.length - 1; j >= 0; j -= 1) {
        best[i * width + j] = x[i] === y[j]
          ? best[(i + 1) * width + j + 1] + 1
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      }
    }
    for (let i = 0, j = 0; i < x.length && j < y.length;) {
      if (x[i] === y[j]) {
        keepA[start + i] = true;
        keepB[start + j] = true;
        i += 1;
        j += 1;
      } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i += 1;
      else j += 1;
    }
    return { keepA, keepB };
  }

  const inWords = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) || [];
  const inShellWords = (text) => text.match(/\s+|\S+/g) || [];

  // Both texts with what only one of them has in an element of its own.
  function marked(was, now, split = inWords, always = false) {
    if (was.length + now.length > 20_000) return null;
    const [a, b] = [split(was), split(now)];
    const { keepA, keepB } = align(a, b);
    const solid = (list, keep) => list.reduce((sum, word, at) => sum + (keep[at] && word.trim() ? word.length : 0), 0);
    const common = solid(a, keepA);
    if (!always && common < 0.25 * Math.max(was.trim().length, now.trim().length)) return null;
    const nodes = (list, keep, tag) => {
      const out = [];
      let run = "";
      let kept = true;
      const flush = () => {
        if (run) out.push(kept ? run : h(tag, null, run));
        run = "";
      };
      list.forEach((word, at) => {
        // A space between two words that differ belongs to the difference.
        const keeps = keep[at] && !(word.trim() === "" && keep[at - 1] === false && keep[at + 1] === false);
        if (keeps !== kept) {
          flush();
          kept = keeps;
        }
        run += word;
      });
      flush();
      return out;
    };
    return [nodes(a, keepA, "del"), nodes(b, keepB, "ins")];
  }

  function diffLine(kind, content) {
    const [sign, word] = { del: ["−", "removed: "], ins: ["+", "added: "], hunk: ["", ""], same: [" ", ""] }[kind];
    return h("div", { class: `line ${kind}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign),
      h("span", { class: "code" }, word && aside(word), content));
  }

  // A unified diff with the differing words of a changed line marked.
  function diffView(text) {
    const fill = (node, shown) => {
      const lines = shown.replace(/\r\n/g, "\n").replace(/\n$/, "").split("\n");
      for (let at = 0; at < lines.length;) {
        const line = lines[at];
        if (/^(---|\+\+\+) /.test(line) && (at + 1 === lines.length || /^(\+\+\+ |@@|--- )/.test(lines[at + 1]))) {
          node.append(diffLine("hunk", line));
          at += 1;
        } else if (line.startsWith("-") || line.startsWith("+")) {
          const [gone, come] = [[], []];
          while (at < lines.length && lines[at].startsWith("-") && !/^--- /.test(lines[at])) gone.push(lines[at++].slice(1));
          while (at < lines.length && lines[at].startsWith("+") && !/^\+\+\+ /.test(lines[at])) come.push(lines[at++].slice(1));
          if (gone.length + come.length === 0) {
            node.append(diffLine(line.startsWith("-") ? "del" : "ins", line.slice(1)));
            at += 1;
            continue;
          }
          const pairs = gone.map((one, index) => (index < come.length ? marked(one, come[index]) : null));
          gone.forEach((one, index) => node.append(diffLine("del", pairs[index] ? pairs[index][0] : one)));
          come.forEach((one, index) => node.append(diffLine("ins", pairs[index] ? pairs[index][1] : one)));
        } else {
          node.append(line.startsWith("@@") ? diffLine("hunk", line) : diffLine("same", line.replace(/^ /, "")));
          at += 1;
        }
      }
      return node;
    };
    return block(text, { fill, tag: "div", class: "diff" });
  }

  // ---------------------------------------------------------------- pictures

  // A line through all values, with a gap where there is none, the floor dashed and the target dotted.
  function chart(name, metric, texts, size) {
    const { width, height, large } = size;
    const values = texts.trend.map((point) => point.value);
    const known = values.filter(isNumber);
    const textOf = (value) => texts.trend[values.indexOf(value)].text;
    if (known.length < 2) return null;
    const guides = [metric.min, metric.target].filter(isNumber);
    const spread = [...known, ...(large ? guides : guides.filter((guide) => isNear(guide, known)))];
    let [low, high] = [Math.min(...spread), Math.max(...spread)];
    const room = (high - low) * 0.12 || Math.abs(high) * 0.05 || 0.05;
    [low, high] = [low - room, high + room];
    const left = large ? 52 : 3;
    const right = large ? 10 : 4;
    const [above, below] = large ? [8, 20] : [3, 3];
    const x = (at) => left + (at * (width - left - right)) / Math.max(values.length - 1, 1);
    const y = (value) => above + ((high - value) * (height - above - below)) / (high - low);
    const round = (number) => number.toFixed(1);
    const first = known[0];
    const last = values[values.length - 1];
    const sentence = `${name}: ${counted(known.length, "value")}, first ${textOf(first)}, least ${textOf(Math.min(...known))}, `
      + `greatest ${textOf(Math.max(...known))}, ${isNumber(last) ? `now ${textOf(last)}` : "not measured now"}`
      + (texts.floor ? `, floor ${texts.floor}` : "");
    const picture = svg("svg", {
      class: large ? "chart large" : "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": sentence,
    });
    if (large) {
      for (const value of new Set([Math.min(...known), Math.max(...known)])) {
        picture.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: round(y(value)), y2: round(y(value)) }),
          svg("text", { x: left - 6, y: round(y(value) + 4), "text-anchor": "end" }, textOf(value)));
      }
      picture.append(svg("text", { x: left, y: height - 5 }, "oldest"),
        svg("text", { x: width - right, y: height - 5, "text-anchor": "end" }, "now"));
    }
    for (const [guide, kind] of [[metric.min, "floor"], [metric.target, "target"]]) {
      if (isNumber(guide) && guide >= low && guide <= high) {
        picture.append(svg("line", { class: kind, x1: left, x2: width - right, y1: round(y(guide)), y2: round(y(guide)) }));
      }
    }
    let path = "";
    let open = false;
    values.forEach((value, at) => {
      if (isNumber(value)) path += `${open ? "L" : "M"}${round(x(at))} ${round(y(value))}`;
      open = isNumber(value);
    });
    picture.append(svg("path", { class: "trend", d: path }));
    values.forEach((value, at) => {
      const isLast = at === values.length - 1;
      const alone = !isNumber(values[at - 1]) && !isNumber(values[at + 1]);
      if (!isNumber(value) || (!large && !isLast && !alone)) return;
      const was = values.slice(0, at).filter(isNumber).pop();
      const gain = (value - (was ?? value)) * (metric.better === "lower" ? -1 : 1);
      const tone = !isLast || texts.nature !== "quality" || Math.abs(gain) < 1e-9 ? "" : gain > 0 ? " good" : " bad";
      const steps = values.length - 1 - at;
      picture.append(svg("circle", { class: `dot${tone}`, cx: round(x(at)), cy: round(y(value)), r: isLast ? 3 : 2 },
        svg("title", null, `${isLast ? "now" : steps === 1 ? "baseline" : `${steps} back`}: ${textOf(value)}`)));
    });
    return picture;
  }

  function isNear(guide, known) {
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const reach = Math.max(high - low, Math.abs(high) * 0.15);
    return guide >= low - reach && guide <= high + reach;
  }

  function bar({ value, weight, was, label }) {
    const width = 240;
    const end = (points) => Math.max(0, Math.min(1, weight > 0 ? points / weight : 0)) * width;
    const share = isNumber(value) && weight > 0 ? value / weight : null;
    const tone = share === null ? "none" : share >= 0.999 ? "good" : share >= 0.5 ? "warn" : "bad";
    return svg("svg", { class: "bar", viewBox: `0 0 ${width} 12`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      svg("rect", { class: "rail", x: 0, y: 1, width, height: 10 }),
      isNumber(value) && svg("rect", { class: tone, x: 0, y: 1, width: end(value).toFixed(1), height: 10 }),
      isNumber(was) && svg("rect", { class: "was", x: Math.min(width - 2, Math.max(0, end(was) - 1)).toFixed(1), y: 0, width: 2, height: 12 }));
  }

  // ---------------------------------------------------------------- where one is

  const FILTERS = ["suite", "status", "change", "slice", "mark", "q", "sort"];
  let filter = {};
  let shown = [];
  let view = null;
  let cursor = null;
  let listScroll = 0;

  const caseAddress = (suite, id) => `#/case/${encodeURIComponent(suite)}/${encodeURIComponent(id)}`;

  function listAddress(wanted) {
    const parts = FILTERS.filter((name) => wanted[name]).map((name) => `${name}=${encodeURIComponent(wanted[name])}`);
    return parts.length ? `#/cases?${parts.join("&")}` : "#/cases";
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  function where() {
    const hash = location.hash;
    if (hash.startsWith("#/case/")) {
      const [suite, id] = hash.slice(7).split("/");
      return { name: "case", suite: decoded(suite || ""), id: decoded(id || "") };
    }
    if (hash.startsWith("#/cases")) {
      const wanted = {};
      const query = hash.indexOf("?");
      for (const part of query === -1 ? [] : hash.slice(query + 1).split("&")) {
        const at = part.indexOf("=");
        const name = part.slice(0, at);
        if (at > 0 && FILTERS.includes(name)) wanted[name] = decoded(part.slice(at + 1).replace(/\+/g, "%20"));
      }
      return { name: "cases", wanted };
    }
    return { name: "overview", at: decoded(hash.replace(/^#\/suite\//, "")) };
  }

  function go(address, replace) {
    if (location.hash === address) return;
    try {
      if (replace) window.history.replaceState(null, "", address);
      else window.history.pushState(null, "", address);
      route();
    } catch {
      location.hash = address;
    }
  }

  // ---------------------------------------------------------------- overview

  function overview() {
    const { run, gate } = results;
    const tone = VERDICT[gate.verdict] || "warn";
    const { word, rest } = display.verdict;
    const sign = { good: "✓", bad: "✗", warn: "!" }[tone];
    const facts = [
      ["Commit", run.commit ? [h("code", null, commit(run.commit)), run.branch && [" on ", h("span", null, cut(run.branch, 80))], run.dirty && quietly(" with local changes")] : null],
      ["Baseline", comparison
        ? [comparison.baseline.commit && [h("code", null, commit(comparison.baseline.commit)), ", "], age(comparison.baseline.time, run.started_at), quietly(` (${cut(comparison.baseline.source, 120)})`)]
        : quietly("none: nothing to compare with")],
      ["Started", `${moment(run.started_at)}, took ${display.duration}`],
      ["Answers", `${run.mode}${run.shard ? `, shard ${run.shard.index} of ${run.shard.total}` : ""}${run.partial ? ", partial run" : ""}${run.attempt > 1 ? `, attempt ${run.attempt}` : ""}`],
      ["CI run", run.url && /^https?:\/\//i.test(run.url) ? link(run.url, cut(run.url, 90)) : null],
    ];
    return [
      h("h1", { tabindex: "-1", class: "away" }, `evalratchet report: ${word}`),
      h("section", { class: `verdict ${tone}`, "aria-label": "Verdict" },
        h("p", { class: "word" }, h("span", { "aria-hidden": "true" }, `${sign} `), word),
        h("p", { class: "rest" }, cut(rest, 1200))),
      tiles(),
      h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
      causes(),
      reasons(gate.reasons || []),
      titled(2, "Suites", suites.length ? suiteSummary() : h("p", { class: "muted" }, "No suite was run.")),
      suites.map(suiteCard),
      goneSuites(),
    ];
  }

  // How many cases came out how, and changed how; each number leads to them.
  function tiles() {
    const tally = (list, of) => list.map((name) => [name, cases.filter((entry) => of(entry) === name).length]).filter(([, count]) => count);
    const tile = ([name, count], wanted, node) => h("li", null, link(listAddress(wanted), h("strong", null, whole(count)), " ", node));
    const states = tally(STATUS_ORDER.filter((name) => name !== "removed"), (entry) => entry.status);
    const changes = comparison ? tally(CHANGE_ORDER.filter((name) => name !== "unchanged"), (entry) => entry.moved) : [];
    const marks = [["flaky", cases.filter((entry) => entry.flaky).length], ["quarantined", cases.filter((entry) => entry.quarantined).length]].filter(([, count]) => count);
    const list = (label, items) => items.length > 0 && h("div", null, h("p", { class: "away" }, label), h("ul", { class: "tiles" }, items));
    return h("div", { class: "tally" },
      list("Cases by status", states.map((one) => tile(one, { status: one[0] }, statusBadge(one[0])))),
      comparison && (changes.length
        ? list("Cases by change since the baseline", changes.map((one) => tile(one, { change: one[0] }, changeBadge(one[0]))))
        : display.changes && h("p", { class: "muted" }, display.changes)),
      list("Marked cases", marks.map((one) => tile(one, { mark: one[0] }, badge("is-mark", one[0] === "flaky" ? "~" : "‖", one[0])))));
  }

  // Why the gate fails, each cause once, in the words of every report; then every reason by itself.
  function causes() {
    const all = display.causes.flatMap((suite) => suite.causes.map((cause) => ({ ...cause, suite: suite.suite })));
    if (!all.length) return null;
    const item = (cause) => {
      const target = cause.case && cause.suite && byKey.has(keyOf(cause.suite, cause.case))
        ? link(caseAddress(cause.suite, cause.case), "case", aside(` ${cut(cause.case, 80)}`))
        : cause.suite && suiteOf.has(cause.suite)
          ? link(listAddress({ suite: cause.suite }), "cases", aside(` of ${cut(cause.suite, 80)}`))
          : null;
      const cases = [...cause.cases.map((line) => h("li", null, cut(line, 300))), cause.more > 0 && cause.cases.length > 0 && h("li", null, `and ${whole(cause.more)} more`)];
      return h("li", { class: cause.fails ? "bad" : "blessed" },
        h("span", { class: "rule" }, h("span", { class: "sort-of" }, cause.fails ? "✗ fails" : "✓ blessed"), " ", String(cause.rule).replace(/-/g, " ")),
        h("span", { class: "message" }, cut(cause.sentence, 600), cause.blessed.length > 0 && [" ", h("em", null, `blessed: ${cut(cause.blessed.join("; "), 300)}`)], target && [" ", target], cause.cases.length > 0 && h("ul", null, cases)));
    };
    const commands = display.causes.filter((suite) => suite.bless).map((suite) => h("p", { class: "muted" }, `To allow what fails in ${cut(suite.suite, 80)}: `, h("code", null, suite.bless)));
    const open = 10;
    const list = h("ol", { class: "reasons" }, all.slice(0, open).map(item));
    const section = titled(2, `Why (${whole(all.length)})`, list);
    if (all.length > open) {
      const more = h("button", { type: "button", class: "quiet" }, `Show all ${whole(all.length)} causes`);
      more.addEventListener("click", () => {
        list.replaceChildren(...all.map(item));
        more.remove();
      });
      section.append(more);
    }
    section.append(...commands);
    return section;
  }

  function reasons(all) {
    if (!all.length) return null;
    const rank = (reason) => (reason.fails ? 0 : reason.blessed ? 1 : 2);
    const ordered = [...all].sort((a, b) => rank(a) - rank(b));
    const item = (reason) => {
      const tone = reason.fails ? "bad" : reason.blessed ? "blessed" : "info";
      const target = reason.case && reason.suite && byKey.has(keyOf(reason.suite, reason.case))
        ? link(caseAddress(reason.suite, reason.case), "case", aside(` ${cut(reason.case, 80)}`))
        : reason.suite && suiteOf.has(reason.suite)
          ? link(listAddress({ suite: reason.suite, slice: reason.slice || "" }), "cases", aside(` of ${cut(reason.suite, 80)}`))
          : null;
      return h("li", { class: tone },
        h("span", { class: "rule" }, h("span", { class: "sort-of" }, reason.fails ? "✗ fails" : reason.blessed ? "✓ blessed" : "i"), " ", String(reason.rule).replace(/-/g, " ")),
        h("span", { class: "message" }, cut(reason.message, 600), reason.blessed && [" ", h("em", null, `blessed: ${cut(reason.blessed, 300)}`)], target && [" ", target]));
    };
    const list = h("ol", { class: "reasons" }, ordered.slice(0, 20).map(item));
    const section = h("details", { class: "all-reasons" }, h("summary", null, `Every reason by itself (${whole(all.length)})`), list);
    if (ordered.length > 20) {
      const more = h("button", { type: "button", class: "quiet" }, `Show all ${whole(ordered.length)} reasons`);
      more.addEventListener("click", () => {
        list.replaceChildren(...ordered.map(item));
        more.remove();
      });
      section.append(more);
    }
    return section;
  }

  const count = (suite, status) => suite.cases.reduce((sum, one) => sum + (one.status === status ? 1 : 0), 0);

  function suiteSummary() {
    const main_ = (suite) => metricNames(suite)[0];
    const value = (suite) => suite.metrics[main_(suite)]?.value ?? null;
    const moved = (suite, change) => compared.get(suite.id)?.counts?.[change] ?? null;
    const number = (label, get, address) => ({
      label, number: true, value: get,
      cell: (suite) => (get(suite) ? (address ? link(address(suite), whole(get(suite))) : whole(get(suite))) : quietly(get(suite) === null ? NONE : "0")),
    });
    const columns = [
      { label: "Suite", value: (suite) => suite.id, cell: (suite) => link(`#/suite/${encodeURIComponent(suite.id)}`, cut(suite.id, 80)) },
      { label: "Kind", value: (suite) => suite.kind, cell: (suite) => suite.kind },
      { label: "Status", value: (suite) => STATUS_ORDER.indexOf(verdictOf(suite).colour), cell: suiteBadge },
      number("Cases", (suite) => suite.cases.length, (suite) => listAddress({ suite: suite.id })),
      number("Passed", (suite) => count(suite, "passed"), (suite) => listAddress({ suite: suite.id, status: "passed" })),
      number("Failed", (suite) => count(suite, "failed"), (suite) => listAddress({ suite: suite.id, status: "failed" })),
      number("Errors", (suite) => count(suite, "error"), (suite) => listAddress({ suite: suite.id, status: "error" })),
      ...(comparison ? [
        number("Worse", (suite) => moved(suite, "regressed"), (suite) => listAddress({ suite: suite.id, change: "regressed" })),
        number("Better", (suite) => moved(suite, "improved"), (suite) => listAddress({ suite: suite.id, change: "improved" })),
      ] : []),
      { label: "Metric", value: main_, cell: (suite) => main_(suite) || NONE },
      { label: "Value", number: true, value, cell: (suite) => (main_(suite) ? metricTexts(suite, main_(suite)).value : NONE) },
      ...(comparison ? [{
        label: "Δ", number: true, value: (suite) => by(compared.get(suite.id)?.metrics?.[main_(suite)]),
        cell: (suite) => deltaCell(metricTexts(suite, main_(suite))),
      }] : []),
    ];
    return table("All suites", columns, suites);
  }

  function suiteCard(suite) {
    const change = compared.get(suite.id);
    const names = metricNames(suite);
    const notes = [
      suite.model && `model ${cut(suite.model, 60)}`, suite.replayed && "replayed", suite.varies && "answers vary",
      ...displayOf.get(suite.id).compared,
    ].filter(Boolean);
    const section = h("section", { class: "card" });
    section.dataset.suite = suite.id;
    const texts = (name) => metricTexts(suite, name);
    const hasCharts = names.some((name) => texts(name).trend.filter((point) => isNumber(point.value)).length > 1);
    const columns = [
      { label: "Metric", value: (name) => name, cell: (name) => [name, quietly(suite.metrics[name].better === "lower" ? " ↓" : " ↑"), aside(suite.metrics[name].better === "lower" ? "lower is better" : "higher is better")] },
      { label: "Value", number: true, value: (name) => suite.metrics[name].value, cell: (name) => h("strong", { class: texts(name).misses_limit ? "bad" : null }, texts(name).value) },
      ...(change ? [
        { label: "Baseline", number: true, value: (name) => before(change.metrics[name]), cell: (name) => texts(name).change?.before ?? NONE },
        { label: "Δ", number: true, value: (name) => by(change.metrics[name]), cell: (name) => deltaCell(texts(name)) },
      ] : []),
      { label: "95 % interval", number: true, value: (name) => suite.metrics[name].ci95?.[0] ?? null, cell: (name) => texts(name).interval ?? quietly(NONE) },
      { label: "Floor", number: true, value: (name) => suite.metrics[name].min, cell: (name) => texts(name).floor ?? quietly(NONE) },
      { label: "Target", number: true, value: (name) => suite.metrics[name].target, cell: (name) => texts(name).target ?? quietly(NONE) },
      { label: "n", number: true, value: (name) => suite.metrics[name].n, cell: (name) => whole(suite.metrics[name].n) },
      ...(hasCharts ? [{ label: "Trend", class: "spark", cell: (name) => chart(name, suite.metrics[name], texts(name), { width: 132, height: 26 }) || quietly(NONE) }] : []),
    ];
    add(section, [
      h("header", null, h("h3", { tabindex: "-1" }, cut(suite.id, 120)), suiteBadge(suite), quietly(suite.kind),
        link(listAddress({ suite: suite.id }), counted(suite.cases.length, "case"))),
      notes.length > 0 && h("p", { class: "muted notes" }, notes.join(" · ")),
      names.length ? table(`Metrics of ${suite.id}`, columns, names) : h("p", { class: "muted" }, "Nothing was measured."),
      displayOf.get(suite.id).notes.length > 0 && h("p", { class: "muted notes" }, cut(displayOf.get(suite.id).notes.join(" · "), 600)),
      h("div", { class: "folds" },
        hasCharts && foldedLater("Trend charts", () => trendCharts(suite, names)),
        Object.keys(suite.slices || {}).length > 0 && foldedLater(`Slices (${whole(Object.keys(suite.slices).length)})`, () => sliceTable(suite, names))),
    ]);
    return section;
  }

  function trendCharts(suite, names) {
    return h("div", { class: "charts" }, names.map((name) => {
      const texts = metricTexts(suite, name);
      const picture = chart(name, suite.metrics[name], texts, { width: 320, height: 130, large: true });
      return picture && h("figure", null, h("figcaption", null, name,
        texts.floor && quietly(` · floor ${texts.floor} dashed`), texts.target && quietly(` · target ${texts.target} dotted`)), picture);
    }));
  }

  function sliceTable(suite, names) {
    const slices = Object.entries(suite.slices);
    const wanted = names.filter((name) => metricTexts(suite, name).nature === "quality").slice(0, 4);
    const texts = displayOf.get(suite.id).slices;
    const size = ([, metrics]) => Math.max(0, ...Object.values(metrics).map((metric) => metric.n));
    const columns = [
      { label: "Slice", value: ([slice]) => slice, cell: ([slice]) => link(listAddress({ suite: suite.id, slice }), cut(slice, 80)) },
      { label: "n", number: true, value: size, cell: (one) => whole(size(one)) },
      ...wanted.map((name) => ({
        label: name, number: true, value: ([, metrics]) => metrics[name]?.value ?? null,
        cell: ([slice, metrics]) => [h("span", { class: texts[slice][name]?.misses_limit ? "bad" : null }, texts[slice][name]?.value ?? NONE),
          hasMoved(texts[slice][name]) && [" ", h("small", null, deltaCell(texts[slice][name]))]],
      })),
    ];
    return table(`Slices of ${suite.id}`, columns, slices);
  }

  function goneSuites() {
    const gone = (comparison?.suites || []).filter((suite) => !suiteOf.has(suite.id));
    return gone.length ? h("p", null, `Only the baseline knows: ${gone.map((suite) => cut(suite.id, 80)).join(", ")}`) : null;
  }

  // ---------------------------------------------------------------- cases

  const SORTS = {
    status: { label: "Status", value: (entry) => STATUS_ORDER.indexOf(entry.status) },
    id: { label: "Case", value: (entry) => entry.id },
    change: { label: "Change", value: (entry) => (entry.moved ? CHANGE_ORDER.indexOf(entry.moved) : null) },
    score: { label: "Score", number: true, value: (entry) => entry.score },
    suite: { label: "Suite", value: (entry) => entry.suite },
    duration: { label: "Duration", number: true, value: (entry) => entry.duration },
  };

  let list = null;

  function tallied(values) {
    const found = new Map();
    for (const value of values) found.set(value, (found.get(value) || 0) + 1);
    return found;
  }

  function choice(name, label, all, options) {
    const select = h("select", { id: `filter-${name}` }, h("option", { value: "" }, all), options);
    select.addEventListener("change", () => go(listAddress({ ...filter, [name]: select.value })));
    return [select, h("div", { class: "control" }, h("label", { for: `filter-${name}` }, label), select)];
  }

  // An option keeps the text as it is as its value, and shows what is hidden in it.
  function option(value, count_, label = value) {
    const node = h("option", null, `${cut(label, 60)} (${whole(count_)})`);
    node.value = value;
    return node;
  }

  function makeList() {
    const states = tallied(cases.map((entry) => entry.status));
    const changes = tallied(cases.map((entry) => entry.moved).filter(Boolean));
    const perSuite = tallied(cases.map((entry) => entry.suite));
    const slices = tallied(cases.flatMap((entry) => entry.slices));
    const groups = new Map();
    for (const slice of [...slices.keys()].sort(collator.compare)) {
      const dimension = slice.split("=")[0];
      if (!groups.has(dimension)) groups.set(dimension, []);
      groups.get(dimension).push(option(slice, slices.get(slice), slice.slice(dimension.length + 1) || slice));
    }
    const marks = [["flaky", "flaky"], ["quarantined", "quarantined"]].map(([name]) => [name, cases.filter((entry) => entry[name]).length]).filter(([, count_]) => count_);
    const controls = {};
    const nodes = [];
    const one = (name, label, all, options) => {
      const [select, node] = choice(name, label, all, options);
      controls[name] = select;
      nodes.push(node);
    };
    one("suite", "Suite", "all suites", [...perSuite].map(([name, count_]) => option(name, count_)));
    one("status", "Status", "every status", STATUS_ORDER.filter((name) => states.has(name)).map((name) => option(name, states.get(name))));
    if (changes.size) one("change", "Change", "every change", CHANGE_ORDER.filter((name) => changes.has(name)).map((name) => option(name, changes.get(name), CHANGE[name][1])));
    if (groups.size) one("slice", "Slice", "every slice", [...groups].map(([dimension, options]) => h("optgroup", { label: cut(dimension, 60) }, options)));
    if (marks.length) one("mark", "Mark", "all", marks.map(([name, count_]) => option(name, count_)));

    const search = h("input", { id: "filter-q", type: "search", autocomplete: "off", spellcheck: "false", placeholder: "id, question, answer …" });
    let wait = 0;
    search.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(() => go(listAddress({ ...filter, q: search.value }), true), 120);
    });
    controls.q = search;
    const clear = h("button", { type: "button", class: "quiet" }, "Clear");
    clear.addEventListener("click", () => {
      go(listAddress({ sort: filter.sort }));
      search.focus();
    });

    const heads = {};
    const headRow = h("tr", null, Object.entries(SORTS).map(([name, column]) => {
      const button = h("button", { type: "button", class: "sort" }, column.label);
      button.addEventListener("click", () => {
        const first = column.number ? `-${name}` : name;
        const second = column.number ? name : `-${name}`;
        go(listAddress({ ...filter, sort: filter.sort === first ? second : filter.sort === second ? "" : first }));
      });
      heads[name] = h("th", { scope: "col", class: column.number ? "number" : null }, button);
      return heads[name];
    }));
    const body = h("tbody");
    const counter = h("p", { class: "count", role: "status" });
    const more = h("button", { type: "button", class: "quiet more", hidden: true }, "More");
    more.addEventListener("click", () => {
      const at = body.rows.length;
      moreRows();
      body.rows[at]?.querySelector("a")?.focus();
    });
    if ("IntersectionObserver" in window) {
      new IntersectionObserver((seen) => seen.some((one_) => one_.isIntersecting) && !more.hidden && moreRows(), { rootMargin: "600px" }).observe(more);
    }
    const section = h("section", { class: "cases" },
      h("h1", { tabindex: "-1" }, "Cases"),
      h("search", { class: "filters", "aria-label": "Filter cases" },
        h("div", { class: "control wide" }, h("label", { for: "filter-q" }, "Text ", h("kbd", { "aria-hidden": "true" }, "/")), search), nodes,
        h("div", { class: "control" }, clear)),
      counter,
      scrolling("Cases", h("table", { class: "list" }, h("caption", { class: "away" }, "Cases; a heading sorts by its column"), h("thead", null, headRow), body)),
      more);
    list = { section, controls, heads, body, counter, more };
  }

  function row(entry) {
    const said = summary(entry);
    const anchor = link(caseAddress(entry.suite, entry.id), cut(entry.id, 120));
    const was = entry.scores?.was && entry.texts?.score && entry.scores.was !== entry.texts.score ? quietly(` was ${entry.scores.was}`) : null;
    return h("tr", null,
      h("td", null, statusBadge(entry.status)),
      h("th", { scope: "row", class: "name" }, anchor,
        entry.flaky && [" ", badge("is-mark", "~", "flaky")], entry.quarantined && [" ", badge("is-mark", "‖", "quarantined")],
        said && h("span", { class: "said" }, cut(said.replace(/\s+/g, " "), 110))),
      h("td", null, changeBadge(entry.moved)),
      h("td", { class: "number" }, entry.texts?.score ?? NONE, was),
      h("td", null, cut(entry.suite, 60)),
      h("td", { class: "number" }, entry.texts?.duration ?? NONE));
  }

  function moreRows() {
    const at = list.body.rows.length;
    const next = shown.slice(at, at + ROWS_AT_ONCE);
    list.body.append(...next.map(row));
    const left = shown.length - at - next.length;
    list.more.hidden = left === 0;
    list.more.textContent = `Show ${whole(Math.min(left, ROWS_AT_ONCE))} more of ${whole(left)}`;
  }

  function chosen() {
    const text = (filter.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = cases.filter((entry) =>
      (!filter.suite || entry.suite === filter.suite)
      && (!filter.status || entry.status === filter.status)
      && (!filter.change || entry.moved === filter.change)
      && (!filter.slice || entry.slices.includes(filter.slice))
      && (filter.mark !== "flaky" || entry.flaky)
      && (filter.mark !== "quarantined" || entry.quarantined)
      && text.every((word) => words(entry).includes(word)));
    const descending = (filter.sort || "").startsWith("-");
    const sort = SORTS[(filter.sort || "").replace(/^-/, "")];
    if (sort) return found.sort(compareBy(sort.value, descending));
    // What needs somebody comes first.
    const grave = (entry) => (entry.moved && entry.moved !== "unchanged" && entry.moved !== "added" && entry.moved !== "improved" ? CHANGE_ORDER.indexOf(entry.moved) : 10 + STATUS_ORDER.indexOf(entry.status));
    return found.sort((a, b) => grave(a) - grave(b) || a.order - b.order);
  }

  function drawList(wanted) {
    const fresh = !list;
    if (fresh) makeList();
    const same = !fresh && FILTERS.every((name) => (filter[name] || "") === (wanted[name] || ""));
    filter = wanted;
    if (same) return;
    for (const [name, control] of Object.entries(list.controls)) {
      if (control.value !== (filter[name] || "") && !(name === "q" && document.activeElement === control)) control.value = filter[name] || "";
    }
    for (const [name, head] of Object.entries(list.heads)) {
      if ((filter.sort || "").replace(/^-/, "") === name) head.setAttribute("aria-sort", filter.sort.startsWith("-") ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    shown = chosen();
    cursor = null;
    list.body.replaceChildren();
    list.counter.textContent = `${whole(shown.length)} of ${counted(cases.length, "case")}`;
    list.more.hidden = true;
    if (shown.length) moreRows();
    else list.body.append(h("tr", null, h("td", { colspan: "6", class: "muted" }, cases.length ? "No case matches." : "There are no cases.")));
  }

  // ---------------------------------------------------------------- one case

  function casePage(suiteId, id) {
    const entry = byKey.get(keyOf(suiteId, id));
    if (!entry) {
      return [h("h1", { tabindex: "-1" }, "No such case"),
        h("p", null, "This report has no case ", h("code", null, cut(id, 200)), " in a suite ", h("code", null, cut(suiteId, 200)), "."),
        h("p", null, link("#/cases", "All cases"))];
    }
    const { one, change } = entry;
    const suite = suiteOf.get(suiteId);
    const page = pageOf(entry);
    const said = textOf(entry, page.lead);
    const at = shown.indexOf(entry);
    const failing = (one.checks || []).filter((check) => check.status !== "passed");
    const step = (by_, label) => {
      const other = at === -1 ? null : shown[at + by_];
      return other ? link(caseAddress(other.suite, other.id), label) : h("span", { class: "muted" }, label);
    };
    const facts = [
      ["Suite", suite ? link(listAddress({ suite: suiteId }), cut(suiteId, 80)) : cut(suiteId, 80)],
      ["Score", entry.texts?.score ? [h("strong", null, entry.texts.score), page.score_note && quietly(` ${page.score_note}`)] : null],
      ["Since the baseline", changeFact(entry)],
      ["Duration", entry.texts?.duration],
      ["Defined in", one.location ? h("code", null, `${one.location.file}:${one.location.line}`) : null],
      ["Model", suite?.model ? cut(suite.model, 80) : null],
      ["Measured", entry.texts && Object.entries(entry.texts.metrics).map(([name, text]) => `${name} ${text}`).join(" · ")],
      ["Quarantine", entry.quarantine ? `until ${entry.quarantine.until}, ${entry.quarantine.owner}${entry.quarantine.reason ? `: ${entry.quarantine.reason}` : ""}` : null],
      ["Slices", one.slices?.length ? h("ul", { class: "chips" }, one.slices.map((slice) => h("li", null, link(listAddress({ slice }), cut(slice, 80))))) : null],
    ];
    return [
      h("nav", { class: "crumbs", "aria-label": "Case" }, link(listAddress(filter), "← Cases"),
        h("span", { class: "steps" }, step(-1, "Previous"), at === -1 ? null : quietly(`${whole(at + 1)} of ${whole(shown.length)}`), step(1, "Next")),
        copyButton(location.href.split("#")[0] + caseAddress(suiteId, id), "link to this case", "Copy link")),
      h("header", { class: "case-head" }, h("h1", { tabindex: "-1" }, cut(entry.id, 300)),
        h("p", { class: "badges" }, statusBadge(entry.status), entry.moved && entry.moved !== "unchanged" && changeBadge(entry.moved),
          entry.flaky && badge("is-mark", "~", "flaky"), entry.quarantined && badge("is-mark", "‖", "quarantined"),
          page.mark && badge("is-mark", "i", page.mark)),
        said && h("p", { class: "lead" }, cut(said, 600))),
      failing.length > 0 && h("section", { class: "why", "aria-label": "Why" }, h("ul", null, failing.slice(0, 12).map((check) =>
        h("li", null, statusBadge(check.status), " ", h("strong", null, cut(check.name, 200)), check.details && [": ", cut(check.details, 600)])))),
      h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
      one.reproduce && h("div", { class: "command" }, h("span", { class: "muted" }, "Reproduce"), h("code", null, cut(one.reproduce, 2000)), copyButton(one.reproduce, "the command")),
      page.sections.map((section) => titled(2, section.title, section.note && quietly(section.note), blocks(entry, section.blocks, section.title))),
      one.diff && !page.has_difference && titled(2, "Difference", diffView(one.diff)),
      one.checks?.length > 0 && titled(2, "Checks", table("Checks", [
        { label: "Check", value: (check) => check.name, cell: (check) => cut(check.name, 300) },
        { label: "Status", value: (check) => STATUS_ORDER.indexOf(check.status), cell: (check) => statusBadge(check.status) },
        { label: "Details", class: "prose", value: (check) => check.details, cell: (check) => (check.details ? cut(check.details, 4000) : quietly(NONE)) },
      ], one.checks)),
      one.attempts?.length > 0 && titled(2, counted(one.attempts.length, "attempt"), attempts(one.attempts, entry.texts.attempts)),
      one.output && output(one.output, page.opens_output),
      entry.status === "removed" && h("p", null, "The baseline has this case and the run does not."),
    ];
  }

  function changeFact(entry) {
    const { change } = entry;
    if (!change) return entry.moved === "unchanged" ? "as it was" : null;
    const state = (status, score) => (status ? [statusBadge(status), score && ` ${score}`] : quietly("nothing"));
    return [state(change.was, entry.scores?.was), " → ", state(change.now, entry.scores?.now),
      change.renamed_from && [" was called ", h("code", null, cut(change.renamed_from, 120))],
      change.since && quietly([change.was && change.was !== change.now ? ` (${change.was} since ` : " (so since ", h("code", null, commit(change.since)), ")"])];
  }

  function attempts(all, texts) {
    const used = all.some((attempt) => attempt.usage);
    const numbered = all.map((attempt, index) => ({ ...attempt, index: index + 1, texts: texts[index] }));
    return table("Attempts", [
      { label: "Attempt", value: (attempt) => attempt.index, cell: (attempt) => attempt.index },
      { label: "Status", value: (attempt) => STATUS_ORDER.indexOf(attempt.status), cell: (attempt) => statusBadge(attempt.status) },
      { label: "Score", number: true, value: (attempt) => attempt.score, cell: (attempt) => attempt.texts.score ?? NONE },
      { label: "Ended", value: (attempt) => attempt.ending, cell: (attempt) => String(attempt.ending).replace(/-/g, " ") },
      { label: "Duration", number: true, value: (attempt) => attempt.duration_ms, cell: (attempt) => attempt.texts.duration },
      ...(used ? [{ label: "Tokens in / out", number: true, value: (attempt) => attempt.usage?.output_tokens ?? null, cell: (attempt) => (attempt.usage ? `${whole(attempt.usage.input_tokens)} / ${whole(attempt.usage.output_tokens)}` : NONE) },
        { label: "Cost", number: true, value: (attempt) => attempt.usage?.cost ?? null, cell: (attempt) => attempt.texts.cost ?? NONE }] : []),
    ], numbered);
  }

  function output(all, open) {
    const part = (name, text, omitted) => text !== "" && [h("h3", null, name), block(text), omitted > 0 && h("p", { class: "muted" }, `${whole(omitted)} bytes were left out.`)];
    if (!all.stdout && !all.stderr) return null;
    return titled(2, "What the target wrote", foldedLater("Standard output and error", () =>
      h("div", null, part("Standard output", all.stdout, all.stdout_omitted), part("Standard error", all.stderr, all.stderr_omitted)), open));
  }

  // What the kind of a case shows, block by block; folds that follow each other stand together.
  function blocks(entry, all, title) {
    const drawn = [];
    let folds = null;
    for (const one of all) {
      if (one.is !== "fold") folds = null;
      else if (!folds) drawn.push(folds = h("div", { class: "folds" }));
      const node = BLOCKS[one.is](entry, one, title);
      if (folds) folds.append(node);
      else drawn.push(node);
    }
    return drawn;
  }

  const BLOCKS = {
    paragraph: (entry, one) => h("p", null, cut(one.text, 2000)),
    heading: (entry, one) => h("h3", null, one.text),
    text: (entry, one) => block(textOf(entry, one.text)),
    diff: (entry, one) => diffView(textOf(entry, one.text)),
    sides: (entry, one) => {
      const texts = [one.left, one.right].map((side) => (side.text === null ? null : textOf(entry, side.text)));
      const sides = one.marked && texts.every((text) => text !== null) ? marked(texts[0], texts[1], inShellWords, true) : null;
      return h("div", { class: "pair" }, [one.left, one.right].map((side, at) => h("div", null, h("h3", null, side.title),
        sides ? h("pre", null, sides[at]) : block(texts[at], { empty: "(no answer)" }))));
    },
    table: (entry, one, title) => table(title, one.columns.map((column, at) => ({
      label: column.label, number: column.number, class: columnClass(one, at), cell: (row_) => pieces(entry, row_.cells[at]),
    })), one.rows, { rowClass: (row_) => (row_.is_hit ? "hit" : null) }),
    items: (entry, one) => h("ul", { class: "plain" }, one.items.map((item) => h("li", null, pieces(entry, item)))),
    fold: (entry, one, title) => foldedLater(pieces(entry, one.summary), () => h("div", null, blocks(entry, one.blocks, title)), one.open),
  };

  function columnClass({ columns, rows }, at) {
    const first = rows[0]?.cells[at][0]?.is;
    if (first === "bar") return "bars";
    if (first === "code") return "id";
    return at === columns.length - 1 ? "prose" : null;
  }

  const pieces = (entry, all) => all.flatMap((one, at) => (at ? [" ", PIECES[one.is](entry, one)] : [PIECES[one.is](entry, one)]));

  const PIECES = {
    text: (entry, one) => cut(textOf(entry, one.text), 4000),
    quiet: (entry, one) => quietly(cut(one.text, 300)),
    strong: (entry, one) => h("strong", null, cut(one.text, 120)),
    code: (entry, one) => h("code", null, cut(textOf(entry, one.text), 300)),
    badge: (entry, one) => badge(`is-${one.status}`, STATUS[one.status] || "·", one.word),
    bar: (entry, one) => bar(one),
  };

  // ---------------------------------------------------------------- frame

  const views = document.getElementById("views");
  const toOverview = link("#/", "Overview");
  const toCases = link("#/cases", "Cases ", h("span", { class: "pill" }, whole(cases.length)));
  views.append(toOverview, toCases);
  let overviewNodes = null;

  const flat = (nodes) => nodes.flat(Infinity).filter((node) => node instanceof Node);

  function route() {
    const next = where();
    const came = view;
    if (came?.name === "cases" && next.name !== "cases") listScroll = window.scrollY;
    view = next;
    toOverview.toggleAttribute("data-here", next.name === "overview");
    toCases.toggleAttribute("data-here", next.name !== "overview");
    for (const [node, here] of [[toOverview, next.name === "overview"], [toCases, next.name === "cases"]]) {
      if (here) node.setAttribute("aria-current", "page");
      else node.removeAttribute("aria-current");
    }
    let title = display.verdict.word;
    if (next.name === "cases") {
      drawList(next.wanted);
      toCases.setAttribute("href", listAddress(filter));
      if (!list.section.isConnected) main.replaceChildren(list.section);
      title = `Cases · ${title}`;
      if (came && came.name !== "cases") {
        window.scrollTo(0, listScroll);
        const back = came.name === "case" ? rowOf(came.suite, came.id) : null;
        if (back) moveTo(back);
        else list.section.querySelector("h1").focus({ preventScroll: true });
      }
    } else if (next.name === "case") {
      if (!list) drawList({});
      main.replaceChildren(h("article", { class: "case" }, ...flat(casePage(next.suite, next.id))));
      title = `${cut(next.id, 60)} · ${title}`;
      window.scrollTo(0, 0);
      if (came) main.querySelector("h1").focus({ preventScroll: true });
    } else {
      overviewNodes ||= flat(overview());
      if (!overviewNodes[0].isConnected) main.replaceChildren(...overviewNodes);
      const target = next.at && [...main.querySelectorAll("[data-suite]")].find((node) => node.dataset.suite === next.at);
      if (target) {
        target.scrollIntoView();
        target.querySelector("h3").focus({ preventScroll: true });
      } else if (came) {
        window.scrollTo(0, 0);
        main.querySelector("h1").focus({ preventScroll: true });
      }
    }
    document.title = `${visible(title)} · evalratchet`;
  }

  function rowOf(suite, id) {
    const at = shown.findIndex((entry) => entry.suite === suite && entry.id === id);
    if (at === -1) return null;
    while (list.body.rows.length <= at) moreRows();
    return list.body.rows[at];
  }

  function moveTo(row_) {
    cursor?.classList.remove("cursor");
    cursor = row_;
    cursor.classList.add("cursor");
    cursor.querySelector("a").focus({ preventScroll: true });
    cursor.scrollIntoView({ block: "nearest" });
  }

  function move(step) {
    if (view.name === "case") {
      const at = shown.findIndex((entry) => entry.suite === view.suite && entry.id === view.id);
      const other = at === -1 ? null : shown[at + step];
      if (other) go(caseAddress(other.suite, other.id));
      return;
    }
    if (view.name !== "cases") go(listAddress(filter));
    if (!shown.length) return;
    const focused = document.activeElement?.closest?.("table.list tbody tr");
    const at = Array.prototype.indexOf.call(list.body.rows, focused || cursor);
    const to = Math.max(0, Math.min(shown.length - 1, at + step));
    while (list.body.rows.length <= to) moreRows();
    moveTo(list.body.rows[to]);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const writing = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.key === "Escape") {
      if (writing) {
        if (event.target === list?.controls.q && event.target.value) {
          event.target.value = "";
          go(listAddress({ ...filter, q: "" }), true);
        } else event.target.blur();
      } else if (view.name === "case") go(listAddress(filter));
      else return;
      event.preventDefault();
      return;
    }
    if (writing) return;
    if (event.key === "/") {
      if (view.name !== "cases") go(listAddress(filter));
      list.controls.q.focus();
      list.controls.q.select();
    } else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else return;
    event.preventDefault();
  });

  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });

  // The theme is that of the system until somebody chooses.
  const themeButton = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let theme = null;
  try {
    theme = localStorage.getItem("evalratchet-theme");
  } catch {
    theme = null;
  }
  function showTheme() {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    const isDark = theme === "dark" || (theme !== "light" && dark.matches);
    themeButton.textContent = isDark ? "Light" : "Dark";
    themeButton.setAttribute("aria-label", isDark ? "Light theme" : "Dark theme");
  }
  themeButton.addEventListener("click", () => {
    theme = theme === "dark" || (theme !== "light" && dark.matches) ? "light" : "dark";
    try {
      localStorage.setItem("evalratchet-theme", theme);
    } catch {
      // It holds for as long as the page is open.
    }
    showTheme();
  });
  dark.addEventListener("change", showTheme);
  themeButton.hidden = false;
  showTheme();

  document.getElementById("foot").append(
    h("p", null, `${results.tool.name} ${results.tool.version}`, " · run ", h("code", null, results.run.id)),
    h("p", { class: "keys" }, h("kbd", null, "/"), " search ", h("kbd", null, "j"), " ", h("kbd", null, "k"), " next, previous ", h("kbd", null, "Enter"), " open ", h("kbd", null, "Esc"), " back"));
  document.body.append(live);
  window.addEventListener("hashchange", () => {
    if (location.hash === "" || location.hash.startsWith("#/")) route();
  });
  route();
})();
