import {
  bindRepository,
  changeOrganisation,
  getOrganisation,
  listTicketIds,
  unbindRepository,
} from "@lodge/contract/calls.generated";
import type { Project } from "@lodge/contract/dashboard/boards";
import type { Organisation } from "@lodge/contract/dashboard/organisation";
import { addressLengthMax, nameLengthMax } from "@lodge/contract/limits";
import type { Reach } from "@lodge/contract/projects";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { projectsQuery } from "../../api/queries.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { TextField } from "../../ui/field.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { NameForm } from "../../ui/name-form.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { many } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone } from "../../ui/toasts.tsx";

/** The settings of the organisation: name, repositories, and ids for the ticket API. */
export function OrganisationPage() {
  const organisation = useQuery(query(getOrganisation));
  const { organisation: mine } = useSession();
  const manages = mine.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading title="Organisation">
        {manages && (
          <Link to="/audit" className={buttonClass()}>
            Audit log
          </Link>
        )}
      </PageHeading>
      {organisation.isPending && (
        <div aria-busy>
          <p className="sr-only">Loading the organisation</p>
          <Skeleton className="h-32" />
        </div>
      )}
      {organisation.isError && !organisation.data && (
        <LoadError error={organisation.error} retry={() => void organisation.refetch()} />
      )}
      {organisation.data && (
        <div className="flex flex-col gap-6">
          <Settings key={organisation.data.name} organisation={organisation.data} manages={manages} />
          <Repositories manages={manages} />
          <TicketIds />
        </div>
      )}
    </main>
  );
}

function Settings({ organisation, manages }: { organisation: Organisation; manages: boolean }) {
  const rename = async (name: string) => {
    await call(changeOrganisation, { body: { name } });
    await fetchAfter({ kind: "organisation.changed" });
    tellDone("Organisation saved");
  };
  return (
    <Section title="Settings">
      {manages ? (
        <NameForm name={organisation.name} act={rename} />
      ) : (
        <p className="font-medium">{organisation.name}</p>
      )}
      <p className="text-sm text-muted">
        Slug: <code className="font-mono text-xs">{organisation.slug}</code>, used in configuration files and commands.
      </p>
    </Section>
  );
}

type Bound = { project: Project; repository: Project["repositories"][number] };

