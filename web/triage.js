// SPDX-License-Identifier: Apache-2.0
// What a person says about a change, and the pages of commits and pull requests on the code host.
"use strict";

{
  const STATES = {new: "nobody has looked", acknowledged: "somebody works on it", expected: "it may stay", fixed: "it is gone", wrong: "not from the code"};
  const outside = (href, ...words) => pawl.element("a", {href, rel: "noreferrer"}, ...words);

  // A link to the commit on the code host; null without one.
  pawl.commit_page = (commit, dirty) => pawl.site.commit_page && commit && !dirty
    ? outside(`${pawl.site.commit_page}${commit}`, "on the host", pawl.element("span", {class: "hidden"}, ` ${commit.slice(0, 8)}`)) : null;

  // A subject whose "#12" or "!12" leads to the pull request.
  pawl.subject = (text) => {
    const found = pawl.site.pull_page ? /[#!](\d{1,9})\b/.exec(text) : null;
    if (!found) return pawl.name(text);
    const end = found.index + found[0].length;
    return pawl.element("span", {}, pawl.name(text.slice(0, found.index)), outside(`${pawl.site.pull_page}${found[1]}`, found[0]), pawl.name(text.slice(end)));
  };

  pawl.is_open = (change) => change.state === "new" || change.state === "acknowledged";

  // The state, who said so, and why.
  pawl.said = (change) => change.noted === null ? ["new"]
    : [pawl.element("strong", {}, change.state), change.person ? " by " : "", change.person ? pawl.name(change.person) : "", change.note ? ": " : "", change.note ? pawl.name(change.note) : ""];

  // A form that says what a change is. It stands below the table; `close` removes it.
  pawl.note_form = (query, change, close) => {
    const field = (label, input) => pawl.element("label", {}, label, pawl.element("br"), input);
    const state = pawl.element("select", {}, ...Object.entries(STATES).map(([name, words]) =>
      pawl.element("option", {value: name, selected: name === (change.state === "new" ? "acknowledged" : change.state) ? "" : null}, `${name}: ${words}`)));
    const note = pawl.element("input", {type: "text", maxlength: "1000", value: change.note, autocomplete: "off"});
    const person = pawl.element("input", {type: "text", maxlength: "100", value: change.person ?? localStorage.getItem("pawl-person") ?? "", autocomplete: "name"});
    const failed = pawl.element("p", {role: "alert"});
    const save = async (event) => {
      event.preventDefault();
      localStorage.setItem("pawl-person", person.value.trim());
      const said = {...query, point: change.point, state: state.value, note: note.value.trim(), person: person.value.trim()};
      await pawl.send_note(said).then(pawl.route, (error) => { failed.textContent = error.message; });
    };
    return pawl.element("form", {class: "sides", onsubmit: save, onkeydown: (event) => { if (event.key === "Escape") close(); }, "aria-label": `The change at ${pawl.commit(change.commit, change.dirty)}`},
      field("This change is", state), field("Reason", note), field("Your name", person),
      pawl.element("button", {type: "submit"}, "Save"), pawl.element("button", {type: "button", onclick: close}, "Cancel"), failed);
  };
}
