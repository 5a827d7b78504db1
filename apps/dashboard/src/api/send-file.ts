import { readError } from "@lodge/contract/call";

/** Posts a file as a request body and returns the response. Throws a `CallError`. */
export async function sendFile<Stored>(path: string, file: Blob, also: Record<string, string> = {}): Promise<Stored> {
  const headers = { "content-type": file.type || "application/octet-stream", ...also };
  const response = await fetch(path, { method: "POST", headers, body: file });
  if (!response.ok) throw await readError(response);
  return (await response.json()) as Stored;
}
