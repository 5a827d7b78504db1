/** The DSN of an app: an SDK key, the address of ingestion and the app's number in one. */
export function dsnOf(ingestUrl: string, key: string, appNumber: number): string {
  const { protocol, host, pathname } = new URL(ingestUrl);
  return `${protocol}//${key}@${host}${pathname.replace(/\/$/, "")}/${appNumber}`;
}
