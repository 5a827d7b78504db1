import { createToken } from "@lodge/contract/calls.generated";
import type { Project } from "@lodge/contract/dashboard/boards";
import type { CreateApiToken } from "@lodge/contract/dashboard/tokens";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Modal } from "../../ui/modal.tsx";
import { TokenForm } from "./token-form.tsx";
import { TokenSecret } from "./token-secret.tsx";

const blank: CreateApiToken = { name: "", scope: "all", permissions: ["tickets:write"] };

/** Creates a token, then shows its secret, which is not shown again after the dialog closes. */
export function CreateTokenDialog({ projects, close }: { projects: Project[]; close: () => void }) {
  const create = useMutation({
    mutationFn: (body: CreateApiToken) => call(createToken, { body }),
    gcTime: 0, // the secret is dropped with the dialog
    onSuccess: () => fetchAfter({ kind: "tokens.changed" }),
  });
  if (create.data) {
    return (
      <Modal title={`“${create.data.token.name}” is ready`} showsOnce close={close}>
        <TokenSecret made={create.data} projects={projects} close={close} />
      </Modal>
    );
  }
  return (
    <Modal title="New API token" close={close}>
      <TokenForm
        before={blank}
        projects={projects}
        submit="Create token"
        busy={create.isPending}
        error={create.error}
        save={create.mutate}
        close={close}
      />
    </Modal>
  );
}
