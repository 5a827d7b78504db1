/** Matches card numbers in a text, in capital letters as the dashboard shows them. */
export const cardNumber =
  /(?<![\p{L}\p{N}_@/#.-])((?=[0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*-\d{1,9})(?![\p{L}\p{N}_/-]|\.\d)/u;
