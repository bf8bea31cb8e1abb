// Opens a report in a real browser and uses it: node test.mjs PAGE.html OUTDIR
//
// The page is opened as a file; nothing is served. CHROMIUM names the browser, OPEN_MS how long opening may take.

import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page_, out] = process.argv.slice(2);
if (!page_ || !out) {
  console.error("usage: node test.mjs PAGE.html OUTDIR");
  process.exit(2);
}
const address = pathToFileURL(resolve(page_)).href;
const limit = Number(process.env.OPEN_MS || 2000);
mkdirSync(out, { recursive: true });

const failures = [];
const notes = [];
const expect = (holds, message) => {
  if (!holds) failures.push(message);
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  chromiumSandbox: process.getuid?.() !== 0,
});

// A page of its own that fails the test on whatever it says, asks for or stumbles over.
async function open(name, hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) failures.push(`${name}: console ${message.type()}: ${message.text().slice(0, 300)}`);
  });
  page.on("pageerror", (error) => failures.push(`${name}: page error: ${String(error).slice(0, 300)}`));
  page.on("dialog", (dialog) => {
    failures.push(`${name}: a dialog opened: ${dialog.message().slice(0, 100)}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("data:")) failures.push(`${name}: request to ${url.slice(0, 200)}`);
  });
  await page.addInitScript(() => document.addEventListener("DOMContentLoaded", () => {
    requestAnimationFrame(() => setTimeout(() => { window.paintedAfter = performance.now(); }));
  }));
  await page.goto(address + hash, { waitUntil: "domcontentloaded" });
  return { page, close: () => context.close() };
}

const counter = (page) => page.locator(".count").innerText();
const numbers = async (page) => ((await counter(page)).match(/[\d,]+/g) || []).map((text) => Number(text.replace(/,/g, "")));
const permalink = (one) => `#/case/${encodeURIComponent(one.suite)}/${encodeURIComponent(one.id)}`;
const brightness = (page) => page.evaluate(() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
});

async function sound(name, page) {
  const found = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    scripts: document.scripts.length,
    strange: document.querySelectorAll("img, iframe, object, embed, form, video, audio, base").length,
    attributes: [...document.querySelectorAll("*")].filter((node) => [...node.attributes].some((one) => one.name.startsWith("on"))).length,
    links: [...document.querySelectorAll("a")].filter((node) => !/^(#|https?:\/\/)/.test(node.getAttribute("href") || "")).length,
    raw: /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
    headings: document.querySelectorAll("main h1").length,
    unnamed: [...document.querySelectorAll("main button, main a, main input, main select")].filter((node) =>
      !(node.innerText || "").trim() && !node.getAttribute("aria-label") && !node.labels?.length).length,
  }));
  expect(found.wide <= 0, `${name}: the page is ${found.wide} px wider than the window`);
  expect(found.scripts === 2, `${name}: ${found.scripts} scripts instead of 2`);
  expect(found.strange === 0, `${name}: ${found.strange} elements that text must not make`);
  expect(found.attributes === 0, `${name}: ${found.attributes} elements with an event attribute`);
  expect(found.links === 0, `${name}: ${found.links} links to neither the page nor the web`);
  expect(!found.raw, `${name}: control characters are shown as they are`);
  expect(found.headings === 1, `${name}: ${found.headings} first headings`);
  expect(found.unnamed === 0, `${name}: ${found.unnamed} controls without a name`);
}

const shoot = (page, name) => page.screenshot({ path: join(out, `${name}.png`) });

try {
  // How long it takes to open, with the rows of the cases drawn and painted.
  const first = await open("open", "#/cases");
  await first.page.waitForSelector("table.list tbody tr");
  await first.page.waitForFunction(() => window.paintedAfter);
  const timing = await first.page.evaluate(() => ({
    loaded: performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
    painted: window.paintedAfter,
    rows: document.querySelectorAll("table.list tbody tr").length,
  }));
  const all = await first.page.evaluate(() => {
    const results = JSON.parse(document.getElementById("data").textContent);
    return results.suites.flatMap((suite) => suite.cases.map((one) => ({ suite: suite.id, kind: suite.kind, id: one.id, status: one.status, slices: one.slices })));
  });
  notes.push(`${all.length} cases, ${(statSync(page_).size / 1e6).toFixed(1)} MB: DOM ready after ${Math.round(timing.loaded)} ms, first ${timing.rows} rows painted after ${Math.round(timing.painted)} ms`);
  expect(timing.painted <= limit, `opening took ${Math.round(timing.painted)} ms, more than ${limit}`);
  const [shown, total] = await numbers(first.page);
  expect(shown === total && total >= all.length, `the list says ${shown} of ${total}, the data has ${all.length} cases`);
  await sound("cases", first.page);

  if (all.length) {
    // A filter narrows the list, stands in the address, and goes with the way back.
    const { page } = first;
    const status = ["failed", "error", "unmeasured", "passed"].find((wanted) => all.some((one) => one.status === wanted));
    await page.selectOption("#filter-status", status);
    const expected = all.filter((one) => one.status === status).length;
    expect((await numbers(page))[0] === expected, `status ${status}: the list says ${await counter(page)}, the data has ${expected}`);
    expect(page.url().includes(`status=${status}`), `the address does not hold the filter: ${page.url()}`);
    const badges = await page.locator("table.list tbody tr td:first-child").allInnerTexts();
    expect(badges.every((text) => text.includes(status)), "the list shows a case of another status");
    const suite = all.find((one) => one.status === status).suite;
    await page.selectOption("#filter-suite", suite);
    const both = all.filter((one) => one.status === status && one.suite === suite).length;
    expect((await numbers(page))[0] === both, `suite and status: the list says ${await counter(page)}, the data has ${both}`);
    await page.goBack();
    expect((await numbers(page))[0] === expected, "the way back does not restore the filter");
    await page.goForward();
    expect((await numbers(page))[0] === both, "the way forward does not restore the filter");
    await page.getByRole("button", { name: "Clear" }).click();
    expect((await numbers(page))[0] === total, "Clear does not show every case");
    const slice = all.flatMap((one) => one.slices)[0];
    if (slice) {
      await page.selectOption("#filter-slice", slice);
      const cut = all.filter((one) => one.slices.includes(slice)).length;
      expect((await numbers(page))[0] === cut, `slice: the list says ${await counter(page)}, the data has ${cut}`);
      await page.getByRole("button", { name: "Clear" }).click();
    }

    // Text, by the keyboard.
    const plain = all.find((one) => /^[\w.-]{4,80}$/.test(one.id)) || all[0];
    const text = plain.id.slice(0, 80).replace(/\s.*/s, "");
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.keyboard.type(text);
    await page.waitForFunction((wanted) => decodeURIComponent(location.hash).includes(`q=${wanted}`), text);
    const [narrowed] = await numbers(page);
    expect(narrowed >= 1 && (narrowed < total || total === 1 || text !== plain.id), `text ${text}: ${narrowed} of ${total}`);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !location.hash.includes("q="));
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForSelector("article.case h1");
    const opened = page.url();
    await page.keyboard.press("Escape");
    await page.waitForSelector("table.list");
    const focused = await page.evaluate(() => document.activeElement.href);
    expect(focused === opened, `after Esc the focus is on ${focused}, not on the case that was open`);

    // A heading sorts.
    await page.getByRole("button", { name: "Duration" }).click();
    expect(await page.locator('th[aria-sort="descending"]').count() === 1, "the sorted column does not say so");
    const took = (await page.locator("table.list tbody tr td:last-child").allInnerTexts()).filter((one) => one !== "–").map((one) => {
      const [, value, unit] = one.match(/^([\d.]+) (ms|s|min)/);
      return Number(value) * { ms: 1, s: 1000, min: 60_000 }[unit];
    });
    expect(took.every((value, at) => at === 0 || took[at - 1] >= value), "the list is not sorted by duration");
  }
  await first.close();

  // Both themes, wide and narrow: the overview, the list, and a permalink to a case of each suite, failed ones first.
  const order = ["failed", "error", "passed", "unmeasured", "skipped"];
  const samples = [...new Map([...all].sort((a, b) => order.indexOf(b.status) - order.indexOf(a.status)).map((one) => [one.kind, one])).values()];
  const shades = {};
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 390, 360]) {
      const name = `${colorScheme}-${width}`;
      const options = { colorScheme, viewport: { width, height: width === 1280 ? 900 : 844 } };
      const over = await open(`${name} overview`, "", options);
      await over.page.waitForSelector("section.verdict");
      shades[colorScheme] = await brightness(over.page);
      await sound(`${name} overview`, over.page);
      const said = await over.page.locator("section.verdict").innerText();
      expect(said.trim().length > 10, `${name}: the verdict is empty`);
      if (width !== 360) await shoot(over.page, `overview-${name}`);
      if (width === 1280) {
        await over.page.getByRole("button", { name: colorScheme === "dark" ? "Light theme" : "Dark theme" }).click();
        const other = await brightness(over.page);
        expect(Math.abs(other - shades[colorScheme]) > 100, `${name}: the button does not change the theme`);
      }
      await over.close();

      const listed = await open(`${name} cases`, "#/cases", options);
      await listed.page.waitForSelector("table.list");
      await sound(`${name} cases`, listed.page);
      if (width !== 360) await shoot(listed.page, `cases-${name}`);
      await listed.close();

      for (const one of samples) {
        const at = `${name} ${one.kind}`;
        const { page, close } = await open(at, permalink(one), options);
        await page.waitForSelector("article.case h1");
        const heading = await page.locator("h1").innerText();
        expect(heading !== "No such case", `${at}: the permalink does not lead to the case`);
        if (/^[\x21-\x7e]{1,200}$/.test(one.id)) expect(heading === one.id, `${at}: the permalink leads to ${heading}, not to ${one.id}`);
        await sound(at, page);
        if (width !== 360) await shoot(page, `${one.kind}-${name}`);
        await close();
      }
    }
  }
  expect(shades.light > 180 && shades.dark < 60, `the themes are not light and dark: ${JSON.stringify(shades)}`);

  // An address that leads nowhere says so.
  const lost = await open("no such case", "#/case/none/%E0%A4%A");
  expect(await lost.page.locator("h1").innerText() === "No such case", "a permalink that leads nowhere does not say so");
  await lost.close();
} catch (error) {
  failures.push(`the test could not go on: ${String(error.message || error).slice(0, 600)}`);
} finally {
  await browser.close();
}

for (const note of notes) console.log(note);
if (failures.length) {
  for (const failure of [...new Set(failures)]) console.error(`FAILED ${failure}`);
  process.exit(1);
}
console.log(`ok: ${page_} holds in chromium, screenshots in ${out}`);
