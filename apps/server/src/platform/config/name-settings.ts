/** The variables of the client command `lodge`, which may be set in the same shell (contract section 9). */
export const settingsOfOthers = ["LODGE_URL", "LODGE_TOKEN", "LODGE_TOKEN_FILE", "LODGE_KEY"];

/** The variables that Kubernetes sets in every container of a Service that is called lodge. */
export const isOfKubernetes = (name: string, value = "") =>
  /^LODGE_(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(name) ||
  (name === "LODGE_PORT" && /^(tcp|udp|sctp):/.test(value));

/** The message about an unknown setting, with a similar known one. */
export function unknownSetting(name: string, known: ReadonlySet<string>): string {
  const plain = (text: string) => text.replaceAll("_", "");
  const meant = [...known].find((candidate) =>
    [candidate, `LODGE_${candidate}`].some((one) => plain(one) === plain(name)),
  );
  return `${name} is not a setting of this version${meant ? `; did you mean ${meant}?` : ": leave it out"}`;
}

/** Settings that are secrets, or addresses with a password that may not be recognised. */
const neverShown =
  /^(LODGE_SECRET|LODGE_SECRET_PREVIOUS|S3_ACCESS_KEY_ID|S3_SECRET_ACCESS_KEY|DATABASE_URL|DATABASE_REPLICA_URLS|REDIS_URL|LODGE_SMTP_URL)$/;

/** The value of a setting for a message. Secrets, and addresses with a password or query, are replaced. */
export const shown = (name: string, text: string) =>
  neverShown.test(name) || (/_(URL|ENDPOINT)$/.test(name) && /[@?#]/.test(text)) ? "…" : text;
