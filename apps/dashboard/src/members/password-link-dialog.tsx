import { makePasswordLink } from "@lodge/contract/calls.generated";
import type { Member } from "@lodge/contract/dashboard/access";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { call } from "../api/call.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
import { FormError } from "../ui/notice.tsx";
import { LinkToHandOver } from "./link-to-hand-over.tsx";

/** Makes a link by which a member chooses a new password, then shows it to hand over. */
export function PasswordLinkDialog({ member, close }: { member: Member; close: () => void }) {
  const make = useMutation({
    mutationFn: () => call(makePasswordLink, { params: { userId: member.userId } }),
    gcTime: 0, // the link does not outlive the dialog
  });
  if (make.data) {
    return (
      <Modal title={`A new password for ${member.name}`} once close={close}>
        <LinkToHandOver to={member.email} url={make.data.url} expiresAt={make.data.expiresAt} close={close} />
      </Modal>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal title={`A new password for ${member.name}`} close={close}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-muted">
          Whoever has the link chooses the password and can sign in as {member.name}: hand it over in person, or in a
          message that only they read. The password that they have works until then.
        </p>
        <FormError error={make.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Create the link
          </Button>
        </div>
      </form>
    </Modal>
  );
}
