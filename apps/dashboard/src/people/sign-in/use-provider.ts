import { beginIdentityLink, beginProviderSignIn } from "@lodge/contract/calls.generated";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

const nextKey = "lodge-sign-in-next";
const organisationKey = "lodge-sign-in-organisation";

/** Redirects to the identity provider of an organisation, by slug. After the sign-in, `next` opens. */
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

/** Redirects to the identity provider of an organisation, by slug, to link it with the current account. */
export async function goAndLink(slug: string, password: string): Promise<void> {
  const { url } = await call(beginIdentityLink, { params: { slug }, body: { password } });
  keep(sessionStorage, linkKey, slug);
  location.assign(url);
}

/** Whether this tab went to the provider of this organisation to link an account. True only on the first call. */
export function takeLink(slug: string): boolean {
  const links = read(sessionStorage, linkKey) === slug;
  keep(sessionStorage, linkKey, "");
  return links;
}

/** The page to open after the sign-in with the provider. */
export const readNext = (): string => read(sessionStorage, nextKey) ?? "/";

/** The slug of the organisation whose provider was last used on this device, else "". */
export const readOrganisation = (): string => read(localStorage, organisationKey) ?? "";

/** Saves the slug for `readOrganisation`. */
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
    // Storage is disabled: the start page opens afterwards, and the slug must be entered again.
  }
}
