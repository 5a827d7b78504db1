import { setUp } from "@lodge/contract/calls.generated";
import type { SetUp } from "@lodge/contract/dashboard/access";
import { nameLengthMax, passwordLengthMax, passwordLengthMin } from "@lodge/contract/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { setupQuery } from "../../api/queries.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { Redirect } from "../../ui/redirect.tsx";
import { FrontPage } from "./front-page.tsx";

/** Creates the first owner and their organisation. Unavailable once any account exists. */
export function SetUpPage() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [form, setForm] = useState<SetUp>({ organisationName: "", name: "", email: "", password: "" });
  const setup = useQuery(setupQuery);
  const make = useMutation({
    mutationFn: () => call(setUp, { body: form }),
    onSuccess: async (session) => {
      await adoptSession(session);
      await navigate({ to: "/", replace: true });
      queryClient.setQueryData(setupQuery.queryKey, (before) => before && { ...before, needed: false });
    },
  });
  if (setup.isError) return <LoadError error={setup.error} retry={() => void setup.refetch()} />;
  if (!setup.data) return null;
  if (!setup.data.needed && !make.isSuccess) return <Redirect to="/sign-in" />;
  const field = (key: keyof SetUp) => ({
    name: key,
    required: true,
    value: form[key],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [key]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <FrontPage title="Set up Lodge" hint="Create an organisation and become its owner.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Organisation"
          autoComplete="organization"
          lengthMax={nameLengthMax}
          autoFocus
          {...field("organisationName")}
        />
        <TextField label="Your name" autoComplete="name" lengthMax={nameLengthMax} {...field("name")} />
        <TextField label="E-mail address" type="email" autoComplete="username" {...field("email")} />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          minLength={passwordLengthMin}
          lengthMax={passwordLengthMax}
          hint={`At least ${passwordLengthMin} characters, and not a common password.`}
          {...field("password")}
        />
        <FormError error={make.error} />
        <Button type="submit" look="primary" busy={make.isPending} className="h-9">
          Create organisation
        </Button>
      </form>
    </FrontPage>
  );
}
