import type { Project } from "@lodge/contract/dashboard/boards";
import type { CreateApiToken, NewApiToken } from "@lodge/contract/dashboard/tokens";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../api/request.ts";
import { Modal } from "../ui/modal.tsx";
import { TokenForm } from "./token-form.tsx";
import { TokenSecret } from "./token-secret.tsx";

const blank: CreateApiToken = { name: "", scope: "all", permissions: ["tickets:write"] };

/** Makes a token, then shows its secret, which nobody sees again once the dialog is closed. */
export function CreateTokenDialog({ projects, close }: { projects: Project[]; close: () => void }) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: (body: CreateApiToken) => request<NewApiToken>("POST", "tokens", body),
    gcTime: 0, // the secret does not outlive the dialog
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["tokens"] }),
  });
  if (create.data) {
    return (
      <Modal title={`“${create.data.token.name}” is ready`} once close={close}>
        <TokenSecret made={create.data} projects={projects} close={close} />
      </Modal>
    );
  }
  return (
    <Modal title="New API token" close={close}>
      <TokenForm
        before={blank}
        projects={projects}
        submit="Create the token"
        busy={create.isPending}
        error={create.error}
        save={create.mutate}
        close={close}
      />
    </Modal>
  );
}
