import { fork } from "node:child_process";
import { once } from "node:events";

/** Reports to submit: how many, over how many connections, each with so many attachments of so many bytes. */
export type Uploads = {
  port: number;
  bearer: string;
  count: number;
  connections: number;
  attachments: number;
  attachmentBytes: number;
};

/** What came of it. */
export type UploadsResult = { seconds: number; latenciesMs: number[]; statuses: Record<string, number> };

/** An upload generator in a process of its own, to be used for one load at a time. */
export function startUploadGenerator(): { run: (uploads: Uploads) => Promise<UploadsResult>; stop: () => void } {
  const child = fork(new URL("./upload-generator.ts", import.meta.url), { serialization: "advanced" });
  const ended = once(child, "exit");
  return {
    run: async (uploads) => {
      child.send(uploads);
      const result = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
      if (!result) throw new Error("the upload generator has ended");
      return result[0] as UploadsResult;
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}
