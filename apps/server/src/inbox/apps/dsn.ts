/** The DSN of an app: its SDK key, the ingestion URL and the app's number in one URL. */
export function dsnOf(ingestUrl: string, key: string, appNumber: number): string {
  const { protocol, host, pathname } = new URL(ingestUrl);
  return `${protocol}//${key}@${host}${pathname.replace(/\/$/, "")}/${appNumber}`;
}
