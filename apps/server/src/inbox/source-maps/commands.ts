import { type Command, Option } from "commander";

type UploadOptions = { app: string; release?: string; uuid?: string; json?: true };

/** `lodged sourcemaps`: runs the command of the same name of `lodge`. */
export function addSourceMapCommands(program: Command, env: Readonly<Record<string, string | undefined>>): void {
  const sourceMaps = program
    .command("sourcemaps")
    .description("prepare and upload source maps, with LODGE_URL and LODGE_TOKEN");
  sourceMaps
    .command("inject")
    .argument("<folder>", "the folder with the bundled files")
    .description("add a debug id to each bundled file; run it before files are hashed or uploaded")
    .option("--json", "print one JSON document")
    .action(async (folder: string, { json }: { json?: true }) => {
      const { run } = await import("@lodge/cli/command-line");
      process.exitCode = await run(["sourcemaps", "inject", ...(json ? ["--json"] : []), "--", folder], env);
    });
  sourceMaps
    .command("upload")
    .argument("<folder>", "the folder with the bundled files, as deployed, or with R8's mapping.txt")
    .description(
      "upload the source maps of a build, without the sources of libraries, or the mapping file of an Android build",
    )
    .addOption(new Option("--app <slug>", "the slug of the app").makeOptionMandatory())
    .option(
      "--release <version>",
      "the release or version in the app's reports; not needed if the files have debug ids",
    )
    .option("--uuid <uuid>", "the ProGuard UUID of the Android build, which Sentry's Gradle plugin writes")
    .option("--json", "print one JSON document")
    .action(async (folder: string, { app, release, uuid, json }: UploadOptions) => {
      const { run } = await import("@lodge/cli/command-line");
      const options = [
        `--app=${app}`,
        ...(release === undefined ? [] : [`--release=${release}`]),
        ...(uuid === undefined ? [] : [`--uuid=${uuid}`]),
        ...(json ? ["--json"] : []),
      ];
      process.exitCode = await run(["sourcemaps", "upload", ...options, "--", folder], env);
    });
}
