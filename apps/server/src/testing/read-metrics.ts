import type { Answer, Client } from "./start-service.ts";

/** `GET /metrics`, asked again where the database took longer to look at the token than whoever asks may have to wait. */
export async function readMetrics(lodge: Client, headers: Record<string, string> = {}): Promise<Answer> {
  for (;;) {
    const answer = await lodge.request("GET", "/metrics", { headers });
    if (answer.status !== 503) return answer;
  }
}
