import { generate } from "./generated-files.ts";

// Writes every file that is generated from the sources; `npm run check` fails where one of them has drifted.
for (const { path, write } of await generate()) {
  await write();
  console.log(path);
}
