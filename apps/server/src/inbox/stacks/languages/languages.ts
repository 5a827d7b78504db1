import type { Language } from "../frame.ts";
import { dart } from "./dart.ts";
import { dotnet } from "./dotnet.ts";
import { elixir } from "./elixir.ts";
import { go } from "./go.ts";
import { javascript } from "./javascript.ts";
import { jvm } from "./jvm.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { swift } from "./swift.ts";

/** The supported languages, the most reliably recognised first. */
export const languages: readonly Language[] = [
  jvm,
  python,
  php,
  dart,
  elixir,
  go,
  rust,
  dotnet,
  ruby,
  javascript,
  swift,
];
