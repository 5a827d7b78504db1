/** The prefix of our cookies. */
export const cookiePrefix = "lodge";

/** Whether cookies are for https alone. */
export const isSecure = (base: string) => base.startsWith("https://");

/** The name of the session's cookie. */
export const sessionCookieName = (base: string) => `${isSecure(base) ? "__Secure-" : ""}${cookiePrefix}.session_token`;
