/**
 * The unparsed query with which an identity provider redirected the browser back here, else "". It is removed from the
 * URL before the router reads that.
 */
export const providerAnswer: string =
  location.pathname.startsWith("/sign-in/") && /[?&]state=/.test(location.search) ? location.search : "";
if (providerAnswer) history.replaceState(null, "", location.pathname);
