import { CopyButton } from "./copy-button.tsx";

/** A preformatted text with a button that copies it. */
export function Copyable({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{title}</h3>
        <CopyButton text={text} label={title} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5"
      >
        <code>{text}</code>
      </pre>
    </section>
  );
}
