import { attempt } from "./attempt.ts";
import { classOf, isError, toJson } from "./to-json.ts";
import type { Breadcrumb } from "./types.ts";

const breadcrumbsMax = 100;
const lengthMax = 500;

const valuesMax = 100; // the properties to keep of a logged object

type Leave = (category: string, describe: () => string, level?: string) => void;

function leaveIn(breadcrumbs: Breadcrumb[]): Leave {
  let isBusy = false; // describing a value may call the console again
  return (category, describe, level) => {
    if (isBusy) return;
    isBusy = true;
    attempt(() => {
      const message = describe().slice(0, lengthMax);
      breadcrumbs.push({ at: new Date().toISOString(), category, message, ...(level && { level }) });
    });
    if (breadcrumbs.length > breadcrumbsMax) breadcrumbs.shift();
    isBusy = false;
  };
}

/** Replaces a method, until `ending` aborts, by a proxy with the name and properties of the original. */
function wrap<O extends object>(
  owner: O,
  name: keyof O,
  ending: AbortSignal,
  note: (args: unknown[], result: () => unknown, self: unknown) => unknown,
) {
  const original = owner[name] as (...args: unknown[]) => unknown;
  const replacement = new Proxy(original, {
    apply: (target, self, args) => note(args, () => Reflect.apply(target, self, args), self),
  });
  owner[name] = replacement as O[keyof O];
  ending.addEventListener("abort", () => {
    if (owner[name] === replacement) owner[name] = original as O[keyof O];
  });
}

/** Records console calls until `ending` aborts. */
export function noteConsole(breadcrumbs: Breadcrumb[], ending: AbortSignal, leave = leaveIn(breadcrumbs)): void {
  for (const level of ["debug", "log", "info", "warn", "error"] as const) {
    wrap(console, level, ending, (args, result) => {
      leave("console", () => args.map(describeValue).join(" "), level);
      return result();
    });
  }
}

/**
 * Records the console, requests, navigation and clicks of a page or worker until `ending` aborts. Wrapped functions
 * behave as before, and errors of the SDK never reach the page. Never records values of inputs.
 */
export function leaveBreadcrumbs(breadcrumbs: Breadcrumb[], ending: AbortSignal): void {
  const leave = leaveIn(breadcrumbs);
  noteConsole(breadcrumbs, ending, leave);
  noteFetch(leave, ending);
  if (globalThis.XMLHttpRequest) noteXhr(leave, ending);
  if (globalThis.History) notePage(leave, ending);
}

function noteFetch(leave: Leave, ending: AbortSignal) {
  wrap(globalThis, "fetch", ending, (args, result) => {
    const [input, init] = args as Parameters<typeof fetch>;
    const note = (outcome: unknown, level?: string) =>
      leave(
        "fetch",
        () => `${init?.method ?? (input as Request).method ?? "GET"} ${(input as Request).url ?? input}: ${outcome}`,
        level,
      );
    // The page gets the original promise, so that unhandled rejections are still reported as unhandled.
    return (result() as Promise<Response>).then(
      (response) => {
        note(response.status);
        return response;
      },
      (error) => {
        note(error, "error");
        throw error;
      },
    );
  });
}

function noteXhr(leave: Leave, ending: AbortSignal) {
  const opened = new WeakMap<XMLHttpRequest, string>();
  wrap(XMLHttpRequest.prototype, "open", ending, (args, result, self) => {
    attempt(() => {
      const request = self as XMLHttpRequest;
      const note = () => {
        const { status } = request;
        leave("xhr", () => `${opened.get(request)}: ${status || "failed"}`, status ? undefined : "error");
      };
      // Runs before the page's own listeners, which may add breadcrumbs.
      if (!opened.has(request)) request.addEventListener("loadend", note, { signal: ending });
      opened.set(request, `${`${args[0]}`.toUpperCase()} ${args[1]}`);
    });
    return result();
  });
}

function notePage(leave: Leave, ending: AbortSignal) {
  const navigated = () => leave("navigation", () => location.href);
  for (const name of ["pushState", "replaceState"] as const) {
    wrap(History.prototype, name, ending, (_args, result) => {
      const nothing = result();
      navigated();
      return nothing;
    });
  }
  const options = { capture: true, signal: ending };
  addEventListener("popstate", navigated, options);
  addEventListener(
    "click",
    (event) => leave("click", () => describeElement(event.composedPath()[0] as Element)),
    options,
  );
}

/** Plain objects and arrays as JSON; other objects, such as elements, by their class. */
const describeValue = (value: unknown) => {
  if (typeof value !== "object" || !value || isError(value)) return String(value);
  const isOfApp = ["[object Object]", "[object Array]"].includes(classOf(value));
  return isOfApp ? JSON.stringify(toJson(value, undefined, valuesMax)) : classOf(value);
};

/** The tag, id and classes of an element, and the text of a button or link. */
function describeElement(element: Element): string {
  const pressed = element.closest("a,button,summary,[role=button]");
  const { localName, id, classList } = pressed ?? element;
  const name = [localName + (id && `#${id}`), ...classList].join(".");
  const text = pressed?.textContent?.trim().slice(0, 50);
  return text ? `${name} "${text}"` : name;
}
