import type { FastifyInstance } from "fastify";

const stopTimeoutMs = 30_000;

/** Lets requests in progress finish, for at most 30 s or until a second signal. */
export async function closeApp(app: FastifyInstance, insisted?: AbortSignal) {
  const cut = () => app.server.closeAllConnections();
  const deadline = setTimeout(cut, stopTimeoutMs);
  // A client keeps its connection open for a next request, which will not come.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  insisted?.addEventListener("abort", cut);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
    clearInterval(sweep);
    insisted?.removeEventListener("abort", cut);
  }
}
