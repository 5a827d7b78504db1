import { untilReached } from "./reach.ts";

/**
 * Loads a script, waiting as long as the server is unreachable. Throws if the script fails although the server
 * responds: it no longer exists, or the browser caches the failure (Firefox never retries), and only a reload helps. It
 * never throws immediately, because scripts also fail while the page is being left.
 */
export const keepLoading = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch(async () => {
    await untilReached();
    return load().catch(async (error: unknown) => {
      await untilReached(); // or a reload would leave the app
      throw error;
    });
  });
