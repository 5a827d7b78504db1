import { useMutation } from "@tanstack/react-query";
import { DialogForm } from "./dialog-form.tsx";
import { Modal } from "./modal.tsx";
import { SecretOnce } from "./secret-once.tsx";

/** Rotates a signing secret by `rotate` and shows the new one once. The previous one also signs for 24 hours. */
export function RotateSecretDialog({
  rotate: replace,
  close,
}: {
  rotate: () => Promise<{ secret: string }>;
  close: () => void;
}) {
  const rotate = useMutation({ mutationFn: replace, gcTime: 0 }); // the secret is dropped with the dialog
  if (rotate.data) {
    return (
      <Modal title="The new secret" showsOnce close={close}>
        <SecretOnce
          warning="Copy the secret now. It is shown only once. Messages are also signed with the previous secret for 24 hours."
          title="Signing secret"
          secret={rotate.data.secret}
          close={close}
        />
      </Modal>
    );
  }
  return (
    <Modal title="Rotate secret" close={close}>
      <DialogForm save={rotate} submit="Rotate" onSubmit={() => rotate.mutate()} close={close}>
        <p className="text-muted">
          Messages are signed with the new secret and, for 24 hours, also with the previous one. Older secrets stop
          working immediately.
        </p>
      </DialogForm>
    </Modal>
  );
}
