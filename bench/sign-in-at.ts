/** Signs in at a dashboard's API. Returns what asks it for a path, or posts it a body, and throws for a refusal. */
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
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}
