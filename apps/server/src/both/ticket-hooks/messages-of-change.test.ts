import assert from "node:assert/strict";
import { test } from "node:test";
import { type Changes, messagesOfChanges, type NotedChange } from "./messages-of-change.ts";

const update = (changes: Changes): NotedChange => ({ kind: "update", changes, commentId: null });
const entry = (kind: string, commentId: string | null = null): NotedChange => ({ kind, changes: null, commentId });
const placed = { boardId: { from: "1", to: "2" }, columnId: { from: "3", to: "4" } };
const at = "2026-03-01T08:00:00+00:00";
const shown = "2026-03-01T08:00:00.000Z";

test("several changes of a ticket in one transaction become one message of each type, with the changed fields", () => {
  const cases: [NotedChange[], object[]][] = [
    [[entry("ticket.filed")], [{ type: "ticket.created", changes: {} }]],
    [
      [update({ title: { from: "a", to: "b" } }), entry("ticket.changed")],
      [{ type: "ticket.changed", changes: { title: { from: "a", to: "b" } } }],
    ],
    [[update(placed), entry("ticket.moved")], [{ type: "ticket.moved", changes: placed }]],
    [
      [update({ ...placed, doneAt: { from: null, to: at } }), entry("ticket.moved")],
      [{ type: "ticket.done", changes: { ...placed, doneAt: { from: null, to: shown } } }],
    ],
    [
      [update({ ...placed, doneAt: { from: at, to: null } })],
      [{ type: "ticket.moved", changes: { ...placed, doneAt: { from: shown, to: null } } }],
    ],
    [
      [update({ archivedAt: { from: null, to: at } }), entry("ticket.archived")],
      [{ type: "ticket.archived", changes: { archivedAt: { from: null, to: shown } } }],
    ],
    [
      [update({ archivedAt: { from: at, to: null } }), entry("ticket.restored")],
      [{ type: "ticket.changed", changes: { archivedAt: { from: shown, to: null } } }],
    ],
    [
      [update({ title: { from: "a", to: "b" }, ...placed }), update({ title: { from: "b", to: "c" } })],
      [
        { type: "ticket.changed", changes: { title: { from: "a", to: "c" } } },
        { type: "ticket.moved", changes: placed },
      ],
    ],
    [[update({ title: { from: "a", to: "b" } }), update({ title: { from: "b", to: "a" } })], []],
    [[entry("ticket.commented", "5")], [{ type: "ticket.commented", changes: {}, commentId: "5" }]],
  ];
  for (const [noted, messages] of cases) assert.deepEqual(messagesOfChanges(noted), messages);
});
