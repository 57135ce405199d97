// SPDX-License-Identifier: Apache-2.0
// What a person does on the dashboard, step by step, in a real browser. Fails on any error of the page and on any request
// to another place. Usage: dashboard_browser.js CHROMIUM STEPS URL
"use strict";
const assert = require("node:assert/strict");
const {chromium} = require("playwright-core");

// No sandbox: CI runs as root. The rest keeps the browser from asking for anything of its own. playwright gives it an
// empty profile.
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const WAIT = 20000;  // milliseconds, of a step on a busy machine

const hover = (page) => page.locator(".hover").innerText();
const commit = (run) => (0xc0de00 + run).toString(16).padStart(8, "0");

// Neither the page nor a table is wider than the screen.
const no_overflow = async (page, place) => {
  const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".wide")].filter((box) => box.scrollWidth > box.clientWidth + 1).length);
  assert.equal(wide, 0, place);
};

const open_scale = async (page, url) => {
  await page.goto(url);
  await page.getByRole("searchbox").fill("scale");
  await page.getByRole("link", {name: "scale"}).click();
  await page.locator("canvas").waitFor();
};

const every_name_is_a_text = async (page, url, count, line_break) => {
  await page.goto(url);
  await page.getByText(`${count} of ${count}`).waitFor();
  const shown = await page.locator("main").innerText();
  for (const name of ["<script>document.title='taken'</script>", "quotes '\"` &amp; &", "$(id)", "../../etc/passwd", "%00", "x".repeat(4000), "U+202Eright to left", line_break])
    assert.ok(shown.includes(name), name);
  assert.equal(await page.locator("main img, main script").count(), 0);
  const links = await page.locator("main td.name a").evaluateAll((all) => all.map((link) => link.href));
  assert.equal(links.length, count);
  for (const link of links) {
    await page.goto(link);
    await page.locator("canvas").waitFor();
  }
  assert.notEqual(await page.title(), "taken");
};

// How many places of the axis these keys lead to.
const places = async (page, keys) => {
  const seen = new Set();
  await page.locator(".chart").focus();
  for (const key of keys) {
    await page.keyboard.press(key);
    seen.add(await page.locator(".u-cursor-x").evaluate((line) => line.style.transform));
  }
  return seen.size;
};

