import { changeMember, removeMember, removeMemberSecondFactor } from "@lodge/contract/calls.generated";
import type { Member, Role } from "@lodge/contract/dashboard/access";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Ellipsis, KeyRound, LogOut, Plus, ShieldOff, Terminal, UserMinus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { membersQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { ApiDialog } from "../../ui/api-dialog.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { DropMenu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { IdentityProvider } from "./identity-provider.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { PasswordLinkDialog } from "./password-link-dialog.tsx";
import { grantableRoles, roleLabels } from "./roles.ts";
import { SignInRules } from "./sign-in-rules.tsx";

/** The members of the organisation and its invitations. */
export function MembersPage() {
  const { organisation } = useSession();
  const members = useQuery(membersQuery);
  const [inviting, setInviting] = useState(false);
  const manages = organisation.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading
        title="Members"
        hint="Members see every board. Owners and admins also manage members and API tokens."
      >
        {manages && (
          <Button look="primary" onClick={() => setInviting(true)}>
            <Plus aria-hidden className="size-4" />
            Invite
          </Button>
        )}
      </PageHeading>
      {members.isPending && (
        <div aria-busy className="flex flex-col gap-px">
          <p className="sr-only">Loading the members</p>
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
        </div>
      )}
      {members.isError && !members.data && <LoadError error={members.error} retry={() => void members.refetch()} />}
      {members.data && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {members.data.map((member) => (
            <MemberRow key={member.userId} member={member} />
          ))}
        </ul>
      )}
      {manages && <Invitations />}
      {manages && <SignInRules />}
      {manages && <IdentityProvider />}
      {inviting && <InviteDialog close={() => setInviting(false)} />}
    </main>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { user, organisation } = useSession();
  const [open, setOpen] = useState<"remove" | "password" | "factor" | "api">();
  const self = member.userId === user.id;
  const params = { userId: member.userId };
  const reload = () => fetchAfter({ kind: "members.changed" });
  const change = useMutation({
    mutationFn: (role: Role) => call(changeMember, { params, body: { role } }),
    onError: (error) => tellFailed("Could not change the role", error),
    onSettled: reload,
  });
  const changeable =
    !member.isAgent && organisation.role !== "member" && (member.role !== "owner" || organisation.role === "owner");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
      <Avatar name={member.name} isAgent={member.isAgent} />
      <div className="min-w-[calc(100%-3rem)] flex-1 sm:min-w-40">
        <p className="font-medium wrap-anywhere">
          {member.name}
          {self && <span className="font-normal text-muted"> (you)</span>}
        </p>
        <p className="text-sm text-muted wrap-anywhere">
          {member.isAgent ? "Works on the cards assigned to it" : member.email}
          {member.isOfProvider && " · created by the identity provider"}
        </p>
      </div>
      <div className="ml-10 flex items-center gap-1 sm:ml-0">
        {changeable ? (
          <Choice
            label={`Role of ${member.name}`}
            options={grantableRoles(organisation.role).map((role) => ({ value: role, label: roleLabels[role] }))}
            value={change.isPending ? change.variables : member.role}
            onChange={(role) => role !== member.role && change.mutate(role)}
            className="w-28"
          />
        ) : (
          <span className="text-muted">{member.isAgent ? "Agent" : roleLabels[member.role]}</span>
        )}
        <DropMenu
          trigger={
            <IconButton label={`Actions for ${member.name}`}>
              <Ellipsis aria-hidden className="size-4" />
            </IconButton>
          }
        >
          <MenuItem onClick={() => setOpen("api")}>
            <Terminal aria-hidden className="size-4" />
            Use in the API
          </MenuItem>
          {changeable && !member.isOfProvider && (
            <MenuItem onClick={() => setOpen("password")}>
              <KeyRound aria-hidden className="size-4" />
              Create password link
            </MenuItem>
          )}
          {changeable && !self && !member.isOfProvider && (
            <MenuItem onClick={() => setOpen("factor")}>
              <ShieldOff aria-hidden className="size-4" />
              Remove the second factor
            </MenuItem>
          )}
          {(changeable || self) && (
            <>
              <MenuLine />
              <MenuItem danger onClick={() => setOpen("remove")}>
                {self ? <LogOut aria-hidden className="size-4" /> : <UserMinus aria-hidden className="size-4" />}
                {self ? `Leave ${organisation.name}` : "Remove"}
              </MenuItem>
            </>
          )}
        </DropMenu>
      </div>
      {open === "password" && <PasswordLinkDialog member={member} close={() => setOpen(undefined)} />}
      {open === "factor" && (
        <Confirm
          title={`Remove the second factor of ${member.name}?`}
          confirm="Remove"
          act={async () => {
            await call(removeMemberSecondFactor, { params });
            tellDone(`${member.name} can sign in with their password alone`);
          }}
          close={() => setOpen(undefined)}
        >
          For members who lost their device and recovery codes. Make sure that the request really comes from{" "}
          {member.name}. Until they set up a new second factor, they can sign in with their password alone.
        </Confirm>
      )}
      {open === "api" && (
        <ApiDialog
          name={member.name}
          field="assigneeUserId"
          body={{ assigneeUserId: member.userId }}
          close={() => setOpen(undefined)}
        />
      )}
      {open === "remove" && (
        <Confirm
          title={self ? `Leave ${organisation.name}?` : `Remove ${member.name}?`}
          confirm={self ? "Leave" : "Remove"}
          act={async () => {
            await call(removeMember, { params });
            await reload();
          }}
          close={() => setOpen(undefined)}
        >
          {self ? "You will no longer see its boards" : "They will no longer see any board"}, and can return only with a
          new invitation. Their cards and comments stay.
        </Confirm>
      )}
    </li>
  );
}
