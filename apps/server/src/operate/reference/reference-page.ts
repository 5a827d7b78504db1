/** The page that shows the OpenAPI document, with the SHA-256 of `lodge.mjs` if the server serves it. */
export const referenceHtml = (commandSha256: string | undefined) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Lodge</title>
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body>
<header class="top"><a href="/docs/guides">Guides</a> <a href="/docs" aria-current="page">API reference</a>
<a href="/docs/errors">Error codes</a></header>
${commandSha256 === undefined ? "" : `<p class="checksum">SHA-256 of <a href="/lodge.mjs">lodge.mjs</a>: <code>${commandSha256}</code></p>\n`}<div id="reference"></div>
<noscript><main><h1>API reference</h1>
<p>This page needs JavaScript. The same is in <a href="/openapi.json">openapi.json</a>,
and <a href="/docs/errors">every error code</a> on a page of its own.</p></main></noscript>
<script src="/docs/redoc.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

/** Starts the renderer, without third-party fonts, logos or scripts. */
export const referenceScript = `Redoc.init("/openapi.json", {
  hideDownloadButton: false,
  nativeScrollbars: true,
  expandResponses: "",
  jsonSampleExpandLevel: 3,
  theme: {
    colors: { primary: { main: "#2f4bb3" } },
    typography: {
      fontFamily: "system-ui, sans-serif",
      headings: { fontFamily: "system-ui, sans-serif" },
      code: { fontFamily: "ui-monospace, monospace" },
    },
  },
}, document.getElementById("reference"));
`;

/** The styles of pages without a renderer. */
export const pagesCss = `.checksum {
  margin: 0;
  padding: 0.5rem 1.25rem;
  overflow-wrap: anywhere;
}
:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, sans-serif;
}
body {
  margin: 0;
}
header.top {
  display: flex;
  gap: 1rem;
  padding: 0.5rem 1.25rem;
}
.guides nav {
  padding: 1rem 1.25rem 0;
}
.guides nav ul {
  list-style: none;
  margin: 0.75rem 0;
  padding: 0;
  columns: 11rem;
}
.guides nav a[aria-current] {
  font-weight: 600;
}
.guides form {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem;
}
.guides input {
  flex: 1;
  min-width: 8rem;
  font: inherit;
}
.guides pre,
.guides table {
  display: block;
  overflow-x: auto;
}
.guides pre {
  padding: 0.75rem 1rem;
  background: light-dark(#f3f4f7, #20242e);
}
.guides th,
.guides td {
  padding: 0.25rem 0.75rem 0.25rem 0;
  text-align: left;
  vertical-align: top;
}
.guides h2 {
  font: 600 1.25rem/1.4 system-ui, sans-serif;
  margin: 2rem 0 0.5rem;
}
.guides code {
  overflow-wrap: anywhere;
}
@media (min-width: 60rem) {
  body.guides {
    display: grid;
    grid-template-columns: 17rem minmax(0, 1fr);
  }
  .guides nav ul {
    columns: auto;
  }
}
main {
  max-width: 46rem;
  margin: 0 auto;
  padding: 2rem 1.25rem 6rem;
}
section {
  border-top: 1px solid light-dark(#d8dbe2, #3a3f4b);
  padding: 0.75rem 1rem 0.5rem;
  margin: 0 -1rem;
  scroll-margin-top: 1rem;
}
section:target {
  background: light-dark(#eef1fb, #232a45);
}
h2 {
  font: 600 1.1rem/1.4 ui-monospace, monospace;
  margin: 0.5rem 0;
  overflow-wrap: anywhere;
}
h2 a {
  color: inherit;
  text-decoration: none;
}
h2 a:hover,
h2 a:focus-visible {
  text-decoration: underline;
}
h2 small {
  font-weight: 400;
  color: light-dark(#5a6172, #a4abbd);
}
h3 {
  font-size: 0.9rem;
  margin: 1rem 0 0;
}
p {
  margin: 0.35rem 0 0.6rem;
}
a {
  color: light-dark(#2f4bb3, #9db2ff);
}
code {
  font: 0.9em ui-monospace, monospace;
  overflow-wrap: anywhere;
}
`;
