import { invite } from "@lodge/contract/calls.generated";
import type { Role } from "@lodge/contract/dashboard/access";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { useSession } from "../../session/use-session.ts";
import { Choice } from "../../ui/choice.tsx";
import { TextField } from "../../ui/field.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { grantableRoles, roleLabels } from "./roles.ts";

/** Makes an invitation, then shows its link to hand over. */
export function InviteDialog({ close }: { close: () => void }) {
  const { organisation } = useSession();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const make = async () => {
    const { invitation, url, isMailed } = await call(invite, { body: { email, role } });
    await fetchAfter({ kind: "invitations.changed" });
    return { to: invitation.email, url, expiresAt: invitation.expiresAt, isMailed };
  };
  return (
    <LinkDialog
      title={`Invite to ${organisation.name}`}
      titleOf={({ to }) => `${to} is invited`}
      make={make}
      close={close}
    >
      <TextField
        label="E-mail address"
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <div>
        <p aria-hidden className="mb-1 text-sm font-medium">
          Role
        </p>
        <Choice
          label="Role"
          options={grantableRoles(organisation.role).map((option) => ({ value: option, label: roleLabels[option] }))}
          value={role}
          onChange={setRole}
          className="w-40"
        />
      </div>
    </LinkDialog>
  );
}
