import { makePasswordLink } from "@lodge/contract/calls.generated";
import type { Member } from "@lodge/contract/dashboard/access";
import { call } from "../../api/call.ts";
import { LinkDialog } from "./link-dialog.tsx";

/** Creates a link with which a member chooses a new password, then shows it for the admin to share. */
export function PasswordLinkDialog({ member, close }: { member: Member; close: () => void }) {
  const make = async () => ({
    to: member.email,
    ...(await call(makePasswordLink, { params: { userId: member.userId } })),
  });
  return (
    <LinkDialog title={`A new password for ${member.name}`} make={make} close={close}>
      <p className="text-muted">
        Anyone who has the link can choose the password and sign in as {member.name}. Share it in person or in a private
        message. Their current password works until a new one is chosen with the link.
      </p>
    </LinkDialog>
  );
}
