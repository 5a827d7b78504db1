import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/notice.tsx";
import { readOrganisation, useProvider } from "./use-provider.ts";

const slugLengthMax = 60;

/** Leads to the identity provider of an organisation. The last used one takes one click. */
export function WithOrganisation({ next }: { next: string | undefined }) {
  const [last] = useState(readOrganisation);
  const [slug, setSlug] = useState(last);
  const [asks, setAsks] = useState(false);
  const begin = useProvider(next);
  if (!asks) {
    return (
      <div className="mt-3 flex flex-col gap-2">
        <FormError error={begin.error} />
        {last && (
          <Button className="h-9" busy={begin.isPending} onClick={() => begin.mutate(last)}>
            Sign in with {last}
          </Button>
        )}
        <Button look={last ? "quiet" : "secondary"} className="h-9" onClick={() => setAsks(true)}>
          {last ? "Sign in with another organisation" : "Sign in with your organisation"}
        </Button>
      </div>
    );
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate(slug.trim().toLowerCase());
  };
  return (
    <form onSubmit={onSubmit} className="mt-5 flex flex-col gap-3 border-t border-line pt-4">
      <TextField
        label="Your organisation"
        name="organization"
        autoComplete="organization"
        autoCapitalize="none"
        autoFocus
        required
        pattern=".*\S.*"
        lengthMax={slugLengthMax}
        hint="The slug of your organisation, such as acme in the URL …/sign-in/acme."
        value={slug}
        onChange={(event) => setSlug(event.target.value)}
      />
      <FormError error={begin.error} />
      <Button type="submit" className="h-9" busy={begin.isPending}>
        Continue to the provider
      </Button>
    </form>
  );
}
