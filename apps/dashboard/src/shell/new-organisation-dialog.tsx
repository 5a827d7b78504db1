import { createOrganisation } from "@lodge/contract/calls.generated";
import { useNavigate } from "@tanstack/react-router";
import { call } from "../api/call.ts";
import { adoptSession } from "../session/adopt-session.ts";
import { NameDialog } from "../ui/name-dialog.tsx";

/** Creates another organisation owned by the person, and switches to it. */
export function NewOrganisationDialog({ close }: { close: () => void }) {
  const navigate = useNavigate();
  const make = async (name: string) => {
    const session = await call(createOrganisation, { body: { name } });
    close(); // before the page starts over for the other organisation
    await adoptSession(session);
    await navigate({ to: "/" });
  };
  return <NameDialog title="New organisation" submit="Create organisation" act={make} close={close} />;
}
