import { createHash } from "node:crypto";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCli } from "../packages/cli/bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const paths = ["integrations/github-action/action.yml", "integrations/gitlab-component/templates/ticket.yml"];

/** The integrations by path, pinned to the SHA-256 of the `lodge.mjs` that a server of these sources serves. */
export async function pinnedIntegrations(): Promise<ReadonlyMap<string, string>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-pin-"));
  const file = join(folder.path, "lodge.mjs");
  await bundleCli(file);
  const checksum = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  const pinned = async (path: string) =>
    [path, (await readFile(join(root, path), "utf8")).replace(/\b[0-9a-f]{64}\b/, checksum)] as const;
  return new Map(await Promise.all(paths.map(pinned)));
}
