import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePort } from "./free-port.ts";
import { untilListening } from "./until-listening.ts";

/** A real S3 server. */
export type ObjectStore = AsyncDisposable & {
  /** Creates a new bucket with each call, and returns the settings for a server. */
  makeBucket: () => Promise<Record<string, string>>;
  /** Stops it until `start`; its objects are kept. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
};

const credentials = { accessKeyId: "tests", secretAccessKey: "known to the tests alone" };

/** Starts Debian's Ceph with one monitor, one in-memory store, and its S3 gateway. */
export async function startObjectStore(): Promise<ObjectStore> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "lodge-ceph-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const [monitorPort, gatewayPort, fsid] = [await freePort(), await freePort(), randomUUID()];
  const configuration = join(folder, "ceph.conf");
  await writeFile(
    configuration,
    `[global]
fsid = ${fsid}
mon host = v2:127.0.0.1:${monitorPort}
auth cluster required = none
auth service required = none
auth client required = none
ms bind ipv6 = false
ms bind msgr1 = false
${["mon ", ""].flatMap((of) => ["client", "cluster", "service"].map((role) => `ms ${of}${role} mode = crc`)).join("\n")}
paxos propose interval = 0.02
paxos min wait = 0.01
run dir = ${folder}
admin socket = ${folder}/$name.sock
log to file = false
log to stderr = false
mon cluster log to file = false
crash dir = ${folder}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
[mon]
mon data = ${folder}/mon
mon allow pool size one = true
[osd]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
[client.rgw]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
rgw thread pool size = 16
rgw enable usage log = false
rgw run sync thread = false
`,
  );
  for (const name of ["mon", "osd", "rgw"]) await mkdir(join(folder, name));
  const options = ["--conf", configuration];
  const monitorMap = join(folder, "monmap");
  await run("monmaptool", ["--create", "--addv", "a", `[v2:127.0.0.1:${monitorPort}]`, "--fsid", fsid, monitorMap]);
  await run("ceph-mon", [...options, "--mkfs", "--id", "a", "--monmap", monitorMap]);
  const monitor = started.use(start("ceph-mon", [...options, "-f", "--id", "a"]));
  await untilListening(monitor.child, monitorPort);
  const uuid = randomUUID();
  await run("ceph", [...options, "osd", "new", uuid]);
  await run("ceph-osd", [...options, "--mkfs", "--id", "0", "--osd-uuid", uuid]);
  started.use(start("ceph-osd", [...options, "-f", "--id", "0"]));
  const { accessKeyId, secretAccessKey } = credentials;
  const user = ["--uid=lodge", "--display-name=Lodge", `--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`];
  await run("radosgw-admin", [...options, "--name", "client.rgw", "user", "create", ...user]);
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  const startGateway = async () => {
    const running = start("radosgw", [...options, "-f", "--name", "client.rgw"]);
    await untilListening(running.child, gatewayPort);
    return running;
  };
  gateway = await startGateway();
  started.defer(() => gateway[Symbol.asyncDispose]());
  const all = started.move();
  return {
    makeBucket: async () => {
      const endpoint = `http://127.0.0.1:${gatewayPort}`;
      const bucket = `lodge-${randomUUID()}`;
      const { AwsClient } = await import("aws4fetch");
      const client = new AwsClient({ ...credentials, region: "us-east-1", service: "s3" });
      const { status } = await client.fetch(`${endpoint}/${bucket}`, { method: "PUT" });
      if (status !== 200) throw new Error(`the bucket was not made: ${status}`);
      return {
        LODGE_STORE: "s3",
        S3_ENDPOINT: endpoint,
        S3_BUCKET: bucket,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
        S3_FORCE_PATH_STYLE: "on",
      };
    },
    stop: async () => gateway[Symbol.asyncDispose](),
    start: async () => {
      gateway = await startGateway();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Starts a program that runs until it is disposed of. */
function start(program: string, args: string[]): AsyncDisposable & { child: ChildProcess } {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  return {
    child,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Runs a program to its end; throws with its output if it fails. */
async function run(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stdout}${stderr}`);
}
