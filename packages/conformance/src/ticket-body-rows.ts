import { randomUUID } from "node:crypto";
import type { ErrorCode } from "@lodge/contract/errors";
import { expectFiled, ticketFiler, title } from "./file-ticket.ts";
import { type Check, expect, expectRefusal } from "./row.ts";
import type { Subject } from "./subject.ts";

/** The rows on the body of `POST /api/v1/tickets` and on its success response (sections 2.2, 2.3 and 7.1). */
export const ticketBodyRows = (subject: Subject): Check[] => [...acceptedRows(subject), ...refusedRows(subject)];

function acceptedRows(subject: Subject): Check[] {
  const file = ticketFiler(subject, subject.token);
  const accepts = (row: string, body: object): Check => ({
    section: "2.2",
    row,
    run: async () => expectFiled(await file(body)),
  });
  return [
    {
      section: "2.3",
      row: "a ticket is answered with 201, its ids, createdAt and url",
      run: async () => {
        const filed = await file({ title });
        expectFiled(filed);
        const fields = ["id", "title", "projectId", "boardId", "columnId", "createdAt", "url"];
        const missing = fields.filter((field) => typeof filed.body[field] !== "string");
        expect(missing.length === 0, `without ${missing.join(", ")}`);
        expect(filed.body.title === title, `title is ${JSON.stringify(filed.body.title)}`);
      },
    },
    accepts("a title of 200 characters outside the BMP", { title: "😀".repeat(200) }),
    accepts("a description of 20,000 characters", { title, description: "x".repeat(20_000) }),
    accepts("priority, startsAt and dueAt on the same day, and null in nullable fields", {
      title,
      priority: "high",
      startsAt: "2026-05-01",
      dueAt: "2026-05-01",
      assigneeUserId: null,
      agentRepositoryId: null,
    }),
  ];
}

function refusedRows(subject: Subject): Check[] {
  const file = ticketFiler(subject, subject.token);
  const refuses = (row: string, code: ErrorCode, body: unknown, status = 400): Check => ({
    section: "7.1",
    row,
    run: async () => expectRefusal(await file(body), status, code),
  });
  return [
    refuses("no title", "invalid_input", {}),
    refuses("an empty title", "invalid_input", { title: "" }),
    refuses("a title of 201 characters", "invalid_input", { title: "x".repeat(201) }),
    refuses("a description of 20,001 characters", "invalid_input", { title, description: "x".repeat(20_001) }),
    refuses("an unrecognised field", "invalid_input", { title, colour: "red" }),
    refuses("an unknown priority", "invalid_input", { title, priority: "urgent" }),
    refuses("a date that does not exist", "invalid_input", { title, dueAt: "2026-02-30" }),
    refuses("a body that is not JSON", "invalid_input", "{"),
    refuses("startsAt after dueAt", "invalid_date_range", { title, startsAt: "2026-05-02", dueAt: "2026-05-01" }),
    refuses("an assignee who is not a member", "not_a_member", { title, assigneeUserId: randomUUID() }),
    refuses("a repository that is not bound to the project", "invalid_agent_repository", {
      title,
      agentRepositoryId: randomUUID(),
    }),
    refuses("a project that does not exist", "project_not_found", { title, projectId: randomUUID() }, 404),
    refuses("a board that does not exist", "board_not_found", { title, boardId: randomUUID() }, 404),
    refuses("a column that does not exist", "column_not_found", { title, columnId: randomUUID() }, 404),
  ];
}
