// Runs inside a sandbox, where there is no network but its own loopback: takes connections to a port there to the socket
// of the runner's proxy, and runs the command. It imports nothing of ours, for nothing of ours is in there.
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";

const [socketPath = "", command = ""] = process.argv.slice(2);
const signalled = 128;

const server = createServer((client) => {
  const proxy = connect(socketPath);
  client.on("error", () => proxy.destroy());
  proxy.on("error", () => client.destroy());
  client.pipe(proxy).pipe(client);
});
server.listen(3128, "127.0.0.1", () => {
  const child = spawn("/bin/sh", ["-c", command], { stdio: "inherit" });
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(signalled - 1);
  });
  child.on("exit", (code) => process.exit(code ?? signalled));
});
