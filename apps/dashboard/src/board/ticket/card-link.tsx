import type { RelatedCard } from "@lodge/contract/dashboard/relations";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { shownTitle } from "../../ui/visible-text.ts";
import { cardNumber } from "./card-number.ts";
import { numberedCardQuery } from "./card-states.ts";

/** The mark of a done or archived card. */
export const stateOf = ({ done, archived }: RelatedCard): "Done" | "Archived" | undefined =>
  archived ? "Archived" : done ? "Done" : undefined;

const looks = {
  text: {
    open: "text-accent-ink underline",
    closed: "text-muted [text-decoration-line:underline_line-through]",
  },
  list: { open: "hover:underline", closed: "text-muted line-through" },
};

/** A link to a card, struck through if it is done or archived. With `inText`, it stands out from the text around it. */
export function CardLink({
  card,
  inText = false,
  children,
}: {
  card: RelatedCard;
  inText?: boolean;
  children: ReactNode;
}) {
  const state = stateOf(card);
  return (
    <Link
      to="/tickets/$ticketId"
      params={{ ticketId: card.id }}
      title={[shownTitle(card.title), state?.toLowerCase()].filter(Boolean).join(", ")}
      className={`underline-offset-2 ${looks[inText ? "text" : "list"][state ? "closed" : "open"]}`}
    >
      {children}
      {state && <span className="sr-only"> ({state.toLowerCase()})</span>}
    </Link>
  );
}

/** A card number in a text. It becomes a link once the card is known to exist. */
function NumberInText({ number }: { number: string }) {
  const { data: card } = useQuery(numberedCardQuery(number));
  return card ? (
    <CardLink card={card} inText>
      {number}
    </CardLink>
  ) : (
    number
  );
}

/** A text with at most `mayLink` card numbers as links. `rest` renders the text between them. */
export const withCardLinks = (text: string, mayLink: () => boolean, rest: (part: string) => ReactNode): ReactNode =>
  text.split(cardNumber).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other key
    if (index % 2 === 1 && mayLink()) return <NumberInText key={index} number={part} />;
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    return <Fragment key={index}>{rest(part)}</Fragment>;
  });
