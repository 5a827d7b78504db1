import { Copyable } from "./copyable.tsx";
import { type TicketBody, ticketCurl } from "./curl.ts";
import { Modal } from "./modal.tsx";

/** The ids of an item in the API, and a request that uses them. */
export function ApiDialog({
  name,
  field,
  body,
  close,
}: {
  name: string;
  field: keyof TicketBody;
  body: TicketBody;
  close: () => void;
}) {
  return (
    <Modal title={`“${name}” in the API`} close={close}>
      <div className="flex flex-col gap-5">
        <Copyable title={field} text={body[field] ?? ""} />
        <Copyable title="File a ticket from a terminal" text={ticketCurl(body)} />
        <p className="text-sm text-muted">
          The command needs an API token in the environment variable LODGE_TOKEN. The token must have access to the
          project and the permission to file tickets.
        </p>
      </div>
    </Modal>
  );
}
