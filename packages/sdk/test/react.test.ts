import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, type ErrorInfo } from "react";
import { renderToString } from "react-dom/server";
import { LodgeErrorBoundary, reactErrorHandlers } from "../src/react.ts";
import type { Lodge, Report } from "../src/types.ts";

/** Records the errors passed to `report`; other tests cover sending. */
function listen() {
  const reports: Report[] = [];
  const report: Lodge["report"] = async (handed) => {
    reports.push(handed);
    return { reportId: "", receipt: Promise.reject(new Error("not sent")).catch(() => undefined as never) };
  };
  return { reports, lodge: { report } as Lodge };
}

test("an error that reaches both the boundary and the root's handler is reported once, with its component stack", (t) => {
  t.mock.method(console, "error", () => {});
  const { reports, lodge } = listen();
  const boundary = new LodgeErrorBoundary({ lodge });
  const info: ErrorInfo = { componentStack: "\n    at Basket\n    at App" };
  const error = new Error("The basket is empty");
  boundary.componentDidCatch(error, info);
  reactErrorHandlers(lodge).onCaughtError(error, info);
  reactErrorHandlers(lodge).onUncaughtError(new Error("another"), info);
  assert.deepEqual(
    reports.map(({ error, tags, context }) => [(error as Error).message, tags?.react, context?.componentStack]),
    [
      ["The basket is empty", "boundary", info.componentStack],
      ["another", "uncaught", info.componentStack],
    ],
  );
});

test("the boundary shows its children until one fails, and then the fallback", () => {
  const { lodge } = listen();
  const html = renderToString(createElement(LodgeErrorBoundary, { lodge, fallback: "sorry" }, "fine"));
  assert.equal(html, "fine");
  const boundary = new LodgeErrorBoundary({ lodge, children: "fine", fallback: (error) => `${error}` });
  boundary.state = LodgeErrorBoundary.getDerivedStateFromError(new Error("broken"));
  assert.equal(boundary.render(), "Error: broken");
});
