// `lodge-ask QUESTION`, for the command of a run: asks the people of the ticket and prints the first answer. It imports
// nothing of ours, for in a sandbox nothing of ours is there.
import { connect } from "node:net";

const [socketPath = "", ...words] = process.argv.slice(2);
let isAnswered = false;
const socket = connect({ path: socketPath, allowHalfOpen: true }, () => socket.end(words.join(" ")));
socket.on("error", () => {}); // the run is over
socket.on("data", (piece: Buffer) => {
  isAnswered = true;
  process.stdout.write(piece);
});
socket.on("close", () => {
  if (isAnswered) return void process.stdout.write("\n");
  process.stderr.write("Nobody has answered.\n");
  process.exitCode = 1;
});
