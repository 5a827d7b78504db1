import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRepositoryAddress, repositoryOrFilePattern, repositoryPattern } from "./repositories.ts";

const remote: [string, string, string, string][] = [
  ["https://github.com/acme/web.git", "https", "github.com", "acme/web"],
  ["https://user:secret@GitHub.com:443/acme/web", "https", "github.com", "acme/web"],
  ["https://git.example.test:8443/acme/group/web.git/", "https", "git.example.test:8443", "acme/group/web"],
  ["https://[::1]:8443/web.git", "https", "[::1]:8443", "web"],
  ["http://git.example.test:80/web.git", "http", "git.example.test", "web"],
  ["http://git.example.test:443/web.git", "http", "git.example.test:443", "web"],
  ["ssh://git@gitlab.com:22/acme/web.git", "ssh", "gitlab.com", "acme/web"],
  ["git@github.com:acme/web.git", "ssh", "github.com", "acme/web"],
];

/** Each would have git run a program, read a file, or connect elsewhere than it seems. */
const refused = [
  "ext::sh -c touch% /tmp/ran",
  "fd::17",
  "file::/srv/web.git",
  "https::https://x.test/web.git",
  "remote-http::x",
  "--upload-pack=touch /tmp/ran",
  "-oProxyCommand=touch",
  "ssh://-oProxyCommand=touch/web.git",
  "ssh://git@-oProxyCommand=touch/web.git",
  "-oProxyCommand=x@host:web",
  "git@-host:web",
  "git@host:-x",
  "git@host::x",
  "git://git.example.test/web.git",
  "ftp://git.example.test/web.git",
  "EXT::sh",
  "/srv/git/web.git",
  "../web.git",
  "web.git",
  "C:/web.git",
  "host:web.git",
  "https://x.test",
  "https:///web.git",
  "https://good.test\\@evil.test/web.git",
  "https://good.test#@evil.test/web.git",
  "https://good.test?@evil.test/web.git",
  "https://good.test@evil.test@worse.test/web.git",
  "https://x.test/web.git\nhttps://y.test/",
  "https://x.test/a b",
  " https://x.test/web.git",
  "file://server/web.git",
];

test("the parts of a repository's URL decide where Git connects", () => {
  for (const [url, scheme, host, path] of remote) {
    assert.deepEqual(parseRepositoryAddress(url), { scheme, host, path }, url);
    assert.match(url, new RegExp(repositoryPattern, "u"));
  }
  assert.deepEqual(parseRepositoryAddress("file:///srv/web.git"), { scheme: "file", host: "", path: "srv/web" });
});

test("transport helpers, options, paths and ambiguous URLs are not accepted as repositories", () => {
  for (const url of refused) {
    assert.equal(parseRepositoryAddress(url), undefined, url);
    assert.doesNotMatch(url, new RegExp(repositoryOrFilePattern, "u"));
  }
  assert.match("file:///srv/web.git", new RegExp(repositoryOrFilePattern, "u"));
  assert.doesNotMatch("file:///srv/web.git", new RegExp(repositoryPattern, "u"));
});
