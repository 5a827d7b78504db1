import { fileURLToPath } from "node:url";
import { bundleCli } from "../packages/cli/bundle.ts";

// Builds the published files of @lodge/cli: packages/cli/dist.
await bundleCli(fileURLToPath(new URL("../packages/cli/dist/lodge.mjs", import.meta.url)));
