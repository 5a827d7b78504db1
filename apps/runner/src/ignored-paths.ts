import { spawn } from "node:child_process";
import { once } from "node:events";
import { deferred } from "./deferred.ts";
import { fixedParameters, type Git, GitError } from "./git.ts";
import type { Ignores } from "./import-tree.ts";

const answerTimeoutMs = 60_000;
const fieldsOfAnswer = 4;
/** A prefix for each path, so that git does not parse `:!name` as pathspec magic. */
const here = "./";

/**
 * Opens a `git check-ignore` that says which paths of a directory its `.gitignore` files exclude. It runs without
 * credentials and with the configuration of the runner's own repository. In the directory it only reads `.gitignore`
 * files.
 */
export function openIgnoredPaths(
  { host, directory = "", signal }: Git,
  root: string,
): { isIgnored: Ignores; close: () => void } {
  const child = spawn(
    "git",
    [...fixedParameters, "check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"],
    {
      cwd: root,
      env: {
        PATH: host.PATH,
        GIT_DIR: directory,
        GIT_WORK_TREE: root,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
      stdio: ["pipe", "pipe", "ignore"],
      signal,
    },
  );
  let fields: string[] = [""];
  let arrived = deferred<void>();
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const [first = "", ...rest] = text.split("\0");
    fields[fields.length - 1] += first;
    fields.push(...rest);
    arrived.resolve();
  });
  const ended = new Promise<never>((_, reject) => {
    child.on("error", reject).on("close", () => reject(new GitError("git check-ignore failed")));
  });
  ended.catch(() => {}); // the caller gets the error
  child.stdin.on("error", () => {});

  return {
    isIgnored: async (paths) => {
      if (paths.length === 0) return new Set();
      const asked = paths.map((path) => `${here}${path}\0`).join("");
      if (!child.stdin.write(asked, "latin1")) await Promise.race([once(child.stdin, "drain"), ended]);
      const deadline = AbortSignal.timeout(answerTimeoutMs);
      const late = once(deadline, "abort").then(() => Promise.reject(new GitError("git check-ignore did not answer")));
      late.catch(() => {});
      const wanted = paths.length * fieldsOfAnswer;
      while (fields.length <= wanted) {
        await Promise.race([arrived.promise, ended, late]);
        arrived = deferred();
      }
      const answers = fields.slice(0, wanted);
      fields = fields.slice(wanted);
      const ignored = new Set<string>();
      for (let index = 0; index < wanted; index += fieldsOfAnswer) {
        const [, , pattern = "", path = ""] = answers.slice(index, index + fieldsOfAnswer);
        if (pattern !== "" && !pattern.startsWith("!")) ignored.add(path.slice(here.length));
      }
      return ignored;
    },
    close: () => child.kill("SIGKILL"),
  };
}
