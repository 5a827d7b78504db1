import { setIdentityProvider } from "@lodge/contract/calls.generated";
import type { IdentityProviderSettings, SetIdentityProvider } from "@lodge/contract/dashboard/providers";
import { addressLengthMax, titleLengthMax } from "@lodge/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Choice } from "../../ui/choice.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { tellDone } from "../../ui/toasts.tsx";

const secretLengthMax = 1_000;

/** Sets up or changes the identity provider of the organisation. */
export function ProviderDialog({ settings, close }: { settings: IdentityProviderSettings; close: () => void }) {
  const { provider, redirectUri } = settings;
  const id = useId();
  const [form, setForm] = useState({
    issuer: provider?.issuer ?? "",
    clientId: provider?.clientId ?? "",
    clientSecret: "",
    domains: provider?.domains.join(", ") ?? "",
    roleClaim: provider?.roleClaim ?? "roles",
    owner: provider?.roles.owner.join(", ") ?? "",
    admin: provider?.roles.admin.join(", ") ?? "",
    member: provider?.roles.member.join(", ") ?? "",
  });
  const [defaultRole, setDefaultRole] = useState<"none" | "member" | "admin">(
    provider ? (provider.defaultRole ?? "none") : "member",
  );
  const [isRequired, setIsRequired] = useState(provider?.isRequired ?? false);
  const keepsSecret = provider?.issuer === form.issuer.trim() && provider.clientId === form.clientId.trim();
  const save = useMutation({
    mutationFn: (body: SetIdentityProvider) => call(setIdentityProvider, { body }),
    gcTime: 0, // the secret is dropped with the dialog
    onSuccess: async () => {
      await fetchAfter({ kind: "members.changed" });
      tellDone("Identity provider saved");
      close();
    },
  });
  const field = (key: keyof typeof form, lengthMax: number = titleLengthMax) => ({
    autoComplete: "off",
    autoCapitalize: "none",
    spellCheck: false,
    lengthMax,
    value: form[key],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [key]: event.target.value }),
  });
  const onSubmit = () =>
    save.mutate({
      issuer: form.issuer.trim(),
      clientId: form.clientId.trim(),
      ...(form.clientSecret && { clientSecret: form.clientSecret }),
      domains: listOf(form.domains).map((domain) => domain.replace(/^@/, "").toLowerCase()),
      roleClaim: form.roleClaim.trim(),
      roles: { owner: listOf(form.owner), admin: listOf(form.admin), member: listOf(form.member) },
      defaultRole: defaultRole === "none" ? null : defaultRole,
      isRequired,
    });
  return (
    <Modal title="Identity provider" close={close}>
      <DialogForm save={save} submit="Save" onSubmit={onSubmit} close={close}>
        <p className="text-muted">
          Register Lodge with your OpenID Connect provider as a web application (authorization code flow) with this
          redirect URI.
        </p>
        <Copyable title="Redirect URI" text={redirectUri} />
        <TextField
          label="Issuer"
          type="url"
          required
          placeholder="https://id.example.com"
          hint="The URL without /.well-known/openid-configuration"
          {...field("issuer", addressLengthMax)}
        />
        <TextField label="Client id" required {...field("clientId")} />
        <TextField
          label="Client secret"
          type="password"
          required={!keepsSecret}
          hint={keepsSecret ? "Leave empty to keep the current one." : "Stored encrypted and never shown again."}
          {...field("clientSecret", secretLengthMax)}
          autoComplete="new-password"
        />
        <TextField
          label="E-mail domains"
          required
          placeholder="example.com"
          hint="Separated by commas. Only verified addresses in these domains can sign in."
          {...field("domains", addressLengthMax)}
        />
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-2 text-sm font-semibold">Roles, updated at each sign-in</legend>
          <TextField
            label="Claim"
            required
            hint="The claim that holds a person's roles or groups."
            {...field("roleClaim")}
          />
          <TextField label="Values for owners" hint="Separated by commas." {...field("owner", addressLengthMax)} />
          <TextField label="Values for admins" {...field("admin", addressLengthMax)} />
          <TextField label="Values for members" {...field("member", addressLengthMax)} />
          <div>
            <label htmlFor={`${id}-else`} className="mb-1 block text-sm font-medium">
              Everyone else
            </label>
            <Choice
              id={`${id}-else`}
              label="Everyone else"
              className="w-full"
              value={defaultRole}
              onChange={setDefaultRole}
              options={[
                { value: "none", label: "No access" },
                { value: "member", label: "Member" },
                { value: "admin", label: "Admin" },
              ]}
            />
          </div>
        </fieldset>
        <div className="flex gap-3">
          <input
            id={`${id}-required`}
            type="checkbox"
            aria-describedby={`${id}-hint`}
            className="mt-1 size-4 accent-accent"
            checked={isRequired}
            onChange={(event) => setIsRequired(event.target.checked)}
          />
          <div>
            <label htmlFor={`${id}-required`} className="font-medium">
              Require the identity provider
            </label>
            <p id={`${id}-hint`} className="text-sm text-muted">
              Only owners can then sign in with a password. Try the provider first.
            </p>
          </div>
        </div>
      </DialogForm>
    </Modal>
  );
}

const listOf = (text: string) =>
  text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
