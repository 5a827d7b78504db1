import { setImmediate } from "node:timers/promises";
import type { CsvChoices, CsvField, ImportPreview } from "@lodge/contract/dashboard/imports";
import { CreateTicket } from "@lodge/contract/dashboard/tickets";
import { csvLabelsMax, csvProblemsMax } from "@lodge/contract/limits";
import { compileCheck } from "@lodge/contract/problems";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import type { ImportedTicket } from "../tickets/write-imported.ts";
import { readNames } from "./csv-cells.ts";
import { type Fields, guessFields, readFields } from "./guess-fields.ts";
import type { CsvFile } from "./read-csv.ts";
import { readDay } from "./read-day.ts";

/** The tickets of a file, and what to report before they are created. */
export type ImportPlan = Pick<ImportPreview, "newColumns" | "newLabels" | "newPeople" | "problems" | "problemCount"> & {
  fields: Fields;
  tickets: ImportedTicket[];
  /** The missing labels to create. */
  labelsToMake: string[];
};

type Context = { columns: { id: string; name: string }[]; people: People };
type People = { byEmail: Map<string, string>; byName: Map<string, string | undefined> };
type Choices = Required<Omit<CsvChoices, "fields">>;

const rowsPerTurn = 200;
const priorities: Record<string, NonNullable<CreateTicket["priority"]>> = {
  ...Object.fromEntries(["", "none", "no priority", "undefined"].map((word) => [word, "none"])),
  ...Object.fromEntries(["low", "lowest", "minor", "trivial", "p3", "p4"].map((word) => [word, "low"])),
  ...Object.fromEntries(["medium", "normal", "p2"].map((word) => [word, "medium"])),
  ...Object.fromEntries(
    ["high", "highest", "urgent", "major", "critical", "blocker", "p0", "p1"].map((word) => [word, "high"]),
  ),
};
const fieldNames: Record<string, string> = { startsAt: "start date", dueAt: "due date" };
/** Trello appends the colour of a label to its name. */
const trelloColor = /\s*\((?:green|yellow|orange|red|purple|blue|sky|lime|pink|black)(?:_(?:dark|light))?\)$/;

/**
 * Reads the rows of a file as tickets of a board, by the same rules as a ticket that a person creates, and reports what
 * is wrong with each invalid line. Throws `invalid_input` for fields that do not match the file.
 */
export async function planImport(
  { db }: Deps,
  organisationId: string,
  boardId: string,
  file: CsvFile,
  { fields: named, ...chosen }: CsvChoices,
): Promise<ImportPlan> {
  const choices: Choices = { unknownColumn: "leftmost", unknownLabel: "create", unknownAssignee: "nobody", ...chosen };
  const context = {
    columns: await readColumns(db, organisationId, boardId),
    people: await readPeople(db, organisationId),
  };
  const fields = named === undefined ? guessFields(file.header) : readFields(named, file.header.length);
  const newColumns = new Set<string>();
  const newPeople = new Set<string>();
  const problems = collectProblems();
  const hasTitle = fields.includes("title");
  if (!hasTitle) problems.add(1, "no column is mapped to the title");
  const tickets: { line: number; ticket: ImportedTicket }[] = [];
  for (const [index, { line, cells }] of file.rows.entries()) {
    if (index % rowsPerTurn === 0) await setImmediate();
    const said = valuesOf(fields, cells);
    const ticket = readTicketOf(said, context, (message) => hasTitle && problems.add(line, message), {
      column: (name) => void newColumns.add(name),
      assignee: (name) => void newPeople.add(name),
      choices,
    });
    if (cells.slice(file.header.length).some((cell) => cell !== "")) {
      problems.add(line, `it has ${cells.length} cells, but the header has ${file.header.length}`);
    }
    tickets.push({ line, ticket });
  }
  const newLabels = await findNewLabels(db, organisationId, tickets);
  if (choices.unknownLabel === "create" && newLabels.size > csvLabelsMax) {
    problems.add(
      1,
      `the file has ${newLabels.size} labels that do not exist; an import creates at most ${csvLabelsMax}`,
    );
  }
  if (newLabels.size > 0 && choices.unknownLabel !== "create") {
    for (const { line, ticket } of tickets) {
      const unknown = ticket.labels.find((label) => newLabels.has(label));
      if (unknown === undefined) continue;
      if (choices.unknownLabel === "refuse") problems.add(line, `there is no label “${unknown}”`);
      ticket.labels = ticket.labels.filter((label) => !newLabels.has(label));
    }
  }
  return {
    fields,
    tickets: tickets.map(({ ticket }) => ticket),
    newColumns: listed(newColumns),
    newLabels: listed(newLabels),
    newPeople: listed(newPeople),
    labelsToMake: choices.unknownLabel === "create" ? [...newLabels] : [],
    ...problems.found(),
  };
}

const listed = (names: ReadonlySet<string>) => ({
  count: names.size,
  names: [...names].slice(0, csvProblemsMax).map((name) => name.slice(0, 100).toWellFormed()),
});

function collectProblems() {
  const messages = new Map<number, string>();
  return {
    /** Keeps only the first problem of a line. */
    add: (line: number, message: string) => {
      if (!messages.has(line)) messages.set(line, message);
    },
    found: () => ({
      problemCount: messages.size,
      problems: [...messages]
        .sort(([a], [b]) => a - b)
        .slice(0, csvProblemsMax)
        .map(([line, message]) => ({ line, message: `${message[0]?.toUpperCase()}${message.slice(1)}.` })),
    }),
  };
}

