import type { Answer, Client } from "./start-service.ts";

/** Requests `GET /metrics`, and retries if the database was too slow to check the token. */
export async function readMetrics(lodge: Client, headers: Record<string, string> = {}): Promise<Answer> {
  for (;;) {
    const answer = await lodge.request("GET", "/metrics", { headers });
    if (answer.status !== 503) return answer;
  }
}
