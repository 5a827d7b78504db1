import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { CallError } from "@lodge/contract/call";
import { fileTicket } from "@lodge/contract/calls.generated";
import { detectJob } from "./ci.ts";
import { contextOf } from "./ci-context.ts";
import { failureOf, openClient } from "./client.ts";
import { type Environment, readAddress, readToken, requireToken } from "./credentials.ts";
import { exitCodes, Failure } from "./failure.ts";
import { makeKey } from "./idempotency-key.ts";
import { resolveNames, withDefaults } from "./resolve-names.ts";
import type { Terminal } from "./terminal.ts";
import { fitDescription, fitTitle, readEnds } from "./text.ts";

/** The options of `lodge ticket create` (contract section 9). */
export type TicketOptions = {
  title: string;
  description?: string;
  descriptionFile?: string;
  project?: string;
  board?: string;
  column?: string;
  priority?: string;
  assignee?: string;
  repository?: string;
  starts?: string;
  due?: string;
  label?: string[];
  problem?: string;
  resolved?: boolean;
  key?: string;
  keyPart?: string;
  failNever?: boolean;
  dryRun?: boolean;
  json?: boolean;
  /** False with --no-context. */
  context?: boolean;
};

/** The characters that a header value can contain. */
const carried = /^[\t\x20-\x7e\x80-\xff]*$/;

type Filed = { id: string | null; url: string | null; occurrence?: number };

/** Files a ticket, and prints the address of its card. Returns the exit code; throws a `Failure`. */
export async function createTicket(options: TicketOptions, env: Environment, terminal: Terminal): Promise<number> {
  if (options.resolved && options.problem === undefined) throw new Failure("usage", "--resolved needs --problem.");
  if (options.key !== undefined && options.keyPart !== undefined) {
    throw new Failure(
      "usage",
      "--key sets the whole key, and --key-part adds to the generated one. Give only one of them.",
    );
  }
  if (options.key !== undefined && !carried.test(options.key)) {
    throw new Failure("usage", "--key has a character that a header cannot contain. Use letters, digits and hyphens.");
  }
  const job = detectJob(env);
  const isWithheld = job?.fork || job?.dependabot;
  const token = isWithheld ? readToken(env, terminal) : requireToken(env, terminal);
  if (!token) {
    terminal.say(
      job?.dependabot
        ? "No ticket was filed: Dependabot's runs only get Dependabot secrets, so LODGE_TOKEN is not set."
        : `No ticket was filed: ${job?.service} gives no secrets to jobs of forks, so LODGE_TOKEN is not set.`,
    );
    const nothing = { id: null, url: null, occurrence: null, replayed: false, idempotencyKey: null };
    if (options.json) terminal.print(JSON.stringify(nothing, null, 2));
    return exitCodes.done;
  }
  const address = readAddress(env);
  const { title, cut } = fitTitle(options.title);
  if (title === "") throw new Failure("usage", "--title is empty.");
  if (cut) terminal.say("The title was cut to 200 characters.");
  const context = options.context === false ? "" : contextOf(job?.service, env, options.problem !== undefined);
  const description = await readDescription(options, context, terminal);
  const key = makeKey(job, { ...options, title });
  if (key.stays && job && options.key === undefined) {
    terminal.explain(`The idempotency key is made from run ${job.run} of ${job.repository} on ${job.service}.`);
  }

  const secret = { address, secret: token, terminal };
  try {
    const places = await resolveNames(openClient(secret), withDefaults(options, env));
    const body = {
      title,
      ...(description !== undefined && { description }),
      ...places,
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(options.starts !== undefined && { startsAt: options.starts }),
      ...(options.due !== undefined && { dueAt: options.due }),
      ...(options.label && { labels: options.label }),
      ...(options.problem !== undefined && { problem: options.problem }),
      ...(options.resolved && { resolved: true }),
    };
    if (options.dryRun) {
      terminal.print(
        JSON.stringify({ dryRun: true, url: `${address}/api/v1/tickets`, idempotencyKey: key.key, body }, null, 2),
      );
      return exitCodes.done;
    }
    let replayed: string | null = null;
    const call = openClient({
      ...secret,
      headers: { "idempotency-key": key.key },
      onAnswer: ({ headers }) => {
        replayed = headers.get("idempotency-replayed");
      },
    });
    const ticket = (await call(fileTicket, { body: body as { title: string } })) as Filed;
    if (!key.stays && options.problem === undefined) {
      terminal.say("No CI service was recognised, so running this again files another ticket. --key prevents that.");
    }
    return report(ticket, replayed, key.key, options, terminal);
  } catch (error) {
    throw error instanceof CallError ? failureOf(error, address) : error;
  }
}

function report(
  { id, url, occurrence }: Filed,
  replayed: string | null,
  idempotencyKey: string,
  { json, resolved }: TicketOptions,
  terminal: Terminal,
): number {
  if (json) {
    const document = { id, url, occurrence: occurrence ?? null, replayed: replayed !== null, idempotencyKey };
    terminal.print(JSON.stringify(document, null, 2));
  } else if (url) terminal.print(url);
  if (id === null) terminal.say("Nothing to resolve: there is no open ticket for this problem.");
  else if (resolved) terminal.say("The problem is resolved.");
  else if (occurrence !== undefined && occurrence > 1) terminal.say(`Occurrence ${occurrence} of an open ticket.`);
  if (replayed === "true") terminal.say("This ticket was filed before. No new one was filed.");
  if (replayed !== "mismatch") return exitCodes.done;
  terminal.say(
    "The idempotency key was already used for a ticket with different content. That ticket is shown; no new one was filed.",
  );
  return exitCodes.mismatch;
}

/** The description with the CI context; of a long one only the start and the end. */
async function readDescription(
  { description, descriptionFile, failNever }: TicketOptions,
  context: string,
  terminal: Terminal,
): Promise<string | undefined> {
  if (description !== undefined && descriptionFile !== undefined) {
    throw new Failure("usage", "Give --description or --description-file, not both.");
  }
  if (description === undefined && descriptionFile === undefined) return context || undefined;
  const { text, leftOut } =
    description === undefined
      ? await readFileEnds(descriptionFile ?? "-", failNever === true, terminal)
      : { text: description, leftOut: 0 };
  if (descriptionFile !== undefined && text.trim() === "") {
    terminal.say(`${descriptionFile === "-" ? "Stdin" : descriptionFile} is empty, so the ticket has no log.`);
  }
  const fitted = fitDescription([text.trim() === "" ? "" : text, context].filter(Boolean).join("\n\n"), leftOut);
  if (fitted.leftOut > 0) {
    terminal.say(`The description was too long: ${fitted.leftOut} characters in the middle were left out.`);
  }
  return fitted.description;
}

/** With `--fail-never`, an unreadable file does not prevent the ticket: a job may die before it creates its log. */
async function readFileEnds(path: string, failNever: boolean, terminal: Terminal) {
  if (path === "-") return readEnds(process.stdin);
  try {
    if ((await stat(path)).isDirectory()) throw new Error("it is a directory");
    return await readEnds(createReadStream(path));
  } catch (error) {
    const { message } = error as Error;
    if (!failNever) throw new Failure("usage", `--description-file cannot be read: ${message}`);
    const text = `${path} could not be read: ${message}`;
    terminal.say(text);
    return { text, leftOut: 0 };
  }
}
