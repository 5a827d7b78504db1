import { generate } from "./generated-files.ts";

// Writes every file that is generated from the sources. `npm run check` fails if one of them is out of date.
for (const { path, write } of await generate()) {
  await write();
  console.log(path);
}
