/** A response, with its body as text and parsed from JSON. */
export type Seen = { status: number; text: string; body: Record<string, unknown>; headers: Headers };

/** Sends a request and reads the whole response. */
export async function request(address: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(address, { redirect: "manual", ...init });
  const text = await response.text();
  return { status: response.status, text, body: parseObject(text), headers: response.headers };
}

/** The JSON object in a text, empty if there is none. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
