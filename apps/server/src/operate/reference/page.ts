/** A page of the guides: HTML generated from our own Markdown, beside the list of all guides and a search. */
export type Page = {
  title: string;
  main: string;
  query: string;
  links: { href: string; label: string; isCurrent: boolean }[];
};

/** The whole document. */
export function pageHtml({ title, main, query, links }: Page): string {
  const items = links.map(
    ({ href, label, isCurrent }) =>
      `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ""}>${toText(label)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toText(title)} · Lodge</title>
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body class="guides">
<nav aria-label="Documentation">
<form role="search" action="/docs/guides" method="get">
<label for="q">Search the guides</label>
<input id="q" name="q" type="search" maxlength="200" value="${toText(query)}">
<button type="submit">Search</button>
</form>
<ul>
<li><a href="/docs">API reference</a></li>
<li><a href="/docs/errors">Error codes</a></li>
</ul>
<ul>
${items.join("\n")}
</ul>
</nav>
<main>
${main}
</main>
</body>
</html>
`;
}

/** Escapes text for HTML. */
export const toText = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
