import { type CsvField, csvFields } from "@lodge/contract/dashboard/imports";
import { invalidInput } from "../../platform/errors.ts";

/** The headers of our own exports, and of Trello, Jira, GitHub and Linear, without case, spaces and punctuation. */
const headers: Record<CsvField, readonly string[]> = {
  title: ["title", "summary", "cardname", "name", "subject", "issuetitle"],
  description: ["description", "carddescription", "body", "desc", "details", "notes"],
  column: ["column", "status", "listname", "list", "state"],
  priority: ["priority"],
  labels: ["labels", "label", "tags"],
  assignee: ["assignee", "assigneeemail", "assignees", "assignedto", "owner", "members"],
  startsAt: ["starts", "startdate", "start", "startsat", "customfieldstartdate"],
  dueAt: ["due", "duedate", "dueat", "deadline", "targetdate"],
};

/** The field of each column, or null for a skipped one. */
export type Fields = readonly (CsvField | null)[];

/**
 * Guesses the field of each column from the header. If several columns mean the same field, the first gets it, except
 * labels.
 */
export function guessFields(header: readonly string[]): Fields {
  const taken = new Set<CsvField>();
  return header.map((cell) => {
    const name = cell.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
    const field = csvFields.find((candidate) => headers[candidate].includes(name));
    if (!field || taken.has(field)) return null;
    if (field !== "labels") taken.add(field);
    return field;
  });
}

/** Parses the fields that a request names for the columns of a file. Throws `invalid_input`. */
export function readFields(fields: string, columnCount: number): Fields {
  const refuse = (message: string) => invalidInput([{ path: "/fields", message }]);
  const names = fields.split(",");
  if (names.length !== columnCount) throw refuse(`must name a field for each of the ${columnCount} columns`);
  const twice = names.find((name, index) => name !== "" && name !== "labels" && names.indexOf(name) < index);
  if (twice !== undefined) throw refuse(`must not name ${twice} twice`);
  return names.map((name) => {
    if (name === "") return null;
    if (!csvFields.some((field) => field === name)) throw refuse(`must be a list of ${csvFields.join(", ")}`);
    return name as CsvField;
  });
}
