// SPDX-License-Identifier: Apache-2.0
// Requests against GitHub's official OpenAPI description: node requests.mjs API.json REQUESTS.json
import fs from "fs";
import Ajv from "ajv";

const [description, recorded] = process.argv.slice(2).map((file) => JSON.parse(fs.readFileSync(file, "utf8")));
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: "github", components: description.components });

// Refs of the description are "#/components/...": they begin at the document that ajv was given above.
const absolute = (value) =>
  JSON.parse(JSON.stringify(value).replaceAll('"$ref":"#/components/', '"$ref":"github#/components/'));
ajv.removeSchema("github");
ajv.addSchema({ $id: "github", components: absolute(description.components) });

const resolve = (value) =>
  value.$ref ? value.$ref.replace("#/", "").split("/").reduce((at, key) => at[key], description) : value;

const templates = Object.keys(description.paths).map((path) => ({
  path,
  literal: path.split("/").filter((part) => part && !part.startsWith("{")).length,
  pattern: new RegExp("^" + path.replace(/\{[^}]+\}/g, "[^/]+") + "$"),
}));

let faults = 0;
const fault = (request, words) => {
  faults++;
  console.log(`${request.method} ${request.path}: ${words}`);
};

for (const request of recorded) {
  const found = templates
    .filter(({ path, pattern }) => pattern.test(request.path) && description.paths[path][request.method.toLowerCase()])
    .sort((a, b) => b.literal - a.literal)[0];
  if (!found) {
    fault(request, "GitHub has no such call");
    continue;
  }
  const item = description.paths[found.path];
  const operation = item[request.method.toLowerCase()];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  for (const [name, values] of Object.entries(request.query)) {
    const parameter = parameters.find((one) => one.in === "query" && one.name === name);
    if (!parameter) {
      fault(request, `no parameter '${name}'`);
      continue;
    }
    const schema = absolute(parameter.schema);
    const value = schema.type === "integer" ? Number(values[0]) : values[0];
    if (!ajv.validate(schema, value)) fault(request, `'${name}': ${ajv.errorsText()}`);
  }
  const body = operation.requestBody && resolve(operation.requestBody).content?.["application/json"]?.schema;
  if (!body !== !request.body) fault(request, request.body ? "takes no body" : "needs a body");
  if (body && request.body && !ajv.validate(absolute(body), request.body)) fault(request, ajv.errorsText());
  const known = body && resolve(body).properties;
  for (const key of Object.keys(request.body ?? {}))
    if (known && !(key in known)) fault(request, `the body has no '${key}'`);
}
console.log(`${recorded.length} requests, ${faults} faults`);
process.exit(faults || !recorded.length ? 1 : 0);
