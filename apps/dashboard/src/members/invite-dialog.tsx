import { invite as inviteSomebody } from "@lodge/contract/calls.generated";
import type { Invite, NewInvitation, Role } from "@lodge/contract/dashboard/access";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { useSession } from "../shell/use-session.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { controlClass, TextField } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { FormError } from "../ui/notice.tsx";
import { ExactTime } from "../ui/time.tsx";
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
        <InvitationLinkView made={invite.data} close={close} />
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

function InvitationLinkView({
  made: { invitation, url, isMailed },
  close,
}: {
  made: NewInvitation;
  close: () => void;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        {isMailed
          ? `This link is on its way to ${invitation.email} by e-mail.`
          : `Send this link to ${invitation.email}.`}{" "}
        It is shown this once, and works until <ExactTime at={invitation.expiresAt} />.
      </p>
      <div>
        <div className="mb-1 flex items-center justify-between">
          <label htmlFor={id} className="text-sm font-medium">
            Link
          </label>
          <CopyButton text={url} label="link" />
        </div>
        <input
          id={id}
          readOnly
          value={url}
          onFocus={(event) => event.target.select()}
          className={`${controlClass} h-9 font-mono text-xs`}
        />
      </div>
      <div className="flex justify-end">
        <Button look="primary" onClick={close}>
          Done
        </Button>
      </div>
    </div>
  );
}
