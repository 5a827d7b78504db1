import { errors } from "@lodge/contract/errors";
import { errorsOf, isMedia, type Operation } from "@lodge/contract/operation";
import { operations } from "@lodge/contract/operations";

const doors = [
  { door: "api", title: "The ticket API" },
  { door: "ingest", title: "The ingestion endpoint" },
  { door: "dashboard", title: "The dashboard" },
] as const;

const whoMay = ({ role, credential }: Operation): string => {
  if (!credential) return `${role}`;
  if (credential.kind !== "apiToken") return credential.kind;
  return credential.permission ? `API token with \`${credential.permission}\`` : "any API token";
};

const refusalsOf = (operation: Operation): string =>
  errorsOf(operation)
    .map((code) => `${errors[code].status} \`${code}\``)
    .join(", ");

const row = (operation: Operation): string => {
  const { id, method, path, answers } = operation;
  const success = Object.entries(answers).map(([status, answer]) =>
    isMedia(answer) ? `${status} (${answer.media})` : status,
  );
  const cells = [`\`${id}\``, `\`${method} ${path}\``, whoMay(operation), success.join(", "), refusalsOf(operation)];
  return `| ${cells.join(" | ")} |`;
};

/** A Markdown table of all operations with their permissions, responses and error codes. */
export function operationsTable(): string {
  const sections = doors.map(({ door, title }) => {
    const rows = operations.map(({ operation }) => operation).filter((operation) => operation.door === door);
    const head = "| operation | request | who | answers | refusals |\n| --- | --- | --- | --- | --- |";
    return `## ${title}\n\n${head}\n${rows.map(row).join("\n")}\n`;
  });
  return `# Operations\n\nMade by \`npm run generate\` from the operations of \`packages/contract\`; [openapi.json](openapi.json) has their schemas.\n\n${sections.join("\n")}`;
}
