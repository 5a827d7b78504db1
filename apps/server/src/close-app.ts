import type { FastifyInstance } from "fastify";

const stopTimeoutMs = 30_000;

/** Lets requests under way finish, for 30 s at most or until somebody insists. */
export async function closeApp(app: FastifyInstance, insisted?: AbortSignal) {
  const cut = () => app.server.closeAllConnections();
  const deadline = setTimeout(cut, stopTimeoutMs);
  // A client keeps its connection for the next request, which is not to come.
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
