import type { ApiToken } from "@lodge/contract/dashboard/tokens";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { projectsQuery, tokensQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { EditTokenDialog } from "./edit-token-dialog.tsx";
import { RevokeTokenDialog } from "./revoke-token-dialog.tsx";
import { TokenList } from "./token-list.tsx";

/** The API tokens of the organisation. Only for owners and admins. */
export function TokensPage() {
  const { organisation } = useSession();
  return (
    <main className="mx-auto max-w-5xl px-4 py-8 md:px-8">
      {organisation.role === "member" ? <NotForMembers /> : <Tokens />}
    </main>
  );
}

function NotForMembers() {
  const { organisation } = useSession();
  return (
    <>
      <PageHeading
        title="API tokens are for owners and admins"
        hint={`You are a member of ${organisation.name}. Ask an owner or admin for a token, or to make you an admin.`}
      />
      <Link to="/" className={buttonClass()}>
        Go to your boards
      </Link>
    </>
  );
}

function Tokens() {
  const tokens = useQuery(tokensQuery);
  // The list of tokens and the form both need the projects.
  const projects = useQuery(projectsQuery);
  const failed = [tokens, projects].find(({ isError, data }) => isError && !data);
  const [open, setOpen] = useState<{ dialog: "create" } | { dialog: "edit" | "revoke"; token: ApiToken }>();
  const close = () => setOpen(undefined);
  const create = (
    <Button look="primary" onClick={() => setOpen({ dialog: "create" })}>
      <Plus aria-hidden className="size-4" />
      New token
    </Button>
  );
  return (
    <>
      <PageHeading
        title="API tokens"
        hint="CI jobs, cron jobs and chat bots file cards with a token. Its name is shown as the author."
      >
        {create}
      </PageHeading>
      {!failed && (tokens.isPending || projects.isPending) && (
        <div aria-busy className="flex flex-col gap-px">
          <p className="sr-only">Loading the tokens</p>
          <Skeleton className="h-9" />
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
        </div>
      )}
      {failed && <LoadError error={failed.error} retry={() => void failed.refetch()} />}
      {tokens.data?.length === 0 && (
        <Empty title="No tokens yet">
          Create one for each system that files cards, so that you can revoke them one by one. The secret is shown once.
        </Empty>
      )}
      {tokens.data && tokens.data.length > 0 && projects.data && (
        <TokenList
          tokens={tokens.data}
          projects={projects.data}
          edit={(token) => setOpen({ dialog: "edit", token })}
          revoke={(token) => setOpen({ dialog: "revoke", token })}
        />
      )}
      {open?.dialog === "create" && <CreateTokenDialog projects={projects.data ?? []} close={close} />}
      {open?.dialog === "edit" && <EditTokenDialog token={open.token} projects={projects.data ?? []} close={close} />}
      {open?.dialog === "revoke" && <RevokeTokenDialog token={open.token} close={close} />}
    </>
  );
}
