import { make } from "./make-element.ts";
import type { Replies, Thread } from "./replies.ts";
import type { widgetTexts } from "./widget-texts.ts";

const textLengthMax = 20_000;

/** The conversations with the team, and a way to go on with each; hidden while there is none. */
export function createAnswers(texts: typeof widgetTexts, { threads, reply }: Replies): HTMLElement {
  const heading = make("summary", {});
  const list = make("div", { className: "threads" });
  const element = make("details", { className: "answers", hidden: true }, [heading, list]);

  const say = ({ author, authorName, text, createdAt }: Thread["messages"][number]) =>
    make("li", { className: author }, [
      make("b", { textContent: author === "reporter" ? texts.you : (authorName ?? texts.team) }),
      make("time", { dateTime: createdAt, textContent: new Date(createdAt).toLocaleString() }),
      make("span", { textContent: text }),
    ]);

  function writeAnswer({ id }: Thread, index: number): HTMLElement {
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
      status.textContent = texts.sending;
      try {
        await reply(id, text.value);
        await show();
        element.querySelector<HTMLElement>(`#answer-${index}`)?.focus();
      } catch {
        send.disabled = false;
        status.textContent = navigator.onLine ? texts.failed : texts.offline;
      }
    };
    return form;
  }

  async function show() {
    const shown = await threads();
    heading.textContent = `${texts.answers} (${shown.length})`;
    element.hidden = shown.length === 0;
    list.replaceChildren(
      ...shown.map((thread, index) =>
        make("section", { ariaLabel: thread.messages[0]?.text.slice(0, 80) ?? "" }, [
          make("ol", {}, thread.messages.map(say)),
          thread.closed ? make("p", { textContent: texts.closed }) : writeAnswer(thread, index),
        ]),
      ),
    );
  }
  void show().catch(() => {});
  return element;
}
