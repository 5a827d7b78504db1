/**
 * The query with which an identity provider has sent the browser back here, as it came; "" where none has. It is read, and
 * taken out of the address, before the router has seen that.
 */
export const providerAnswer: string =
  location.pathname.startsWith("/sign-in/") && /[?&]state=/.test(location.search) ? location.search : "";
if (providerAnswer) history.replaceState(null, "", location.pathname);
