/** The fields of a card that have a shortcut. */
export type CardField = "description" | "assignee" | "priority" | "labels" | "column" | "comment";

let asked: CardField | undefined;

/** Requests that the next card to open opens this field. */
export function askForField(field: CardField) {
  asked = field;
}

/** Opens the requested field, now that the card is rendered. */
export function showAskedField() {
  const field = asked;
  asked = undefined;
  if (field) showField(field);
}

/** Opens a field of the open card: its list or its text field. While the card loads, as soon as it is rendered. */
export function showField(field: CardField) {
  const element = document.getElementById(`ticket-${field}`);
  if (!element) askForField(field);
  if (element instanceof HTMLTextAreaElement) element.focus();
  else element?.click();
}
