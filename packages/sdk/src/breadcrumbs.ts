import { attempt } from "./attempt.ts";
import { classOf, isError } from "./to-json.ts";
import type { Breadcrumb } from "./types.ts";

const breadcrumbsMax = 100;
const lengthMax = 500;

/**
 * Notes what happens in the page until `ending` says so: console, fetch, navigation, clicks. What
 * the page calls does what it did before; what goes wrong in here stays in here. Values of inputs are never noted.
 */
export function leaveBreadcrumbs(breadcrumbs: Breadcrumb[], ending: AbortSignal): void {
  let isBusy = false; // whoever is described may himself log
  const leave = (category: string, describe: () => string, level?: string) => {
    if (isBusy) return;
    isBusy = true;
    attempt(() => {
      const message = describe().slice(0, lengthMax);
      breadcrumbs.push({ at: new Date().toISOString(), category, message, ...(level && { level }) });
    });
    if (breadcrumbs.length > breadcrumbsMax) breadcrumbs.shift();
    isBusy = false;
  };
  /** A proxy has the name and the properties of what it stands for. */
  const wrap = <O extends object>(
    owner: O,
    name: keyof O,
    note: (args: unknown[], result: () => unknown) => unknown,
  ) => {
    const original = owner[name] as (...args: unknown[]) => unknown;
    const replacement = new Proxy(original, {
      apply: (target, self, args) => note(args, () => Reflect.apply(target, self, args)),
    });
    owner[name] = replacement as O[keyof O];
    ending.addEventListener("abort", () => {
      if (owner[name] === replacement) owner[name] = original as O[keyof O];
    });
  };

  for (const level of ["debug", "log", "info", "warn", "error"] as const) {
    wrap(console, level, (args, result) => {
      leave("console", () => args.map(describeValue).join(" "), level);
      return result();
    });
  }
  wrap(globalThis, "fetch", (args, result) => {
    const [input, init] = args as Parameters<typeof fetch>;
    const note = (outcome: unknown, level?: string) =>
      leave(
        "fetch",
        () => `${init?.method ?? (input as Request).method ?? "GET"} ${(input as Request).url ?? input}: ${outcome}`,
        level,
      );
    // What the page is given is what it would have been given, also in whether anybody handles its rejection.
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
  const navigated = () => leave("navigation", () => location.href);
  for (const name of ["pushState", "replaceState"] as const) {
    wrap(History.prototype, name, (_args, result) => {
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

const describeValue = (value: unknown) =>
  typeof value === "object" && value && !isError(value) ? classOf(value) : String(value);

/** Its tag, id and classes, and what is written on it where it is made to be pressed. */
function describeElement(element: Element): string {
  const pressed = element.closest("a,button,summary,[role=button]");
  const { localName, id, classList } = pressed ?? element;
  const name = [localName + (id && `#${id}`), ...classList].join(".");
  const text = pressed?.textContent?.trim().slice(0, 50);
  return text ? `${name} "${text}"` : name;
}
