/** The fields of a card that keys lead to. */
export type CardField = "description" | "assignee" | "priority" | "labels" | "column" | "comment";

let asked: CardField | undefined;

/** Leads to a field of the card that opens next. */
export function askForField(field: CardField) {
  asked = field;
}

/** Leads to the field that was asked for, now that the card is there. */
export function showAskedField() {
  const field = asked;
  asked = undefined;
  if (field) showField(field);
}

/** Opens a field of the card that is open: its list, or the text to write in. While the card loads, as soon as it is there. */
export function showField(field: CardField) {
  const element = document.getElementById(`ticket-${field}`);
  if (!element) askForField(field);
  if (element instanceof HTMLTextAreaElement) element.focus();
  else element?.click();
}
