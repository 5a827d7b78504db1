import { beginIdentityLink, beginProviderSignIn } from "@lodge/contract/calls.generated";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

const nextKey = "lodge-sign-in-next";
const organisationKey = "lodge-sign-in-organisation";

/** Goes to the identity provider of an organisation, by its slug; afterwards `next` is opened. */
export function useProvider(next: string | undefined) {
  return useMutation({
    mutationFn: (slug: string) => call(beginProviderSignIn, { params: { slug } }),
    onSuccess: ({ url }) => {
      keep(sessionStorage, nextKey, next ?? "/");
      keep(sessionStorage, linkKey, "");
      location.assign(url);
    },
  });
}

const linkKey = "lodge-links-account";

/** Goes to the identity provider of an organisation, by its slug, to link the account that is signed in with it. */
export async function goAndLink(slug: string, password: string): Promise<void> {
  const { url } = await call(beginIdentityLink, { params: { slug }, body: { password } });
  keep(sessionStorage, linkKey, slug);
  location.assign(url);
}

/** Whether this tab went to the provider of this organisation to link an account; once. */
export function takeLink(slug: string): boolean {
  const links = read(sessionStorage, linkKey) === slug;
  keep(sessionStorage, linkKey, "");
  return links;
}

/** Where to go on after the provider. */
export const readNext = (): string => read(sessionStorage, nextKey) ?? "/";

/** The slug of the organisation whose provider has signed somebody in last on this device; "" for none. */
export const readOrganisation = (): string => read(localStorage, organisationKey) ?? "";

/** Remembers it. */
export const keepOrganisation = (slug: string): void => keep(localStorage, organisationKey, slug);

function read(storage: Storage, key: string): string | null {
  try {
    return storage.getItem(key);
  } catch {
    return null; // storage is disabled
  }
}

function keep(storage: Storage, key: string, value: string) {
  try {
    storage.setItem(key, value);
  } catch {
    // Storage is switched off: the start page opens, and the name is entered again.
  }
}
