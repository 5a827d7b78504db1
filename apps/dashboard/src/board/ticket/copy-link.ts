import { tellDone, tellFailed } from "../../ui/toasts.tsx";

/** Copies the URL of a card. */
export async function copyLink(url: string) {
  try {
    await navigator.clipboard.writeText(url);
    tellDone("Link copied");
  } catch {
    tellFailed("Could not copy the link. Open the card and copy its URL");
  }
}
