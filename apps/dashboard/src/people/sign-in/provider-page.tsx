import { finishIdentityLink, finishProviderSignIn } from "@lodge/contract/calls.generated";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { sessionQuery } from "../../api/queries.ts";
import { adoptSession } from "../../session/adopt-session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { FormError } from "../../ui/notice.tsx";
import { Redirect } from "../../ui/redirect.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { FrontPage } from "./front-page.tsx";
import { pathWithin } from "./path-within.ts";
import { providerAnswer } from "./provider-answer.ts";
import { keepOrganisation, readNext, takeLink, useProvider } from "./use-provider.ts";

/** Signs in with the identity provider of an organisation: redirects there, and handles its response afterwards. */
export function ProviderPage() {
  const { slug } = useParams({ from: "/sign-in/$slug" });
  const { next } = useSearch({ from: "/sign-in/$slug" });
  const session = useQuery(sessionQuery);
  const begin = useProvider(next ?? (providerAnswer ? readNext() : undefined)); // a retry leads to the same page as the first attempt
  const [answer, setAnswer] = useState(providerAnswer);
  const [links] = useState(() => answer !== "" && takeLink(slug));
  const taken = useRef(false);
  const finish = useMutation({
    mutationFn: async () => {
      if (links) return void (await call(finishIdentityLink, { params: { slug }, body: { answer } }));
      const opened = await call(finishProviderSignIn, { params: { slug }, body: { answer } });
      keepOrganisation(slug);
      await adoptSession(opened);
    },
    onSuccess: () => {
      if (links) tellDone("Your account is linked");
    },
    onError: () => setAnswer(""),
  });
  useEffect(() => {
    if (answer === "" || taken.current) return;
    taken.current = true; // the provider's response can be used only once
    finish.mutate();
  }, [answer, finish]);
  if (finish.isSuccess) return <Redirect to={links ? "/profile" : pathWithin(readNext())} />;
  if (session.data?.organisation?.slug === slug && session.data.isByProvider && answer === "") {
    return <Redirect to={pathWithin(next)} />;
  }
  if (answer !== "") {
    return (
      <FrontPage title={links ? "Linking your account…" : "Signing you in…"}>
        <p role="status" className="text-muted">
          The identity provider of {slug} has answered.
        </p>
      </FrontPage>
    );
  }
  if (links) {
    return (
      <FrontPage title="Your account is not linked">
        <FormError error={finish.error} />
        <Link to="/profile" className={`${buttonClass()} mt-4`}>
          Go to your profile
        </Link>
      </FrontPage>
    );
  }
  return (
    <FrontPage
      title={finish.isError ? "You are not signed in" : `Sign in to ${slug}`}
      hint="Use the identity provider of your organisation."
    >
      <div className="flex flex-col gap-4">
        <FormError error={begin.error ?? finish.error} />
        <Button look="primary" className="h-9" busy={begin.isPending} onClick={() => begin.mutate(slug)}>
          {finish.isError ? "Try again" : "Continue to the provider"}
        </Button>
      </div>
      <p className="mt-6 text-sm text-muted">
        <Link to="/sign-in" search={next ? { next } : {}} className="underline">
          Sign in with a password
        </Link>{" "}
        instead.
      </p>
    </FrontPage>
  );
}
