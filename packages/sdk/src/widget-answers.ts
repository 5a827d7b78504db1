import { make } from "./make-element.ts";
import type { Replies, Thread } from "./replies.ts";
import type { widgetTexts } from "./widget-texts.ts";

const textLengthMax = 20_000;

/** A conversation on the page. An update adds messages and keeps the answer that is being written. */
type Shown = { element: HTMLElement; update: (thread: Thread) => void };

/**
 * The conversations with the team, each with a form to answer; hidden while there is none. New messages appear until
 * `signal` aborts. The list opens if the team wrote last, or when it writes, unless the reporter `isWriting` a report.
 */
export function createAnswers(
  texts: typeof widgetTexts,
  { watchThreads, reply }: Replies,
  isWriting: () => boolean,
  signal: AbortSignal,
): HTMLElement {
  const heading = make("span", {});
  const news = make("span", { className: "news", role: "status" });
  const list = make("div", { className: "threads" });
  const summary = make("summary", {}, [heading, " ", news]);
  const element = make("details", { className: "answers", hidden: true }, [summary, list]);
  summary.onclick = () => {
    news.textContent = "";
  };

  function say(author: "reporter" | "team", name: string, at: string, text: string, note = ""): HTMLElement {
    return make("li", { className: author }, [
      make("b", { textContent: name }),
      make("time", { dateTime: at, textContent: new Date(at).toLocaleString() }),
      make("span", { textContent: text }),
      ...(note ? [make("small", { textContent: note })] : []),
    ]);
  }

  function writeAnswer(id: string, index: number): HTMLFormElement {
    const text = make("textarea", { id: `answer-${index}`, required: true, maxLength: textLengthMax, rows: 2 });
    const send = make("button", { type: "submit", textContent: texts.reply });
    const status = make("p", { role: "status" });
    const form = make("form", {}, [
      make("label", { htmlFor: text.id, textContent: texts.answer }),
      text,
      make("div", { className: "row end" }, [send]),
      status,
    ]);
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (send.disabled) return;
      send.disabled = true;
      try {
        const { receipt } = await reply(id, text.value);
        text.value = "";
        status.textContent = navigator.onLine ? texts.sending : texts.later;
        text.focus();
        receipt.then(
          () => {
            status.textContent = "";
          },
          () => {
            status.textContent = texts.failed;
          },
        );
      } catch {
        status.textContent = texts.failed;
      }
      send.disabled = false;
    };
    return form;
  }

  function showThread({ id, messages: [first], unsent: [written] }: Thread, index: number): Shown {
    const said = make("ol", { ariaLive: "polite" });
    const form = writeAnswer(id, index);
    const closed = make("p", { textContent: texts.closed, hidden: true });
    const items = new Map<string, HTMLElement>();
    return {
      element: make("section", { ariaLabel: (first ?? written)?.text.slice(0, 80) ?? "" }, [said, form, closed]),
      update: (thread) => {
        const wanted = new Map<string, () => HTMLElement>();
        for (const { number, author, authorName, text, createdAt } of thread.messages) {
          const name = author === "reporter" ? texts.you : (authorName ?? texts.team);
          wanted.set(`${number}`, () => say(author, name, createdAt, text));
        }
        for (const { messageId, text, writtenAt, refused } of thread.unsent) {
          const note = refused ? texts.failed : texts.unsent;
          wanted.set(`${messageId} ${refused}`, () => say("reporter", texts.you, writtenAt, text, note));
        }
        for (const [key, item] of items) {
          if (wanted.has(key)) continue;
          item.remove();
          items.delete(key);
        }
        let last: Element | null = null;
        for (const [key, makeItem] of wanted) {
          let item = items.get(key);
          if (!item) {
            item = makeItem();
            items.set(key, item);
            if (last) last.after(item);
            else said.prepend(item);
          }
          last = item;
        }
        form.hidden = thread.closed;
        closed.hidden = !thread.closed;
      },
    };
  }

  const shown = new Map<string, Shown>();
  let fromTeam: number | undefined;
  const stop = watchThreads((threads) => {
    for (const [index, thread] of threads.entries()) {
      let one = shown.get(thread.id);
      if (!one) {
        one = showThread(thread, shown.size);
        shown.set(thread.id, one);
        if (index === 0) list.prepend(one.element);
        else list.append(one.element);
      }
      one.update(thread);
    }
    const answers = threads.flatMap(({ messages }) => messages).filter(({ author }) => author === "team").length;
    const isNew = answers > (fromTeam ?? answers);
    if (isNew) news.textContent = texts.news;
    const isAwaited = fromTeam === undefined && threads.some(awaitsReporter);
    if ((isNew || isAwaited) && !isWriting()) element.open = true;
    fromTeam = answers;
    heading.textContent = `${texts.answers} (${threads.length})`;
    element.hidden = threads.length === 0;
  });
  signal.addEventListener("abort", stop);
  return element;
}

const awaitsReporter = ({ closed, messages, unsent }: Thread) =>
  !closed && unsent.length === 0 && messages.at(-1)?.author === "team";
