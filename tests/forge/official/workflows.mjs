// SPDX-License-Identifier: Apache-2.0
// Workflows by GitHub's own parser: node workflows.mjs FILE...
import fs from "fs";
import { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } from "@actions/workflow-parser";

let faults = 0;
for (const file of process.argv.slice(2)) {
  const parsed = parseWorkflow({ name: file, content: fs.readFileSync(file, "utf8") }, new NoOperationTraceWriter());
  const errors = parsed.context.errors.getErrors().map((error) => error.message);
  const template = parsed.value ? await convertWorkflowTemplate(parsed.context, parsed.value) : undefined;
  errors.push(...(template?.errors ?? []).map((error) => error.Message ?? error.message));
  if (!template?.jobs?.length) errors.push("no jobs");
  for (const error of new Set(errors)) console.log(`${file}: ${error}`);
  faults += errors.length;
  console.log(`${file}: ${template?.jobs?.length ?? 0} jobs, ${errors.length} faults`);
}
process.exit(faults ? 1 : 0);
