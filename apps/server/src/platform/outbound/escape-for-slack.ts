/** Escapes Slack's three control characters, without which a text cannot contain links or mentions. */
export const escapeForSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
