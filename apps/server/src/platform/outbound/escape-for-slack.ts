/** A text in which Slack finds no link and no mention: each of them needs one of its three control characters. */
export const escapeForSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
