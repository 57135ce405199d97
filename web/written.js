// SPDX-License-Identifier: Apache-2.0
// Where the documents come from when the page was written to disk: scripts in data/, each of which hands one over. The
// load event of a script follows its execution at once, so two that load together do not mix.
"use strict";

{
  let handed = null;
  pawl.take = (document) => { handed = document; };

  const missing = (document_name, name) => document_name === "point"
    ? "this folder has the details of the newest runs and of the runs after a change only" : `the page has no file data/${name}.js`;

  pawl.get = (document_name, query = {}) => new Promise((resolve, reject) => {
    const name = {trend: `trend-${Number(query.series)}`, point: `point-${Number(query.id)}`}[document_name] ?? document_name;
    const inside = (point) => (!query.from || point.at >= query.from) && (!query.to || point.at <= query.to);
    const script = pawl.element("script", {src: `data/${name}.js`,
      onload: () => {
        const taken = handed;
        script.remove();
        if (document_name === "trend") taken.series[0].points = taken.series[0].points.filter(inside);
        resolve(taken);
      },
      onerror: () => { script.remove(); reject(new Error(missing(document_name, name))); }});
    document.head.append(script);
  });

  pawl.feed = "data/feed.xml";

  // A folder with the report of a run has one more view. A folder without an overview says so where it is shown.
  pawl.get("overview").then(({report}) => { document.getElementById("report").hidden = !report; document.getElementById("compare").hidden = true; }, () => {});
}
