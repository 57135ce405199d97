// SPDX-License-Identifier: Apache-2.0
// The report of one run: the same words, tables and picture as report.md. Parts come in the order of the report.
"use strict";

pawl.views.report = async () => {
  const TONES = {good: "better", bad: "worse", doubt: "doubt", dim: "faint"};
  const {parts} = await pawl.get("report");

  const words = (item) => typeof item === "string" ? item
    : item.strong !== undefined ? pawl.element("strong", {}, item.strong) : pawl.element("code", {}, pawl.name(item.code));
  const all_words = (items) => items.map(words);

  const table = ({columns, rows}) => pawl.table(
    columns.map(({title, kind}) => pawl.element("th", {scope: "col", class: kind === "number" ? kind : null}, title)),
    rows.map(({tone, cells}) => pawl.element("tr", {class: TONES[tone]},
      ...cells.map((cell, i) => pawl.element("td", {class: columns[i].kind === "text" ? "name" : columns[i].kind}, ...all_words(cell))))), "Report");

  const draw = {
    headline: ({tone, content}) => pawl.element("p", {class: `verdict ${TONES[tone] ?? ""}`}, ...all_words(content)),
    heading: ({text}) => pawl.element("h2", {}, text),
    paragraph: ({content}) => pawl.element("p", {}, ...all_words(content)),
    list: ({items}) => pawl.element("ul", {}, ...items.map((item) => pawl.element("li", {}, ...all_words(item)))),
    table,
    fold: ({title, parts: inside}) => pawl.fold(title, ...inside.map(shown)),
    block: ({text}) => pawl.element("pre", {tabindex: "0"}, text),
    picture: ({text}) => pawl.element("div", {class: "sheet", tabindex: "0"}, pawl.element("picture", {},
      pawl.element("source", {media: "(prefers-color-scheme: dark)", srcset: "data/report-dark.svg"}), pawl.element("img", {src: "data/report.svg", alt: text}))),
  };
  const shown = (part) => draw[part.part](part);

  return () => pawl.show(["report"], ...parts.map(shown));
};
