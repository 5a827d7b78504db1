import { defaultLabelColor, type LabelColor } from "@lodge/contract/label-colors";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";
import { labelsQuery } from "../../api/queries.ts";
import { toneClass } from "../../ui/tone.ts";

type Labels = readonly { name: string; color: LabelColor }[];

const none: ReadonlyMap<string, LabelColor> = new Map();
const Colors = createContext(none);
const colorsOf = ({ labels }: { labels: Labels }): typeof none =>
  new Map(labels.map(({ name, color }) => [name, color]));

/** Provides the colours of the labels to its children, with one request for any number of cards. */
export function LabelColors({ children }: { children: ReactNode }) {
  const { data } = useQuery({ ...labelsQuery(), select: colorsOf });
  return <Colors value={data ?? none}>{children}</Colors>;
}

/** The name of a label on its colour, followed by the children. */
export function LabelName({
  name,
  className = "",
  children,
}: {
  name: string;
  className?: string;
  children?: ReactNode;
}) {
  const color = use(Colors).get(name) ?? defaultLabelColor(name);
  return (
    <span dir="auto" className={`max-w-full rounded-full ${toneClass(color)} ${className}`}>
      {children ? <span className="truncate">{name}</span> : name}
      {children}
    </span>
  );
}
