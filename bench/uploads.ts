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