function Repositories({ manages }: { manages: boolean }) {
  const projects = useQuery(projectsQuery);
  const [binding, setBinding] = useState(false);
  const [unbinding, setUnbinding] = useState<Bound>();
  const all = projects.data ?? [];
  const bound = all.flatMap((project) => project.repositories.map((repository) => ({ project, repository })));
  return (
    <Section
      title="Repositories"
      actions={
        manages &&
        all.length > 0 && (
          <Button small onClick={() => setBinding(true)}>
            <Plus aria-hidden className="size-3.5" />
            Add repository
          </Button>
        )
      }
    >
      <p className="text-sm text-muted">The agent works on the repositories of a card's project.</p>
      {projects.data && bound.length === 0 && (
        <p className="text-muted">{all.length === 0 ? "No projects yet." : "No repositories yet."}</p>
      )}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {bound.map(({ project, repository }) => (
          <li key={repository.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <div className="min-w-0 flex-1 basis-60">
              <p className="font-medium wrap-anywhere">
                {repository.name} <span className="font-normal text-muted">in {project.name}</span>
              </p>
              <code className="font-mono text-xs wrap-anywhere text-muted">{repository.url}</code>
            </div>
            {manages && (
              <Button small onClick={() => setUnbinding({ project, repository })}>
                Remove<span className="sr-only"> {repository.name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {binding && <BindDialog projects={all} close={() => setBinding(false)} />}
      {unbinding && (
        <Confirm
          title={`Remove “${unbinding.repository.name}”?`}
          confirm="Remove repository"
          act={async () => {
            await call(unbindRepository, { params: { repositoryId: unbinding.repository.id } });
            await fetchAfter({ kind: "projects.changed" });
            tellDone(`“${unbinding.repository.name}” was removed`);
          }}
          close={() => setUnbinding(undefined)}
        >
          The agent will no longer work on it for {unbinding.project.name}, and the repository is removed from the
          project's cards. The repository itself does not change.
        </Confirm>
      )}
    </Section>
  );
}

function BindDialog({ projects, close }: { projects: Project[]; close: () => void }) {
  const [projectId, setProjectId] = useState(projects[0]?.id ?? "");
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [credentialsEnv, setCredentialsEnv] = useState("");
  const bind = useMutation({
    mutationFn: () =>
      call(bindRepository, {
        params: { projectId },
        body: {
          name: name.trim(),
          url: url.trim(),
          ...(credentialsEnv.trim() !== "" && { credentialsEnv: credentialsEnv.trim() }),
        },
      }),
    onSuccess: async () => {
      await fetchAfter({ kind: "projects.changed" });
      close();
    },
  });
  return (
    <Modal title="Add repository" close={close}>
      <DialogForm save={bind} submit="Add repository" onSubmit={() => bind.mutate()} close={close}>
        <div>
          <p className="mb-1 text-sm font-medium">Project</p>
          <Choice
            label="Project"
            options={projects.map((project) => ({ value: project.id, label: project.name }))}
            value={projectId}
            onChange={setProjectId}
            className="w-full"
          />
        </div>
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          lengthMax={nameLengthMax}
          placeholder="storefront"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="URL"
          hint="The URL to clone from, without a password."
          required
          pattern=".*\S.*"
          lengthMax={addressLengthMax}
          placeholder="https://git.example.com/acme/storefront.git"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label="Token variable"
          hint="The runner's environment variable that holds the token for pushing. Leave empty if none is needed."
          pattern="\s*[A-Z_][A-Z0-9_]{0,99}\s*"
          placeholder="STOREFRONT_GIT_TOKEN"
          value={credentialsEnv}
          onChange={(event) => setCredentialsEnv(event.target.value)}
        />
      </DialogForm>
    </Modal>
  );
}

function TicketIds() {
  const ids = useQuery(query(listTicketIds));
  return (
    <Section title="Ids for the ticket API">
      <p className="text-sm text-muted">
        Use these ids to create tickets with the API. With a token, GET /api/v1/projects returns the same ids.
      </p>
      {ids.isPending && <Skeleton className="h-40" />}
      {ids.isError && !ids.data && <LoadError error={ids.error} retry={() => void ids.refetch()} />}
      {ids.data && <IdTables reach={ids.data} />}
    </Section>
  );
}

type Row = { field: string; name: string; id: string };

function IdTables({ reach: { projects, members } }: { reach: Reach }) {
  return (
    <>
      {projects.map((project) => (
        <IdTable
          key={project.id}
          title={project.name}
          rows={[
            { field: "projectId", name: project.name, id: project.id },
            ...project.boards.flatMap((board) => [
              { field: "boardId", name: board.name, id: board.id },
              ...board.columns.map(({ id, name }) => ({ field: "columnId", name: `${board.name} › ${name}`, id })),
            ]),
            ...project.repositories.map(({ id, name }) => ({ field: "agentRepositoryId", name, id })),
          ]}
        />
      ))}
      <IdTable
        title="Possible assignees"
        rows={members.map(({ id, name, kind }) => ({
          field: "assigneeUserId",
          name: kind === "agent" ? `${name} (the AI agent)` : name,
          id,
        }))}
      />
    </>
  );
}

function IdTable({ title, rows }: { title: string; rows: Row[] }) {
  return (
    <Disclosure
      summary={
        <span className="font-medium wrap-anywhere">
          {title} <span className="font-normal text-muted">· {many(rows.length, "id")}</span>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" aria-label={`Ids of ${title}`} className="mt-1 divide-y divide-line">
        {rows.map(({ field, name, id }) => (
          <li key={`${field}-${id}`} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
            <span className="min-w-0 flex-1 basis-40 wrap-anywhere">
              {name} <code className="font-mono text-xs text-muted">{field}</code>
            </span>
            <code className="font-mono text-xs wrap-anywhere">{id}</code>
            <CopyButton text={id} label={`${field} of ${name}`} />
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
