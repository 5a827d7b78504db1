import { invite as inviteSomebody } from "@lodge/contract/calls.generated";
import type { Invite, Role } from "@lodge/contract/dashboard/access";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { useSession } from "../shell/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { TextField } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { FormError } from "../ui/notice.tsx";
import { LinkToHandOver } from "./link-to-hand-over.tsx";
import { grantableRoles, roleLabels } from "./roles.ts";

/** Makes an invitation, then shows its link to hand over. */
export function InviteDialog({ close }: { close: () => void }) {
  const { organisation } = useSession();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const invite = useMutation({
    mutationFn: (body: Invite) => call(inviteSomebody, { body }),
    gcTime: 0, // the link does not outlive the dialog
    onSuccess: () => fetchAfter({ kind: "invitations.changed" }),
  });
  if (invite.data) {
    return (
      <Modal title={`${invite.data.invitation.email} is invited`} once close={close}>
        <LinkToHandOver
          to={invite.data.invitation.email}
          url={invite.data.url}
          expiresAt={invite.data.invitation.expiresAt}
          isMailed={invite.data.isMailed}
          close={close}
        />
      </Modal>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ email, role });
  };
  return (
    <Modal title={`Invite to ${organisation.name}`} close={close}>
      <form onSubmit={submit} className="flex flex-col gap-4">
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
        <FormError error={invite.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" busy={invite.isPending}>
            Create the link
          </Button>
        </div>
      </form>
    </Modal>
  );
}
