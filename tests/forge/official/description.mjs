// SPDX-License-Identifier: Apache-2.0
// GitHub's OpenAPI description, asked: which call a request is, what is wrong with it, what its answer looks like.
import fs from "fs";
import Ajv from "ajv";

// OpenAPI 3.0 writes "or null" as a word beside the schema; JSON Schema as one of several types. References begin at the
// document that ajv is given.
const asJsonSchema = (value) => {
  if (Array.isArray(value)) return value.map(asJsonSchema);
  if (value === null || typeof value !== "object") return value;
  const { nullable, ...rest } = value;
  const out = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, asJsonSchema(one)]));
  if (typeof out.$ref === "string") out.$ref = out.$ref.replace("#/components/", "github#/components/");
  return nullable === true ? { anyOf: [{ type: "null" }, out] } : out;
};

export class Description {
  constructor(file) {
    this.document = JSON.parse(fs.readFileSync(file, "utf8"));
    this.ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    this.ajv.addSchema({ $id: "github", components: { schemas: asJsonSchema(this.document.components.schemas) } });
    this.validators = new Map();
    this.templates = Object.keys(this.document.paths).map((path) => ({
      path,
      literal: path.split("/").filter((part) => part && !part.startsWith("{")).length,
      pattern: new RegExp("^" + path.replace(/\{[^}]+\}/g, "[^/]+") + "$"),
    }));
  }

  resolve(value) {
    if (!value?.$ref) return value;
    return value.$ref.replace("#/", "").split("/").reduce((at, key) => at[key], this.document);
  }

  // What is wrong with a value by a schema; undefined: nothing.
  wrong(name, schema, value) {
    if (!this.validators.has(name)) this.validators.set(name, this.ajv.compile(asJsonSchema(schema)));
    const validate = this.validators.get(name);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }

  // The same less what is wrong with the description's own example, wherever in a list it stands.
  wrongBesides(name, schema, value, example) {
    const lines = (text) => (text ?? "").split(", ").map((line) => line.replace(/\/\d+/g, "/N"));
    const own = new Set(lines(example && this.wrong(name, schema, example)));
    return lines(this.wrong(name, schema, value)).filter((line) => line && !own.has(line)).join(", ");
  }

  // {name, parameters, requestBody, responses}; undefined: GitHub has no such call.
  operation(method, path) {
    const verb = method.toLowerCase();
    const found = this.templates
      .filter(({ path: template, pattern }) => pattern.test(path) && this.document.paths[template][verb])
      .sort((a, b) => b.literal - a.literal)[0];
    if (!found) return undefined;
    const item = this.document.paths[found.path];
    const parameters = [...(item.parameters ?? []), ...(item[verb].parameters ?? [])].map((one) => this.resolve(one));
    return { name: `${verb} ${found.path}`, template: found.path, ...item[verb], parameters };
  }

  // The faults of a request, as words.
  faults(method, path, query, body) {
    const operation = this.operation(method, path);
    if (!operation) return ["GitHub has no such call"];
    const faults = [];
    const check = (parameter, text) => {
      const { type } = this.resolve(parameter.schema) ?? {};
      const value = type === "integer" ? Number(text) : type === "boolean" ? text === "true" : text;
      const wrong = this.wrong(`${operation.name} ${parameter.name}`, parameter.schema, value);
      if (wrong) faults.push(`'${parameter.name}': ${wrong}`);
    };
    const words = operation.template.split("/");
    const given = path.split("/");
    words.forEach((word, i) => {
      const parameter = operation.parameters.find((one) => one.in === "path" && `{${one.name}}` === word);
      if (parameter) check(parameter, decodeURIComponent(given[i]));
    });
    for (const [name, text] of query) {
      const parameter = operation.parameters.find((one) => one.in === "query" && one.name === name);
      if (parameter) check(parameter, text);
      else faults.push(`no parameter '${name}'`);
    }
    for (const { name } of operation.parameters.filter((one) => one.in === "query" && one.required))
      if (!query.has(name)) faults.push(`parameter '${name}' is missing`);
    const wanted = this.resolve(operation.requestBody);
    const schema = wanted?.content?.["application/json"]?.schema;
    if (body !== undefined && !schema) faults.push("takes no body");
    if (body === undefined && schema && wanted.required) faults.push("needs a body");
    if (body === undefined || !schema) return faults;
    const wrong = this.wrong(`${operation.name} body`, schema, body);
    if (wrong) faults.push(wrong);
    const known = this.resolve(schema).properties;
    for (const key of Object.keys(body)) if (known && !(key in known)) faults.push(`the body has no '${key}'`);
    return faults;
  }

  // The whole answer that the description gives for a call, with what is known of it put in. Lists get an example row for
  // each that is known.
  answer(method, path, status, known) {
    const operation = this.operation(method, path);
    const content = this.resolve(operation?.responses?.[status])?.content?.["application/json"];
    if (!content) return { value: known, wrong: `${status} is no answer of this call` };
    const example = this.resolve(Object.values(content.examples ?? {})[0])?.value;
    const value = example === undefined ? known : put(example, known);
    return { value, wrong: this.wrongBesides(`${operation.name} ${status}`, content.schema, value, example) };
  }
}

const ABSENT = "(absent)"; // the example has this key, but the answer has not

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function put(example, known) {
  if (Array.isArray(known)) return known.map((one) => (Array.isArray(example) && example.length ? put(example[0], one) : one));
  if (!isObject(known) || !isObject(example)) return known;
  const out = { ...example };
  for (const [key, value] of Object.entries(known)) {
    if (value === ABSENT) delete out[key];
    else out[key] = put(example[key], value);
  }
  return out;
}