const steps = {
  // Finds the kernel that became slower, the commit that did it, and how much slower it is than another commit.
  async find_the_change(page, url) {
    await page.goto(url);
    await page.getByRole("searchbox").fill("scale");
    await page.getByRole("status").getByText("1 of 10", {exact: true}).waitFor();
    await page.getByRole("link", {name: "scale"}).click();
    await page.locator("canvas").waitFor();
    const changes = await page.locator("table").first().innerText();
    assert.match(changes, new RegExp(commit(200)));
    assert.match(changes, /<script>document.title/);  // the subject of that commit stays a text
    await page.locator(".chart").focus();
    await page.keyboard.press("Home");
    assert.match(await hover(page), /Change 0/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    assert.match(await hover(page), new RegExp(`Change 299[\\s\\S]*Against ${commit(0)} \\(.* ms\\): \\+[12]\\d\\.\\d % worse`));
  },

  // Chooses the run after the change by its link: blocks of the verdict, samples, roofline, profile, environment.
  async look_behind_a_run(page, url) {
    await open_scale(page, url);
    await page.locator("table").first().getByRole("link", {name: commit(200)}).click();
    await page.getByRole("heading", {name: `Run of ${commit(200)}`}).waitFor();
    assert.match(await hover(page), new RegExp(commit(200)));
    const details = page.locator(".details");
    await details.getByRole("img", {name: /13 blocks count, 1 do not; the change is \+20\.0 %/}).waitFor();
    assert.equal(await details.locator("circle.spoiled").count(), 1);
    assert.equal(await details.getByRole("img", {name: /^120 samples of 6 processes: median/}).count(), 1);
    assert.equal(await details.getByRole("img", {name: /^4100 GFLOP\/s at 2 FLOP per byte, 42\.7 % of the memory's bandwidth/}).count(), 1);
    assert.equal(await details.getByRole("img", {name: /DRAM 91 %/}).count(), 1);
    const words = await details.innerText();
    for (const wanted of [/more DRAM read: 12\.0 to 19\.2 MB/, /loads that are not coalesced/, /driver\s+570\.86/, /CPU\s+Xeon 8480C/, /compiler\s+nvcc 12\.8/, /machine\s+GPU-0c0ffee0/, /false alarm allowed\s+0\.00050/])
      assert.match(words, wanted);
    assert.match(await page.locator("main").innerText(), /accepted loss[\s\S]*a correct result costs <script>/);
    const whole = page.url(), verdict = /verdict[\s\S]*false alarm allowed\s+\S+/;
    await page.goto(`${whole}&from=1600036000&to=1600068400`);  // another time: the run keeps its facts
    await page.getByRole("heading", {name: `Run of ${commit(200)} at 2020-09-21 20:26, which the chart does not show`}).waitFor();
    await details.getByRole("img", {name: /13 blocks count/}).waitFor();
    assert.equal(verdict.exec(await details.innerText())[0], verdict.exec(words)[0]);
    await page.goto(whole);
    await page.getByRole("table", {name: "Other kernels on the same case"}).waitFor();
    assert.match(await page.getByRole("table", {name: "Other kernels on the same case"}).innerText(), /torch_default\s+reference\s+3\.100 ms\s+1\.29 ×\s+2020-09-25 04:26/);
  },

  // What no other harness has: anchor and confirmed moves, blocks, identical code, kept references, the machine's noise
  // and the false alarm allowed. The same on a server and from disk.
  async only_pawl_knows(page, url) {
    await open_scale(page, url);
    const details = page.locator(".details");
    await details.getByText("in 8 further blocks").waitFor();
    const newest = await details.innerText();
    for (const wanted of [new RegExp(`anchor\\s+${commit(249)} \\(the baseline's commit\\)`), /confirmed\s+−6\.5 % in 8 further blocks/,
      /noise of the machine\s+[\d.]+ %/, /noise of the ratio\s+[\d.]+ %/, /false alarm allowed\s+0\.00050/])
      assert.match(newest, wanted);
    assert.equal(await details.getByRole("img", {name: /blocks count/}).count(), 1);
    const moves = await page.getByRole("table", {name: "Moves of the baseline"}).innerText();
    assert.match(moves, new RegExp(`${commit(299)}\\s+confirmed improvement\\s+2\\.400 ms → 2\\.250 ms[\\s\\S]*accepted loss[\\s\\S]*first entry`));
    assert.match(await page.getByRole("table", {name: "Other kernels on the same case"}).innerText(), /torch_default\s+reference[\s\S]*2020-09-25/);
    await page.getByRole("table", {name: "Newest points"}).getByRole("link", {name: commit(298)}).click();
    await page.getByText("The machine code is the anchor's, so there was nothing to measure.").waitFor();
  },

  // By keyboard alone: the environment of each run, an old run of which little is known, identical code.
  async by_keyboard(page, url) {
    await open_scale(page, url);
    await page.locator(".chart").focus();
    await page.keyboard.press("End");
    await page.locator(".environment", {hasText: "NVIDIA H200 · driver 570.86 · clocks locked at 1980 MHz · Xeon 8480C · nvcc 12.8"}).waitFor();
    await page.keyboard.press("ArrowLeft");
    assert.match(await hover(page), /Change 298[\s\S]*identical code/);
    await page.keyboard.press("Enter");
    await page.getByText("The machine code is the anchor's, so there was nothing to measure.").waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByText("Environment: no data").click();
    await page.getByText("Unknown: the run did not keep it, or it was pruned.").waitFor();
    assert.match(await page.locator(".details").innerText(), /machine\s+unknown\s+noise of the machine\s+unknown/);
    assert.match(page.url(), /point=\d+/);
    await page.goto(url);
    for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", {name: "Machines"}).waitFor();
  },

  async machine_that_degrades(page, url) {
    await page.goto(`${url}#view=machines`);
    const table = page.getByRole("table", {name: "Machines"});
    await table.waitFor();
    assert.match(await table.innerText(), /GPU-0c0ffee0[^\n]*\s\d\.\d\d times\s+0\.\d\d times\s+2020[\s\S]*runner-2[^\n]*\s[2-9]\.\d\d times: noisier\s+[2-9]\.\d\d times: noisier/);
    assert.equal(await page.locator("canvas").count(), 2);
    assert.match(await page.locator("main").innerText(), /In 199 comparisons since 2020-09-17 the gate allowed at most 0\.10 false alarms in all\. It reported 50 regressions/);
  },

  // Nothing is cut off, and nothing scrolls sideways, on a telephone and a tablet.
  async narrow_screens(page, url) {
    for (const width of [360, 768]) {
      await page.setViewportSize({width, height: 800});
      for (const [place, name] of [["#q=scale", "Kernels and cases"], ["#view=machines", "Machines"]]) {
        await page.goto(url + place);
        await page.getByRole("table", {name}).waitFor();
        await no_overflow(page, `${place} at ${width}`);
      }
      await page.goto(`${url}#q=scale`);
      const card = page.getByRole("row", {name: /scale/});
      for (const words of ["tiny", "NVIDIA H200", "2.400 ms", "+20"]) await card.getByText(words).first().waitFor();
      await page.getByRole("link", {name: "scale"}).click();
      await page.getByRole("img", {name: /blocks count/}).waitFor();
      await no_overflow(page, `trend at ${width}`);
    }
  },

  // Zooms with the mouse, shares the link, comes back.
  async zoom_and_share(page, url) {
    await open_scale(page, url);
    const box = await page.locator(".u-over").boundingBox();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.8 * box.width, box.y + 50, {steps: 5});
    await page.mouse.up();
    await page.getByText("Show the whole time").waitFor();
    assert.match(page.url(), /#series=\d+&q=scale&from=\d+&to=\d+$/);
    const facts = await page.locator(".facts").innerText();
    const colleague = await page.context().newPage();
    await colleague.goto(page.url());
    await colleague.locator("canvas").waitFor();
    assert.equal(await colleague.locator(".facts").innerText(), facts);
    await page.getByText("Show the whole time").click();
    await page.getByText("Show the whole time").waitFor({state: "detached"});
    await page.getByText("All kernels").click();
    await page.getByRole("searchbox").waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "scale");
  },

  // Names that somebody else chose are texts: of a history that was taken in, and of another harness.
  async hostile_names(page, url) {
    await every_name_is_a_text(page, url, 10, "line break");
  },
  async imported_names(page, url) {
    await page.goto(url);
    await page.getByRole("link", {name: "$(id)"}).click();
    await page.locator("canvas").waitFor();
    await page.getByText("Moves of the baseline: none").waitFor();
    assert.equal(await page.getByText("On the same case").count(), 0);  // benchmarks without roles
    await every_name_is_a_text(page, url, 8, "lineU+000AbreakU+0009U+0001");
  },

  // The first page shows the commit's figures; the edit stays in the list of runs, and blames no commit.
  async uncommitted_edit(page, url) {
    await page.goto(url);
    await page.getByText("2 of 2").waitFor();
    const rows = await page.getByRole("row").allInnerTexts();
    assert.match(rows[1], /edited[\s\S]*maintained[\s\S]*2\.000 ms/);
    assert.doesNotMatch(rows[1], /regression|uncommitted/);
    assert.match(rows[2], /tried[\s\S]*\(uncommitted\)[\s\S]*3\.000 ms/);
    await page.getByRole("link", {name: "edited"}).click();
    await page.getByRole("table", {name: "Newest points"}).waitFor();
    const runs = await page.getByRole("table", {name: "Newest points"}).getByRole("row").allInnerTexts();
    assert.match(runs[1], /uncommitted, on c0de0001\s+9\.000 ms\s+regression/);
    assert.doesNotMatch(runs[1], /Innocent/);
    assert.match(runs[2], /c0de0001[\s\S]*Innocent/);
    await page.getByText("Unknown: there are fewer than 7 commits.").waitFor();
    await page.getByRole("heading", {name: "Run of c0de0001"}).waitFor();
    assert.equal(await places(page, ["Home", "End"]), 2);
  },

  // The first page names what failed and what changed, in this order; the commit's link leads to the change; a branch can
  // be the line.
  async what_changed(page, url) {
    await page.goto(url);
    await page.getByText("1 failed in the newest run; 1 became slower or worse earlier and stayed so.").waitFor();
    const rows = (await page.getByRole("row").allInnerTexts()).slice(1);
    assert.deepEqual(rows.map((row) => row.split("\t")[0]), ["broken", "slower", "quiet2", "quiet10"]);
    assert.match(rows[0], /none\s+wrong/);
    assert.match(rows[1], /\+20\.0 % c0de0014\s+\d+ years ago, 20 commits: Cause a loss \(#12\)\s+–\s+1\.20\d ms\s+\+20\.0 %/);
    assert.equal(await page.locator("td.worse").count(), 1);  // nothing is red that no test says
    await page.getByRole("searchbox").fill("failed");
    await page.getByText("1 of 4").waitFor();
    await page.getByRole("searchbox").fill("");
    await page.getByRole("link", {name: "c0de0014"}).click();
    await page.getByRole("heading", {name: "Run of c0de0014"}).waitFor();
    assert.match(await hover(page), /3 runs of this commit, median 1\.20/);
    assert.equal(await places(page, ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"]), 4);  // the runs of one commit too
    assert.deepEqual(await page.locator(".marks li").evaluateAll((items) => items.map((item) => item.className)),
      ["median", "run", "other", "level", "change"]);
    const line = page.getByLabel("Line");
    assert.deepEqual(await line.locator("option").allInnerTexts(), ["main", "pull"]);
    await line.selectOption("pull");
    await page.getByText("None that lasts").waitFor();
    assert.match(page.url(), /branch=pull/);
    assert.match(await page.locator(".facts").innerText(), /level 1\.500 ms[\s\S]*12 commits/);
  },

  // From the first page to the cause: the change, the note on it, the commit on the code host. The address keeps the axis and
  // the series beside it.
  async say_what_it_is(page, url) {
    await page.goto(`${url}?token=a-token_of.the~tests`);
    await page.getByRole("link", {name: "c0de0014"}).click();
    const changes = page.getByRole("table", {name: "Changes"});
    await changes.getByText("new").waitFor();
    assert.equal(await page.title(), "slower on tiny - pawl");
    assert.equal(await changes.getByRole("link", {name: "on the host c0de0014"}).getAttribute("href"), "https://github.com/octo/app/commit/c0de0014");
    assert.equal(await changes.getByRole("link", {name: "#12", exact: true}).getAttribute("href"), "https://github.com/octo/app/pull/12");
    await changes.getByRole("button", {name: "Note on c0de0014"}).click();
    await page.keyboard.press("Escape");
    assert.equal(await page.getByLabel("Reason").count(), 0);
    await changes.getByRole("button", {name: "Note on c0de0014"}).press("Enter");
    await page.getByLabel("This change is").selectOption("expected");
    await page.getByLabel("Reason").fill("exact <script>");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", {name: "Save"}).click();
    await changes.getByText("expected by Ada: exact <script>").waitFor();
    assert.match(await changes.innerText(), /machine a to b/);
    await page.getByRole("link", {name: "All kernels"}).click();
    await page.getByText("1 changed as somebody explained").waitFor();
    assert.match((await page.getByRole("row").allInnerTexts()).slice(1).find((row) => row.startsWith("slower")), /\+20\.0 % c0de0014\s+expected, \d+ years ago/);
  },

  async change_the_chart(page, url) {
    await page.goto(url);
    await page.getByRole("link", {name: "slower", exact: true}).click();
    await page.locator("canvas").waitFor();
    for (const [axis, value] of [["zero", "from 0"], ["log", "logarithmic"], ["relative", "in % of the oldest shown"]]) {
      await page.getByLabel("Axis").selectOption({label: value});
      await page.waitForURL(new RegExp(`axis=${axis}`));
      await page.locator("canvas").waitFor();
    }
    await page.getByLabel("Compare with").selectOption({label: "the branch pull"});
    await page.locator(".legend .line1").getByText("pull").waitFor();
    await page.getByLabel("Compare with").selectOption({label: "quiet2"});
    await page.locator(".legend .line2").getByText("quiet2").waitFor();
    await page.reload();
    await page.getByRole("button", {name: /Remove slower, tiny, pull/}).click();
    await page.locator(".legend .line2").waitFor({state: "detached"});
    assert.match(await page.locator(".legend .line1").innerText(), /quiet2/);
    await page.locator(".chart").focus();
    await page.keyboard.press("End");
    assert.match(await hover(page), /c0de0027/);
    await page.getByLabel("Time").selectOption({label: "the last 7 days"});
    await page.waitForURL(/from=1599\d+/);
    const saved = async (name) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name, exact: true}).click()]);
      return require("node:fs").readFileSync(await download.path());
    };
    const csv = String(await saved("CSV")).split("\r\n");
    assert.equal(csv[0], "time,commit,branch,value_ms,low,high,outcome,verdict,on_line,dirty,subject");
    assert.ok(csv.includes("2020-09-14T08:26:40.000Z,c0de0014,main,1.2,,,ok,,true,false,Cause a loss (#12)"), csv[21]);
    assert.equal((await saved("PNG")).subarray(1, 4).toString(), "PNG");
  },

  // Many series come in parts, in the order of people. The keyboard stays where it was. A server and a folder show the same.
  async many_rows(page, url) {
    const names = async () => (await page.locator("tbody tr td:first-child").allInnerTexts()).map((name) => name.trim());
    await page.goto(url);
    await page.getByText("130 of 130; the first 100 are shown").waitFor();
    assert.deepEqual((await names()).slice(0, 5), ["k7", "k1", "k2", "k3", "k4"]);  // the failure first
    await page.getByRole("button", {name: "Show more rows"}).press("Enter");
    await page.getByText("130 of 130", {exact: true}).waitFor();
    assert.deepEqual((await names()).slice(98), Array.from({length: 32}, (_, i) => `k${i + 99}`));
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "k101");
    const heading = page.getByRole("columnheader", {name: "kernel"});
    await heading.getByRole("button").press("Enter");
    await page.locator("tbody tr:first-child").getByText("k1", {exact: true}).waitFor();
    assert.equal(await heading.getAttribute("aria-sort"), "ascending");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "kernel");
    await page.getByRole("searchbox").fill("K12 case");
    await page.getByText("11 of 130").waitFor();
    assert.equal((await names()).join(), "k12,k120,k121,k122,k123,k124,k125,k126,k127,k128,k129");
    await page.getByRole("searchbox").fill("K12 failed");
    await page.getByText("0 of 130").waitFor();
    await page.goBack();
    await page.getByText("130 of 130; the first 100 are shown").waitFor();
    assert.equal((await names())[0], "k7");
  },

  // "The old version against main, everything" is one address; a person types it too.
  async two_sides(page, url) {
    await page.goto(`${url}#view=compare&a=${commit(199)}&b=main`);
    await page.getByText("geometric mean").waitFor();
    assert.match(await page.locator(".summary").innerText(), /main \(branch\) against 00c0dec7 \(commit\): geometric mean \+(19|20)\.\d %[\s\S]*1 worse, 0 better, 0 open/);
    const rows = page.getByRole("table", {name: "Comparison"});
    assert.match(await rows.innerText(), /scale\s+tiny\s+NVIDIA H200[\s\S]*\+(19|20)\.\d %[\s\S]*unpaired\s+worse/);
    page.expected = /api\/compare/;
    await page.getByLabel("A", {exact: true}).fill("nothing");
    await page.getByRole("button", {name: "Compare"}).click();
    await page.getByRole("alert").getByText("the history has no commit, branch or machine 'nothing'").waitFor();
  },

  async empty_history(page, url) {
    await page.goto(url);
    await page.getByText("The history is empty").waitFor();
    await page.getByRole("link", {name: "Machines"}).click();
    await page.getByText("The noise of the machines is unknown").waitFor();
  },

  // The folder that a person opens from disk.
  async folder(page, url) {
    await page.goto(url);
    await page.getByText("10 of 10").waitFor();
    assert.equal(await page.getByRole("link", {name: "Report"}).count(), 0);
    await page.getByRole("link", {name: "scale"}).click();
    await page.locator("canvas").waitFor();
    const shown = page.url();
    await page.getByRole("img", {name: /blocks count/}).waitFor();
    await page.locator(".chart").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByText("Details unknown: this folder has the details of the newest runs").waitFor();
    await page.goto(`${url}#view=machines`);
    await page.getByRole("table", {name: "Machines"}).waitFor();
    await page.goto(`${shown}&from=1600036000&to=1600068400`);
    await page.getByText("10 of 300 points").waitFor();
  },

  // The folder with the report of a run: its words and picture first, the trends of its kernels behind them.
  async report(page, url) {
    await page.goto(url);
    await page.getByText("REGRESSION ACCEPTED").first().waitFor();
    const words = await page.locator("main").innerText();
    for (const wanted of [/scale\s+tiny\s+19\.9 % slower/, /a correct result costs <script>document\.title='taken'/])
      assert.match(words, wanted);
    const picture = page.getByRole("img", {name: "The changes, the samples, the moves of the baseline and the roofline"});
    assert.ok(await picture.evaluate(async (image) => { await image.decode(); return image.naturalWidth; }) > 500);
    assert.equal(await page.locator("main script, main img[src=x]").count(), 0);
    await page.getByText("Roofline", {exact: true}).click();
    await page.getByRole("link", {name: "Kernels"}).click();
    await page.getByText("2 of 2").waitFor();
    await page.getByRole("link", {name: "scale"}).click();
    await page.getByRole("img", {name: /13 blocks count/}).waitFor();
    assert.match(await page.getByRole("table", {name: "Moves of the baseline"}).innerText(), /accepted loss[\s\S]*a correct result costs/);
    await page.reload();  // as by a link that somebody shared
    await page.getByRole("link", {name: "Report"}).click();
    await page.getByText("REGRESSION ACCEPTED").first().waitFor();
    assert.notEqual(await page.title(), "taken");
  },

  // The page draws the verdict and the first rows. The others come when a reader opens them, once.
  async many_rows_of_a_run(page, url) {
    const elements = () => page.locator("main *").count();
    await page.goto(url);
    await page.getByText("REGRESSION ACCEPTED").first().waitFor();
    assert.ok(await elements() < 10000, `${await elements()} elements`);
    assert.equal(await page.getByText("case_4999").count(), 0);
    await page.getByText("5001 configurations without a change").click();
    const rest = page.getByText(/^4801 more rows$/).first();
    await rest.click();
    const rows = page.locator("details:has(> summary:text-is('5001 configurations without a change')) tbody tr");
    assert.equal(await rows.count(), 5001);
    await rest.click();
    await rest.click();
    assert.equal(await rows.count(), 5001);
  },

  async narrow_report(page, url) {
    await page.emulateMedia({colorScheme: "dark"});
    for (const width of [360, 768]) {
      await page.setViewportSize({width, height: 800});
      await page.goto(url);
      const picture = page.getByRole("img", {name: /The changes/});
      assert.match(await picture.evaluate(async (image) => { await image.decode(); return image.currentSrc; }), /report-dark\.svg$/);
      await no_overflow(page, `report at ${width}`);
    }
  },

  // Two shapes of a case have their shape beside it; a row that never had a value needs a filter, but not if it failed.
  async shapes(page, url) {
    await page.goto(url);
    const rows = page.getByRole("table", {name: "Kernels and cases"}).locator("tbody tr");
    await page.getByText("4 of 5; a filter shows 1 without a value").waitFor();
    assert.deepEqual((await rows.allInnerTexts()).map((row) => row.split(/\s+/).slice(0, 3)).map(([kernel, name, next]) => [kernel, name, next.startsWith("n=") ? next : ""]).sort(),
      [["alone", "case", ""], ["bad", "case", ""], ["k", "case", "n=1000"], ["k", "case", "n=2000"]]);
    await page.getByRole("searchbox").fill("gone");
    await page.getByText("1 of 5", {exact: true}).waitFor();
    assert.match(await rows.innerText(), /^gone\s+case/);
  },

  async folder_without_the_series(page, url) {
    await page.goto(`${url}#series=99999`);
    await page.getByText("no file data/trend-99999.js").waitFor();
  },
};

const main = async ([program, names, url]) => {
  const browser = await chromium.launch({executablePath: program, args: FLAGS});
  try {
    for (const name of names.split(",")) {
      const context = await browser.newContext({viewport: {width: 1200, height: 800}});
      const page = await context.newPage();
      const faults = [];
      page.setDefaultTimeout(WAIT);
      context.on("weberror", (error) => faults.push(error.error().message));
      context.on("console", (message) => {
        if (message.type() === "error" && !page.expected?.test(message.location().url)) faults.push(message.text());
      });
      context.on("request", (request) => {
        if (!request.url().startsWith(url.replace(/index\.html$/, "")) && !/^(data|blob):/.test(request.url())) faults.push(`a request to ${request.url()}`);
      });
      try {
        await steps[name](page, url);
      } catch (error) {
        throw new Error(`${name} at ${page.url()}: ${error.stack}\n${faults.join("\n")}`);
      }
      assert.deepEqual(faults, [], name);
      await context.close();
    }
  } finally {
    await browser.close();
  }
};

main(process.argv.slice(2)).catch((error) => { console.error(error.message); process.exit(1); });
