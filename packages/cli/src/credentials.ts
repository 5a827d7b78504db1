import { readFileSync } from "node:fs";
import { Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** The environment variables of the command. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The characters of tokens and keys that a header can carry. */
const plain = /^[\x21-\x7e]+$/;

/** The address of Lodge without a trailing slash; throws if `LODGE_URL` is missing or invalid. */
export function readAddress({ LODGE_URL: given }: Environment): string {
  if (!given) throw new Failure("usage", "Set LODGE_URL to the address of Lodge, like https://lodge.example.com.");
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Failure("usage", "LODGE_URL must be an http or https address without a password.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** The API token from `LODGE_TOKEN` or the file in `LODGE_TOKEN_FILE`; undefined if neither is set. */
export function readToken(environment: Environment, terminal: Terminal): string | undefined {
  const given = environment.LODGE_TOKEN?.trim();
  const token = (isUndefinedVariable(given) ? "" : given) || readFileOf(environment.LODGE_TOKEN_FILE);
  if (!token) return undefined;
  terminal.hide(token);
  if (token.startsWith("ldgpub_")) {
    throw new Failure(
      "usage",
      "LODGE_TOKEN holds an SDK key. Set it to an API token (ldg_…). The SDK key belongs in LODGE_KEY.",
    );
  }
  if (!plain.test(token)) throw new Failure("usage", "LODGE_TOKEN is not a token. Set it to an API token (ldg_…).");
  return token;
}

/** Like `readToken`, but throws if there is no token. */
export function requireToken(environment: Environment, terminal: Terminal): string {
  const token = readToken(environment, terminal);
  if (token) return token;
  const { LODGE_TOKEN_FILE: file } = environment;
  const given = environment.LODGE_TOKEN?.trim();
  if (isUndefinedVariable(given))
    throw new Failure("usage", `LODGE_TOKEN holds ${given}: the variable is not defined.`);
  throw new Failure(
    "usage",
    file
      ? `LODGE_TOKEN_FILE names ${file}, which is empty. Write the API token to it.`
      : "Set LODGE_TOKEN, or LODGE_TOKEN_FILE to a file with the API token.",
  );
}

/** Azure Pipelines passes `$(NAME)` literally if the variable does not exist or is withheld. */
const isUndefinedVariable = (text = "") => /^\$\([\w.]+\)$/.test(text);

/** The SDK key from `LODGE_KEY`; throws if it is not set. */
export function readKey({ LODGE_KEY: given }: Environment, terminal: Terminal): string {
  const key = given?.trim();
  if (!key) throw new Failure("usage", "Set LODGE_KEY to the SDK key of the app.");
  if (isUndefinedVariable(key)) throw new Failure("usage", `LODGE_KEY holds ${key}: the variable is not defined.`);
  terminal.hide(key);
  if (key.startsWith("ldg_")) {
    throw new Failure("usage", "LODGE_KEY holds an API token. Set it to an SDK key (ldgpub_…).");
  }
  if (!plain.test(key)) throw new Failure("usage", "LODGE_KEY is not a key. Set it to an SDK key (ldgpub_…).");
  return key;
}

function readFileOf(path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch (error) {
    throw new Failure("usage", `LODGE_TOKEN_FILE cannot be read: ${(error as Error).message}`);
  }
}
