/** Reports to submit: how many, over how many connections, each with so many attachments of so many bytes. */
export type Uploads = {
  port: number;
  bearer: string;
  count: number;
  connections: number;
  attachments: number;
  attachmentBytes: number;
  /** The stack of the error that each of them tells of; none where there is none. */
  stack?: string;
};

/** What came of it. */
export type UploadsResult = { seconds: number; latenciesMs: number[]; statuses: Record<string, number> };
