// SPDX-License-Identifier: Apache-2.0
// A GitHub made of its own description: node mock.mjs API.json. Below /u/PORT it stands before the fake code host on PORT,
// which keeps the state and makes the faults. Every request is held against the description, and every answer is the
// description's own with the state put in. GET /faults lists what was wrong; the first line of output is the port.
import http from "http";
import { Description } from "./description.mjs";

const description = new Description(process.argv[2]);
const seen = new Map();
const faults = [];

const read = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
};

const note = (who, request, words) => faults.push(`${who}: ${request.method} ${request.url}: ${words}`);

function judge(request, path, query, raw) {
  let body;
  try {
    body = raw.length ? JSON.parse(raw) : undefined;
  } catch {
    return note("request", request, "the body is no JSON");
  }
  const headers = request.headers;
  for (const words of description.faults(request.method, path, query, body)) note("request", request, words);
  if (!headers["user-agent"]) note("request", request, "no User-Agent");
  if (headers.accept !== "application/vnd.github+json") note("request", request, `Accept: ${headers.accept}`);
  if (headers["x-github-api-version"] !== "2022-11-28") note("request", request, "no X-GitHub-Api-Version");
  if (raw.length && headers["content-type"] !== "application/json") note("request", request, "the body has no type");
  const name = description.operation(request.method, path)?.name ?? "unknown";
  seen.set(name, (seen.get(name) ?? 0) + 1);
}

function complete(request, path, status, raw) {
  let known;
  try {
    known = JSON.parse(raw);
  } catch {
    return raw; // made to be nonsense
  }
  const { value, wrong } = description.answer(request.method, path, status, known);
  if (wrong) note("answer", request, wrong);
  return Buffer.from(JSON.stringify(value));
}

async function pass(request, response) {
  const [, , port] = request.url.split("/");
  const prefix = `/u/${port}`;
  const url = new URL(request.url.slice(prefix.length), "http://fake");
  const raw = await read(request);
  const described = url.pathname !== "/graphql"; // the other API is no part of the description
  if (described) judge(request, url.pathname, url.searchParams, raw);
  const options = { port, method: request.method, path: url.pathname + url.search, headers: request.headers };
  const inner = http.request({ host: "127.0.0.1", agent: false, ...options }, async (answer) => {
    let body = await read(answer).catch(() => undefined);
    if (body === undefined) return request.socket.resetAndDestroy();
    if (described && answer.statusCode >= 200 && answer.statusCode < 300 && !answer.headers["x-fault"])
      body = complete(request, url.pathname, answer.statusCode, body);
    const headers = { ...answer.headers, "content-length": body.length };
    if (headers.link) headers.link = headers.link.replaceAll(`127.0.0.1:${port}/`, `${request.headers.host}${prefix}/`);
    response.writeHead(answer.statusCode, headers).end(body);
  });
  inner.on("error", () => request.socket.resetAndDestroy());
  inner.end(raw);
}

const server = http.createServer((request, response) => {
  if (request.url.startsWith("/u/")) return pass(request, response);
  response.end(JSON.stringify({ faults, seen: Object.fromEntries(seen) }));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
