/** Signs in at a dashboard's API. Returns what asks it for a path, and throws for any answer but 200. */
export async function signInAt(
  base: string,
  email: string,
  password: string,
): Promise<(path: string) => Promise<unknown>> {
  const signedIn = await fetch(`${base}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  return async (path) => {
    const answer = await fetch(`${base}${path}`, { headers: { cookie } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}
