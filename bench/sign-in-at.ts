/** Signs in at the dashboard's API. Returns a function that gets a path, or posts a body, and throws for an error. */
export async function signInAt(
  base: string,
  email: string,
  password: string,
): Promise<(path: string, body?: object) => Promise<unknown>> {
  const signedIn = await fetch(`${base}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  return async (path, body) => {
    const posted = body && { method: "POST", body: JSON.stringify(body) };
    const headers = { cookie, ...(body && { "content-type": "application/json", origin: new URL(base).origin }) };
    const answer = await fetch(`${base}${path}`, { ...posted, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} responded with ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}
