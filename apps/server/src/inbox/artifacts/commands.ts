import type { Command } from "commander";
import type { Config } from "../../platform/config/config.ts";
import { OperatorError } from "../../platform/errors.ts";

/** `lodged artifacts` */
export function addArtifactCommands(program: Command, readSettings: () => Config): void {
  program
    .command("artifacts")
    .description("manage the storage of attachments")
    .command("move")
    .description(
      "move attachments from the data directory to the LODGE_STORE=s3 bucket, with servers running; prints how many",
    )
    .action(async () => {
      const { dataDir, s3 } = readSettings();
      if (!s3) throw new OperatorError("There is no bucket to move to. Set LODGE_STORE=s3 and the S3_* settings.");
      const { openFileStore } = await import("../../platform/store/file-store.ts");
      const { moveObjects } = await import("../../platform/store/moving-store.ts");
      const { artifactFolder } = await import("../../platform/store/open-store.ts");
      const { openS3Store } = await import("../../platform/store/s3-store.ts");
      const files = await openFileStore(artifactFolder({ dataDir }));
      console.log(JSON.stringify(await moveObjects(files, await openS3Store(s3, dataDir)), null, 2));
    });
}
