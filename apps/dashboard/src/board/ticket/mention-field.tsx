import type { Person as Somebody } from "@lodge/contract/dashboard/access";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type KeyboardEvent, type RefObject, useId, useState } from "react";
import { flushSync } from "react-dom";
import { peopleQuery } from "../../api/queries.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { controlClass } from "../../ui/field.tsx";
import type { CommentDraft } from "../send-later.ts";

type Person = Pick<Somebody, "id" | "name">;

/** The ids of the picked members whose name is still in the text. */
export const mentionedIn = ({ text, picked }: CommentDraft): string[] => [
  ...new Set(picked.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id)),
];

const suggestionsMax = 8;

/** A text field in which @ suggests members of the organisation. */
export function MentionField({
  draft,
  onChange,
  send,
  field,
  ...textarea
}: {
  draft: CommentDraft;
  onChange: (draft: CommentDraft) => void;
  send: () => void;
  field: RefObject<HTMLTextAreaElement | null>;
} & Omit<ComponentProps<"textarea">, "ref" | "value" | "onChange">) {
  const listId = useId();
  const { data: people = [] } = useQuery(peopleQuery);
  const [query, setQuery] = useState<{ text: string; start: number }>();
  const [active, setActive] = useState(0);
  const wanted = query?.text.toLocaleLowerCase();
  const offered =
    wanted === undefined
      ? []
      : people.filter(({ name }) => name.toLocaleLowerCase().includes(wanted)).slice(0, suggestionsMax);

  const look = (element: HTMLTextAreaElement) => {
    setQuery(queryBefore(element.value, element.selectionStart));
    setActive(0);
  };

  const pick = (person: Person) => {
    if (!query || !field.current) return;
    const end = query.start + 1 + query.text.length;
    const before = `${draft.text.slice(0, query.start)}@${person.name} `;
    const element = field.current;
    // Synchronously, so that the next typed letter goes to the cursor.
    flushSync(() => {
      onChange({ text: before + draft.text.slice(end), picked: [...draft.picked, person] });
      setQuery(undefined);
    });
    element.focus();
    element.setSelectionRange(before.length, before.length);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return send();
    const person = offered[active];
    if (!person) return textarea.onKeyDown?.(event);
    if (event.key === "ArrowDown") setActive((active + 1) % offered.length);
    else if (event.key === "ArrowUp") setActive((active + offered.length - 1) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") pick(person);
    else if (event.key === "Escape") setQuery(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="relative min-w-0 flex-1">
      <textarea
        {...textarea}
        ref={field}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        {...(offered.length > 0 && { "aria-controls": listId, "aria-activedescendant": `${listId}-${active}` })}
        rows={1}
        dir="auto"
        value={draft.text}
        onChange={(event) => {
          onChange({ ...draft, text: event.target.value });
          look(event.target);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setQuery(undefined)}
        className={`${controlClass} field-sizing-content block max-h-[40vh] min-h-9 resize-none py-1.5 leading-6`}
      />
      <p className="sr-only" aria-live="polite">
        {query ? `${offered.length} ${offered.length === 1 ? "member" : "members"} found` : ""}
      </p>
      {offered.length > 0 && (
        <div
          id={listId}
          role="listbox"
          aria-label="Members"
          className="absolute bottom-full left-0 z-10 mb-1 w-64 max-w-full rounded-lg border border-line bg-raised p-1 shadow-float"
        >
          {offered.map((person, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the text
            <div
              key={person.id}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onMouseDown={(event) => event.preventDefault()} // keeps the focus in the text
              onClick={() => pick(person)}
              className={`flex h-8 cursor-default items-center gap-2 rounded-md px-2 ${index === active ? "bg-hover" : ""}`}
            >
              <Avatar small name={person.name} isAgent={person.isAgent} />
              <span className="truncate">{person.name}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** The text between an @ at the start of a word and the cursor. */
function queryBefore(text: string, cursor: number): { text: string; start: number } | undefined {
  const match = /(?:^|[\s(])@([^@\n]{0,40})$/.exec(text.slice(0, cursor));
  const typed = match?.[1];
  return typed === undefined ? undefined : { text: typed, start: cursor - typed.length - 1 };
}
