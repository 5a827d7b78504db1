import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { openFileStore } from "./file-store.ts";
import { movingStore } from "./moving-store.ts";
import type { Store } from "./store.ts";

type Settings = Pick<Config, "dataDir" | "s3">;

/** The folder of attachments in a data directory. */
export const artifactFolder = ({ dataDir }: Pick<Config, "dataDir">) => join(dataDir, "artifacts");

/** Opens the store of the settings. A store in a bucket also finds files that are still in the data directory. */
export async function openStore({ dataDir, s3 }: Settings): Promise<Store> {
  const folder = artifactFolder({ dataDir });
  if (!s3) return openFileStore(folder);
  const { openS3Store } = await import("./s3-store.ts");
  const store = await openS3Store(s3, dataDir);
  const hasFiles = await stat(folder).catch(() => undefined);
  return hasFiles ? movingStore(store, await openFileStore(folder)) : store;
}