type Said = Record<CsvField, string> & { labelCells: string[] };

function valuesOf(fields: Fields, cells: readonly string[]): Said {
  const said: Said = {
    title: "",
    description: "",
    column: "",
    priority: "",
    labels: "",
    assignee: "",
    startsAt: "",
    dueAt: "",
    labelCells: [],
  };
  for (const [index, field] of fields.entries()) {
    const cell = cells[index] ?? "";
    if (field === "labels") said.labelCells.push(cell);
    else if (field) said[field] = field === "description" ? cell : cell.trim();
  }
  return said;
}

function readTicketOf(
  said: Said,
  { columns, people }: Context,
  problem: (message: string) => unknown,
  unknown: { column: (name: string) => void; assignee: (name: string) => void; choices: Choices },
): ImportedTicket {
  const { title, description, column: columnName, assignee } = said;
  const priority = priorities[said.priority.toLowerCase()];
  if (!priority) problem(`the priority “${cut(said.priority)}” is not none, low, medium or high`);
  const day = (field: "startsAt" | "dueAt") => {
    const found = said[field] === "" ? undefined : readDay(said[field]);
    if (said[field] !== "" && !found) {
      problem(`the ${fieldNames[field]} “${cut(said[field])}” is not a date like 2026-03-31`);
    }
    return found;
  };
  const column = columns.find(({ name }) => name.trim().toLowerCase() === columnName.toLowerCase());
  if (columnName !== "" && !column) {
    unknown.column(columnName);
    if (unknown.choices.unknownColumn === "refuse") problem(`the board has no column “${cut(columnName)}”`);
  }
  const assigneeUserId = assignee === "" ? undefined : findPerson(people, assignee);
  if (assignee !== "" && !assigneeUserId) {
    unknown.assignee(assignee);
    if (unknown.choices.unknownAssignee === "refuse") problem(`“${cut(assignee)}” is not a member`);
  }
  const labels = [
    ...new Set(said.labelCells.flatMap(readNames).map((label) => label.replace(trelloColor, "") || label)),
  ];
  const ticket = {
    title,
    description,
    columnId: (column ?? columns[0])?.id ?? "",
    priority: priority ?? "none",
    labels,
    ...(assigneeUserId && { assigneeUserId }),
    ...withDay("startsAt", day("startsAt")),
    ...withDay("dueAt", day("dueAt")),
  };
  const check = compileCheck(CreateTicket);
  if (!check.accepts(ticket)) {
    const { path = "", message = "is invalid" } = check.problemsOf(ticket)[0] ?? {};
    const [field = ""] = path.split("/").slice(1);
    const inWords = message.replace(" (Unicode code points)", "");
    problem(title === "" && field === "title" ? "the title is empty" : `the ${fieldNames[field] ?? field} ${inWords}`);
  }
  if (ticket.startsAt && ticket.dueAt && ticket.startsAt > ticket.dueAt) {
    problem("the start date is later than the due date");
  }
  return ticket;
}

const withDay = <Name extends "startsAt" | "dueAt">(name: Name, day: string | undefined) =>
  (day === undefined ? {} : { [name]: day }) as { [Key in Name]?: string };

const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);

/** Finds a member by e-mail address, or by a name that nobody else has. Trello adds a name in parentheses. */
function findPerson({ byEmail, byName }: People, text: string): string | undefined {
  const [first = text] = readNames(text);
  for (const name of [text, first, first.replace(/\s*\([^)]*\)$/, "")].map((each) => each.toLowerCase())) {
    const found = byEmail.get(name) ?? byName.get(name);
    if (found) return found;
  }
  return undefined;
}

async function readColumns(db: Deps["db"], organisationId: string, boardId: string) {
  return db
    .selectFrom("columns")
    .select(["id", "name"])
    .where("organisation_id", "=", organisationId)
    .where("board_id", "=", boardId)
    .orderBy("position")
    .orderBy("id")
    .execute();
}

/** The members, without the agent, whose runs a file must not start. */
async function readPeople(db: Deps["db"], organisationId: string): Promise<People> {
  const members = await db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .innerJoin("organisations", "organisations.id", "members.organisation_id")
    .select(["users.id", "users.name", "users.email"])
    .where("members.organisation_id", "=", organisationId)
    .whereRef("users.id", "!=", "organisations.agent_user_id")
    .execute();
  const named = Map.groupBy(members, ({ name }) => name.toLowerCase());
  return {
    byEmail: new Map(members.map(({ id, email }) => [email.toLowerCase(), id])),
    byName: new Map([...named].map(([name, having]) => [name, having.length === 1 ? having[0]?.id : undefined])),
  };
}

async function findNewLabels(
  db: Deps["db"],
  organisationId: string,
  tickets: readonly { ticket: ImportedTicket }[],
): Promise<Set<string>> {
  const named = new Set(tickets.flatMap(({ ticket }) => ticket.labels));
  if (named.size === 0) return named;
  const { rows } = await sql<{ name: string }>`
    select name from labels where organisation_id = ${organisationId} and name = any(${[...named]}::text[])`.execute(
    db,
  );
  return named.difference(new Set(rows.map(({ name }) => name)));
}
