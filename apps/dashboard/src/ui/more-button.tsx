import type { ComponentProps } from "react";
import { Button } from "./button.tsx";

/** The pages of an infinite query. */
type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };

/** A button that fetches the next page of a list. Renders nothing if there is none. */
export function MoreButton({
  pages,
  ...button
}: { pages: Pages } & Omit<ComponentProps<typeof Button>, "busy" | "onClick">) {
  if (!pages.hasNextPage) return null;
  return <Button {...button} busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()} />;
}
