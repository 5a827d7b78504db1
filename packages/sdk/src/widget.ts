import { make } from "./make-element.ts";
import type { Replies } from "./replies.ts";
import type { Lodge, ReportKind } from "./types.ts";
import { createAnswers } from "./widget-answers.ts";
import { createPicture } from "./widget-picture.ts";
import { widgetStyles } from "./widget-styles.ts";
import { widgetTexts } from "./widget-texts.ts";

/** The options of a widget. */
export type WidgetOptions = {
  texts?: Partial<typeof widgetTexts>;
  /** Takes a screenshot of the page. Without it, reporters can only pick a file. */
  screenshot?: () => Blob | undefined | Promise<Blob | undefined>;
  tags?: Record<string, string>;
  context?: Record<string, unknown>;
};

/** An open widget. */
export type Widget = {
  close: () => void;
  /** Resolves when the widget is closed, with the id of the report, or with undefined if none was sent. */
  closed: Promise<string | undefined>;
};

/** After this time without a response, the widget says that the report will be sent later. */
const sentLaterMs = 5000;

/**
 * Opens a dialog for writing a report, on top of the page and its own modals. The accent colour comes from the CSS
 * variable `--lodge-accent`, light or dark mode from `prefers-color-scheme`. With a `Lodge` that has replies, the
 * conversations with the team are above the form.
 */
export function openWidget(
  lodge: Lodge & Partial<Replies>,
  { texts: own, screenshot, tags, context }: WidgetOptions = {},
): Widget {
  const texts = { ...widgetTexts, ...own };
  const host = document.createElement("div");
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(widgetStyles);
  shadow.adoptedStyleSheets = [sheet];

  const message = make("textarea", { id: "message", required: true, maxLength: 20_000, rows: 5 });
  const kind = make("select", { id: "kind" });
  for (const [value, text] of Object.entries(texts.kinds)) kind.append(make("option", { value, textContent: text }));
  const status = make("p", { role: "status" });
  const picture = createPicture(texts, () => {
    status.textContent = texts.unreadable;
  });
  const cancel = make("button", { type: "button", textContent: texts.cancel });
  const send = make("button", { type: "submit", textContent: texts.send, className: "primary" });
  const capture = make("button", { type: "button", textContent: texts.capture, hidden: !screenshot });
  const foot = make("div", { className: "row foot" }, [status, cancel, send]);
  const form = make("form", {}, [
    make("h2", { id: "title", textContent: texts.title }),
    make("label", { htmlFor: "message", textContent: texts.message }),
    message,
    make("label", { htmlFor: "kind", textContent: texts.kind }),
    kind,
    make("div", { className: "row" }, [picture.pick, capture]),
    picture.element,
    foot,
  ]);
  const closing = new AbortController();
  const answers = hasReplies(lodge) ? [createAnswers(texts, lodge, () => message.value !== "", closing.signal)] : [];
  const dialog = make("dialog", {}, [...answers, form]);
  dialog.setAttribute("aria-labelledby", "title");
  shadow.append(dialog);

  let reportId: string | undefined;
  let isSending = false;
  const closed = new Promise<string | undefined>((resolve) => {
    dialog.addEventListener("close", () => {
      closing.abort();
      host.remove();
      resolve(reportId);
    });
  });
  cancel.onclick = () => dialog.close();
  capture.onclick = async () => {
    // The screenshot should not show the dialog.
    host.hidden = true;
    const blob = await new Promise<Blob | undefined>((resolve) => resolve(screenshot?.())).catch(() => undefined);
    host.hidden = false;
    if (blob) await picture.show(blob);
    else status.textContent = texts.unreadable;
    capture.focus();
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    send.disabled = true;
    status.textContent = texts.sending;
    try {
      const blob = await picture.blob();
      const handed = await lodge.report({
        message: message.value,
        kind: kind.value as ReportKind,
        ...(tags && { tags }),
        ...(context && { context }),
        ...(blob && { attachments: [{ name: "screenshot.png", data: blob, kind: "screenshot" as const }] }),
      });
      reportId = handed.reportId;
      send.remove();
      form.replaceChildren(form.children[0] as Element, foot);
      cancel.textContent = texts.close;
      cancel.focus();
      const later = setTimeout(
        () => {
          status.textContent = texts.later;
        },
        navigator.onLine ? sentLaterMs : 0,
      );
      await handed.receipt.finally(() => clearTimeout(later));
      status.textContent = texts.sent;
    } catch {
      isSending = send.disabled = false;
      status.textContent = texts.failed;
    }
  };

  document.body.append(host);
  dialog.showModal();
  return { close: () => dialog.close(), closed };
}

const hasReplies = (lodge: Lodge & Partial<Replies>): lodge is Lodge & Replies => lodge.watchThreads !== undefined;
