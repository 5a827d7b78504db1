import { readFile } from "node:fs/promises";
import { parseRepositoryAddress } from "@lodge/contract/repositories";
import type { Forge } from "./ask-forge.ts";
import type { Asked } from "./asked.ts";
import { parseGitToken } from "./git-tokens.ts";
import { parseNetwork } from "./public-address.ts";
import type { RunnerSettings } from "./runner-settings.ts";

const tokenForm = /^ldgrun_[0-9A-Za-z]{49}$/;
const forgeForm = /^([^=]+)=(github|gitlab|gitea|forgejo)=(https:\/\/.+?)\/*$/;
const mebibyte = 1_048_576;
const minuteMs = 60_000;

/** The settings in the command line's options, and a sentence for each invalid option. */
export async function readSettings(asked: Asked): Promise<{ settings: RunnerSettings; wrong: string[] }> {
  const wrong: string[] = [];
  const parsed = <T>(option: string, texts: readonly string[], parse: (text: string) => T | undefined, as: string) =>
    texts.flatMap((text) => {
      const value = parse(text);
      if (value === undefined) wrong.push(`${option} ${text} must look like ${as}.`);
      return value === undefined ? [] : [value];
    });
  const settings: RunnerSettings = {
    url: asked.url.replace(/\/+$/, ""),
    token: await readToken(asked.tokenFile, wrong),
    tokenFile: asked.tokenFile,
    agent: agentOf(asked, wrong),
    concurrency: asked.concurrency,
    isSandboxed: asked.sandbox,
    allowsFiles: asked.allowFileRepositories,
    allowedHosts: asked.allowHost,
    networks: parsed("--allow-network", asked.allowNetwork, parseNetwork, "10.1.0.0/16"),
    gitTokens: parsed("--git-token", asked.gitToken, parseGitToken, "VARIABLE=host or VARIABLE=host:port"),
    forges: new Map(parsed("--forge", asked.forge, parseForge, "host[:port]=github|gitlab|gitea|forgejo=https://…")),
    opensDrafts: asked.draft,
    readable: asked.readable,
    passedNames: asked.passEnv,
    limits: {
      timeoutMs: asked.timeout * minuteMs,
      memoryBytesMax: asked.memory * mebibyte,
      processesMax: asked.processes,
    },
    workDir: asked.workDir,
    isOnce: asked.once,
  };
  const url = URL.canParse(asked.url) ? new URL(asked.url) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) wrong.push("--url must be an http or https address.");
  return { settings, wrong };
}

async function readToken(file: string, wrong: string[]): Promise<string> {
  const token = await readFile(file, "utf8").catch((error: Error) => {
    wrong.push(`--token-file cannot be read: ${error.message}`);
  });
  if (token === undefined) return "";
  if (!tokenForm.test(token.trim())) wrong.push(`--token-file ${file} does not contain a runner token (ldgrun_…).`);
  return token.trim();
}

function agentOf({ command, agent }: Asked, wrong: string[]): RunnerSettings["agent"] {
  if (agent === undefined || agent === "acp") {
    if (command === undefined) {
      wrong.push(agent ? "--agent acp needs --command." : "Choose what to run with --command or --agent.");
    }
    return { command: command ?? "true", speaksAcp: agent === "acp" };
  }
  if (command !== undefined) wrong.push("--command can only be combined with --agent acp.");
  return { preset: agent };
}

function parseForge(text: string): [string, Forge] | undefined {
  const [, host = "", kind, api = ""] = forgeForm.exec(text) ?? [];
  const address = parseRepositoryAddress(`https://${host}/x`);
  if (!address || kind === undefined) return undefined;
  return [address.host, { kind: kind === "forgejo" ? "gitea" : (kind as Forge["kind"]), api }];
}
