// SPDX-License-Identifier: Apache-2.0
// Where the documents come from: the server.
"use strict";

pawl.get = async (document_name, query = {}) => {
  const answer = await fetch(`api/${document_name}?${new URLSearchParams(query)}`, {credentials: "same-origin"});
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the server answers ${answer.status}`);
  return answer.json();
};

pawl.send_note = async (query) => {
  const answer = await fetch(`api/note?${new URLSearchParams(query)}`, {method: "POST", headers: {"X-Pawl-Note": "1"}, credentials: "same-origin"});
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the server answers ${answer.status}`);
};

