import { untilReached } from "./reach.ts";

/**
 * Loads a script, however long the server cannot be reached. One that fails although the server answers is gone from it, or
 * is remembered as failed by the browser (Firefox never asks again): that is thrown, and only a reload helps. The scripts
 * of a page that is being left fail as well, which is why nothing is thrown at once.
 */
export const keepLoading = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch(async () => {
    await untilReached();
    return load().catch(async (error: unknown) => {
      await untilReached(); // or a reload would lead away from the app
      throw error;
    });
  });
