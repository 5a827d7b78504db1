import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";
import { untilListening } from "./until-listening.ts";

/** A real SMTP server that keeps the messages it receives. */
export type MailServer = AsyncDisposable & {
  /** For LODGE_SMTP_URL. */
  url: string;
  /** Resolves with all received messages, headers and text unchanged, once there are `count`. */
  until: (count: number) => Promise<string[]>;
};

/** Starts Debian's aiosmtpd on a given or free port. It permanently refuses messages of more than `bytesMax` bytes. */
export async function startMailServer({
  port,
  bytesMax = 1_000_000,
}: {
  port?: number;
  bytesMax?: number;
} = {}): Promise<MailServer> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-mail-"));
  const maildir = join(folder, "mail");
  const own = port ?? (await freePort());
  const child = spawn(
    "aiosmtpd",
    [
      "--nosetuid",
      "--listen",
      `127.0.0.1:${own}`,
      "--size",
      `${bytesMax}`,
      "--class",
      "aiosmtpd.handlers.Mailbox",
      maildir,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const exited = once(child, "exit");
  await untilListening(child, own);
  const read = async () => {
    const names = await readdir(join(maildir, "new"));
    // Their names start with increasing numbers.
    names.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
    return Promise.all(names.map((name) => readFile(join(maildir, "new", name), "utf8")));
  };
  return {
    url: `smtp://127.0.0.1:${own}`,
    until: async (count) => {
      await until(async () => (await read()).length >= count);
      return read();
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
