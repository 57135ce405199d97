// SPDX-License-Identifier: Apache-2.0
// The report of one run: the same words, tables and picture as report.md. Parts come in the order of the report.
"use strict";

pawl.views.report = async () => {
  const TONES = {good: "better", bad: "worse", doubt: "doubt", dim: "faint"};
  const {parts} = await pawl.get("report");

  const words = (item) => typeof item === "string" ? item
    : item.strong !== undefined ? pawl.element("strong", {}, item.strong) : pawl.element("code", {}, pawl.name(item.code));
  const all_words = (items) => items.map(words);

  // A run may have thousands of rows. The page draws the first ones at once, and the others when a reader opens them.
  const MOST = 200;
  const later = (title, make) => {
    const fold = pawl.fold(title);
    fold.addEventListener("toggle", () => fold.append(...make()), {once: true});
    return fold;
  };
  const long = (items, draw, what) => items.length <= MOST ? [draw(items)]
    : [draw(items.slice(0, MOST)), later(`${items.length - MOST} more ${what}`, () => [draw(items.slice(MOST))])];
  const size = (part) => (part.rows ?? part.items ?? []).length + (part.parts ?? []).reduce((sum, inside) => sum + size(inside), 0);

  const table = ({columns}, rows) => pawl.table(
    columns.map(({title, kind}) => pawl.element("th", {scope: "col", class: kind === "number" ? kind : null}, title)),
    rows.map(({tone, cells}) => pawl.element("tr", {class: TONES[tone]},
      ...cells.map((cell, i) => pawl.element("td", {class: columns[i].kind === "text" ? "name" : columns[i].kind}, ...all_words(cell))))), "Report");

  const draw = {
    headline: ({tone, content}) => pawl.element("p", {class: `verdict ${TONES[tone] ?? ""}`}, ...all_words(content)),
    heading: ({text}) => pawl.element("h2", {}, text),
    paragraph: ({content}) => pawl.element("p", {}, ...all_words(content)),
    list: ({items}) => long(items, (some) => pawl.element("ul", {}, ...some.map((item) => pawl.element("li", {}, ...all_words(item)))), "lines"),
    table: (part) => long(part.rows, (some) => table(part, some), "rows"),
    fold: (part) => size(part) > MOST ? later(part.title, () => part.parts.flatMap(shown)) : pawl.fold(part.title, ...part.parts.flatMap(shown)),
    block: ({text}) => pawl.element("pre", {tabindex: "0"}, text),
    picture: ({text}) => pawl.element("div", {class: "sheet", tabindex: "0"}, pawl.element("picture", {},
      pawl.element("source", {media: "(prefers-color-scheme: dark)", srcset: "data/report-dark.svg"}), pawl.element("img", {src: "data/report.svg", alt: text}))),
  };
  const shown = (part) => draw[part.part](part);

  return () => pawl.show(["report"], ...parts.flatMap(shown));
};
