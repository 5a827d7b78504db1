import { type ErrorCode, errorCodes, errors } from "@lodge/contract/errors";
import { errorsOf } from "@lodge/contract/operation";
import { operations } from "@lodge/contract/operations";

/** The requests that can be refused with a code; empty if all of them can. */
function requestsOf(code: ErrorCode): string[] {
  const requests = operations
    .map(({ operation }) => operation)
    .filter((operation) => errorsOf(operation).includes(code))
    .map(({ method, path }) => `${method} ${path}`);
  return requests.length === operations.length ? [] : requests;
}

/** Every error code with its status, cause and remedy, as Markdown. */
export function errorsMarkdown(): string {
  const sections = errorCodes.map((code) => {
    const { status, message, cause, remedy } = errors[code];
    return `## ${code}\n\nStatus ${status}. ${message}\n\n${cause}\n\n**What to do.** ${remedy}\n`;
  });
  return `# Error codes\n\nMade by \`npm run generate\` from \`packages/contract/src/errors.ts\`. Every error body is JSON: \`error\` has the code, \`message\` explains it to people, and \`docs\` links to the code on the server's copy of this page. Match on the code, because several codes share a status.\n\n${sections.join("\n")}`;
}

/** The same as an HTML page, with an anchor for each code. */
export function errorsHtml(): string {
  const sections = errorCodes.map((code) => {
    const { status, message, cause, remedy } = errors[code];
    const requests = requestsOf(code);
    const where =
      requests.length > 0 && requests.length <= 6 ? `<p>Returned by ${requests.map(inCode).join(", ")}.</p>` : "";
    return `<section id="${code}">
<h2><a href="#${code}">${code}</a> <small>${status}</small></h2>
<p><strong>${toHtml(message)}</strong></p>
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
<p>Every error body is JSON: <code>error</code> has the code, <code>message</code> explains it to people, and
<code>docs</code> links to the code on this page. Match on the code, because several codes share a status.
The <a href="/docs">API reference</a> lists all requests.</p>
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
