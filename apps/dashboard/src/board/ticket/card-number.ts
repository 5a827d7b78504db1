/** Numbers of cards in a text: capital letters and digits, as the dashboard writes them. */
export const cardNumber =
  /(?<![\p{L}\p{N}_@/#.-])((?=[0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*-\d{1,9})(?![\p{L}\p{N}_/-]|\.\d)/u;
