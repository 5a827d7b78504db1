import { changeToken } from "@lodge/contract/calls.generated";
import type { Project } from "@lodge/contract/dashboard/boards";
import type { ApiToken, ChangeApiToken } from "@lodge/contract/dashboard/tokens";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Modal } from "../../ui/modal.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { TokenForm } from "./token-form.tsx";

/** Changes the name, access or permissions of a token. */
export function EditTokenDialog({
  token,
  projects,
  close,
}: {
  token: ApiToken;
  projects: Project[];
  close: () => void;
}) {
  const known = new Set(projects.map(({ id }) => id));
  const change = useMutation({
    mutationFn: (body: ChangeApiToken) => call(changeToken, { params: { tokenId: token.id }, body }),
    onSuccess: async () => {
      await fetchAfter({ kind: "tokens.changed" });
      tellDone("Token saved");
      close();
    },
  });
  return (
    <Modal title={`Edit “${token.name}”`} close={close}>
      <TokenForm
        before={{
          name: token.name,
          scope: token.scope === "all" ? "all" : token.scope.filter((id) => known.has(id)),
          permissions: token.permissions,
          runsPerDay: token.runsPerDay,
        }}
        inUse
        projects={projects}
        submit="Save"
        busy={change.isPending}
        error={change.error}
        save={change.mutate}
        close={close}
      />
    </Modal>
  );
}
