// These functions run as separate programs in the sandbox: the source of each is written to a file of the run. They
// must not use anything outside their own body.

/**
 * Forwards connections from a port of the sandbox's loopback, its only network, to the socket of the runner's proxy,
 * and runs the command.
 */
async function enterSandbox() {
  const { spawn } = await import("node:child_process");
  const { connect, createServer } = await import("node:net");
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
}

/** `lodge-ask QUESTION`: asks the people of the ticket and prints the first answer. */
async function askPeople() {
  const { connect } = await import("node:net");
  const [socketPath = "", ...words] = process.argv.slice(2);
  let isAnswered = false;
  const socket = connect({ path: socketPath, allowHalfOpen: true }, () => socket.end(words.join(" ")));
  socket.on("error", () => {}); // the run is over
  socket.on("data", (piece) => {
    isAnswered = true;
    process.stdout.write(piece);
  });
  socket.on("close", () => {
    if (isAnswered) return void process.stdout.write("\n");
    process.stderr.write("Nobody answered.\n");
    process.exitCode = 1;
  });
}

/** The program that starts the command in a sandbox. */
export const entryProgram = `(${enterSandbox})();\n`;
/** The program of `lodge-ask`. */
export const askProgram = `(${askPeople})();\n`;
