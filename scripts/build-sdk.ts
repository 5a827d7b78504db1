import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildPackage } from "../packages/sdk/build-package.ts";

// Builds the published files of @lodge/sdk: packages/sdk/dist.
const dist = fileURLToPath(new URL("../packages/sdk/dist", import.meta.url));

rmSync(dist, { recursive: true, force: true });
for (const { file, gzipBytes, gzipBytesMax } of await buildPackage(dist)) {
  console.error(`@lodge/sdk: ${file} is ${gzipBytes} bytes after gzip, of ${gzipBytesMax}`);
}
