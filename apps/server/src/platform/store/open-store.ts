import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { openFileStore } from "./file-store.ts";
import type { Store } from "./store.ts";

/** The store of the settings. */
export const openStore = ({ dataDir }: Pick<Config, "dataDir">): Promise<Store> =>
  openFileStore(join(dataDir, "artifacts"));
