import { patienceMs } from "../../server/src/testing/slowness.ts";
import { until } from "../../server/src/testing/until.ts";
import type { Firefox } from "./firefox.ts";

const isTooLate = (began: number) => performance.now() > began + patienceMs();
// Firefox allows few idle callbacks at a time across processes, so on a busy machine a page may wait for one forever.
const idleTimeoutMs = 10_000;

/** A page in Firefox, controlled by real key presses and a real pointer. */
export type FirefoxPage = {
  goto: (path: string) => Promise<void>;
  /** Evaluates an expression in the page and awaits its value, which must be JSON. */
  evaluate: (expression: string) => Promise<unknown>;
  /** Waits until an expression is true in the page, even across navigations. */
  until: (expression: string) => Promise<void>;
  /** Waits for an element with this name or text. */
  see: (selector: string, name?: string) => Promise<void>;
  /** Waits until there is no such element. */
  miss: (selector: string, name?: string) => Promise<void>;
  click: (selector: string, name?: string) => Promise<void>;
  /** Types a text letter by letter, once a field has the focus. */
  type: (text: string) => Promise<void>;
  /** Presses keys together, such as `Control` and `k`. */
  press: (...keys: string[]) => Promise<void>;
  /** Drags an element over another by dispatching events, because WebDriver cannot start a drag in headless Firefox. */
  drag: (from: [selector: string, name?: string], to: [selector: string, name?: string]) => Promise<void>;
};

const keyCodes: Record<string, string> = {
  Enter: "\uE007",
  Escape: "\uE00C",
  Control: "\uE009",
  ArrowDown: "\uE015",
  ArrowRight: "\uE014",
};

/** An expression for the first visible element whose name contains this text. */
const found = (selector: string, name = "") =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((element) => element.checkVisibility() &&
    (element.ariaLabel ?? element.textContent).includes(${JSON.stringify(name)}))`;

/** Opens a page of a server in a new profile. */
export async function openFirefoxPage(firefox: Firefox, base: string): Promise<FirefoxPage & AsyncDisposable> {
  const profile = await firefox.openProfile();
  const { context, goto } = await profile.openTab(base);
  const evaluate = async (expression: string) => {
    const answer = (await firefox.send("script.evaluate", {
      expression: `(async () => JSON.stringify({ value: await (${expression}) }))()`,
      target: { context },
      awaitPromise: true,
    })) as { result?: { value: string }; exceptionDetails?: { text: string } };
    if (!answer.result) throw new Error(`In the page: ${answer.exceptionDetails?.text}`);
    return (JSON.parse(answer.result.value) as { value: unknown }).value;
  };
  const untilTrue = (expression: string) => {
    const began = performance.now();
    return until(async () => {
      if (isTooLate(began)) throw new Error(`This did not become true in the page: ${expression}`);
      try {
        return (await evaluate(`Boolean(${expression})`)) === true;
      } catch {
        return false; // during a navigation
      }
    });
  };
  /** Waits until the page is idle, because new elements get their handlers and the focus by then. */
  const untilIdle = () =>
    evaluate(`new Promise((resolve) => requestIdleCallback(() => resolve(true), { timeout: ${idleTimeoutMs} }))`);
  const perform = (actions: object[]) => firefox.send("input.performActions", { context, actions });
  const keys = (actions: object[]) => perform([{ type: "key", id: "keys", actions }]);
  const place = async (selector: string, name?: string) => {
    for (;;) {
      await untilTrue(found(selector, name));
      const at = (await evaluate(`(() => {
        const element = ${found(selector, name)};
        if (!element) return null;
        element.scrollIntoView({ block: "nearest", inline: "nearest" });
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x + width / 2, y + Math.min(height / 2, 30)];
      })()`)) as [number, number] | null;
      // The page may have been replaced since the element was found.
      if (at) return { x: Math.round(at[0]), y: Math.round(at[1]) };
    }
  };
  const pointer = (actions: object[]) =>
    perform([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }]);
  const code = (key: string) => keyCodes[key] ?? key;
  return {
    goto: (path) => goto(`${base}${path}`),
    evaluate,
    until: untilTrue,
    see: (selector, name) => untilTrue(found(selector, name)),
    miss: (selector, name) => untilTrue(`!${found(selector, name)}`),
    click: async (selector, name) => {
      const up = { type: "pointerUp", button: 0 };
      const began = performance.now();
      for (;;) {
        const at = await place(selector, name);
        await evaluate(`(() => {
          const element = ${found(selector, name)};
          const aim = globalThis.aim = { element, top: element?.getBoundingClientRect().top };
          element?.addEventListener("pointerdown", () => { aim.isHit = true }, { once: true });
          element?.addEventListener("click", () => { aim.isClicked = true }, { once: true });
        })()`);
        const failure = await pointer([
          { type: "pointerMove", ...at },
          { type: "pointerDown", button: 0 },
        ]).then(
          () => undefined,
          (error: Error) => error, // a new page may have nothing at this position yet
        );
        // New content may have moved the element. Releasing the button elsewhere does not click.
        if (await evaluate("Boolean(globalThis.aim?.isHit)")) {
          await pointer([up]);
          const isMissed = `(() => {
            const { element, top, isClicked } = globalThis.aim ?? { isClicked: true };
            return !isClicked && element.isConnected && element.getBoundingClientRect().top !== top;
          })()`;
          if (!(await evaluate(isMissed))) return;
        } else if (!failure) await pointer([{ type: "pointerMove", x: 0, y: 0 }, up]);
        if (isTooLate(began)) throw failure ?? new Error(`Could not click this in the page: ${selector}`);
      }
    },
    type: async (text) => {
      await untilTrue(`document.activeElement.matches("input, textarea, [contenteditable]")`); // a dialog may still open
      await untilIdle();
      await keys([...text].flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value }))));
    },
    press: async (...pressed) => {
      await untilIdle();
      const down = pressed.map((key) => ({ type: "keyDown", value: code(key) }));
      const up = pressed.toReversed().map((key) => ({ type: "keyUp", value: code(key) }));
      await keys([...down, ...up]);
    },
    drag: async (from, to) => {
      const [start, end] = [await place(...from), await place(...to)];
      await evaluate(`(async () => {
        const dataTransfer = new DataTransfer();
        const fire = async (element, type, { x, y }) => {
          const at = { clientX: x, clientY: y };
          element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer, ...at }));
          await new Promise(requestAnimationFrame);
        };
        const [start, end] = ${JSON.stringify([start, end])};
        const dragged = document.elementFromPoint(start.x, start.y).closest("[draggable=true]");
        const target = document.elementFromPoint(end.x, end.y);
        await fire(dragged, "dragstart", start);
        for (const type of ["dragenter", "dragover", "drop"]) await fire(target, type, end);
        await fire(dragged, "dragend", end);
      })()`);
    },
    [Symbol.asyncDispose]: () => profile[Symbol.asyncDispose](),
  };
}
