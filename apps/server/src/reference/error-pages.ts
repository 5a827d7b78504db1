import { errorHelp } from "@lodge/contract/error-help";
import { type ErrorCode, errorMessages } from "@lodge/contract/errors";
import { errorsOf } from "@lodge/contract/operation";
import { operations } from "@lodge/contract/operations";
import { statusOf } from "../platform/errors.ts";

const codes = Object.keys(errorMessages) as ErrorCode[];

/** The requests that a code can be the answer to; none where it can be that of any. */
function requestsOf(code: ErrorCode): string[] {
  const requests = operations
    .map(({ operation }) => operation)
    .filter((operation) => errorsOf(operation).includes(code))
    .map(({ method, path }) => `${method} ${path}`);
  return requests.length === operations.length ? [] : requests;
}

/** Every error code with its status, its cause and what to do about it, as Markdown. */
export function errorsMarkdown(): string {
  const sections = codes.map((code) => {
    const { cause, remedy } = errorHelp[code];
    return `## ${code}\n\nStatus ${statusOf[code]}. ${errorMessages[code]}\n\n${cause}\n\n**What to do.** ${remedy}\n`;
  });
  return `# Error codes\n\nMade by \`npm run generate\` from \`packages/contract/src/error-help.ts\`. Every error body is JSON with the code in \`error\`, words for a person in \`message\`, and in \`docs\` the address of the code on this page as a server shows it. Match on the code: several of them share a status.\n\n${sections.join("\n")}`;
}

/** The same as the page of a server, each code under its name as the fragment. */
export function errorsHtml(): string {
  const sections = codes.map((code) => {
    const { cause, remedy } = errorHelp[code];
    const requests = requestsOf(code);
    const where =
      requests.length > 0 && requests.length <= 6 ? `<p>Answer of ${requests.map(inCode).join(", ")}.</p>` : "";
    return `<section id="${code}">
<h2><a href="#${code}">${code}</a> <small>${statusOf[code]}</small></h2>
<p><strong>${toHtml(errorMessages[code])}</strong></p>
<p>${toHtml(cause)}</p>
<h3>What to do</h3>
<p>${toHtml(remedy)}</p>
${where}
</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes · Lodge</title>
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body>
<main>
<h1>Error codes</h1>
<p>Every error body is JSON with the code in <code>error</code>, words for a person in <code>message</code>, and in
<code>docs</code> the address of the code on this page. Match on the code: several of them share a status.
All requests are in the <a href="/docs">reference</a>.</p>
${sections.join("\n")}
</main>
</body>
</html>
`;
}

const inCode = (text: string) => `<code>${escaped(text)}</code>`;
/** Plain text in which backticks mark code. */
const toHtml = (text: string) => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
