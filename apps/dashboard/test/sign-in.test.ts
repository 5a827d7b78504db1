import assert from "node:assert/strict";
import { after, test } from "node:test";
import { password, signedIn, twoOrganisations, visitor } from "../../server/src/testing/dashboard-client.ts";
import { freePort } from "../../server/src/testing/free-port.ts";
import { startOpenIdProvider } from "../../server/src/testing/start-openid-provider.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { findBarriers } from "./axe.ts";
import { openAs, signInOn, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const port = await freePort();
const lodge = stack.use(
  await startService({
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
    PORT: `${port}`,
    LODGE_BASE_URL: `http://localhost:${port}`, // passkeys need a host name
  }),
);
const base = lodge.deps.urls.base;
const named = { ...lodge, url: base };
const browser = stack.use(await startBrowser());
await twoOrganisations(lodge);

test("an owner sets up a provider, new people sign in with it, and members must once it is required", async () => {
  await using provider = await startOpenIdProvider(`${base}/sign-in/acme`);
  const ada = await browser.open(base);
  await openAs(ada.page, named, "ada@acme.test");
  await ada.page.goto("/members");
  const section = ada.page.getByRole("region", { name: "Identity provider" });
  await section.getByRole("button", { name: "Set up" }).click();
  const dialog = ada.page.getByRole("dialog");
  await dialog.getByText(`${base}/sign-in/acme`).waitFor();
  await dialog.getByLabel("Issuer").fill("https://127.0.0.1:1");
  await dialog.getByLabel("Client id").fill(provider.clientId);
  await dialog.getByLabel("Client secret").fill(provider.clientSecret);
  await dialog.getByLabel("E-mail domains").fill("@Acme.test");
  await dialog.getByLabel("Values for admins").fill("it, ops");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").getByText("The identity provider cannot be reached").waitFor();
  await dialog.getByLabel("Issuer").fill(provider.issuer);
  await dialog.getByRole("button", { name: "Save" }).click();
  await section.getByText("it, ops").waitFor();
  assert.deepEqual(await findBarriers(ada.page), []);

  provider.accounts.set("1", { email: "nia@acme.test", name: "Nia New", roles: ["ops"] });
  provider.signsIn("1");
  const { page, problems } = await browser.open(base);
  await page.goto("/members");
  await page.getByRole("button", { name: "Sign in with your organisation" }).click();
  await page.getByLabel("Your organisation").fill("acme");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  await page.getByRole("alert").getByText("did not confirm that your e-mail address").waitFor();
  await eventually(async () =>
    assert.equal(new URL(page.url()).search, "", "the provider's response is removed from the address"),
  );
  assert.deepEqual(await findBarriers(page), []);
  provider.accounts.set("1", { email: "nia@acme.test", email_verified: true, name: "Nia New", roles: ["ops"] });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  await page.getByRole("combobox", { name: "Role of Nia New: Admin" }).waitFor();
  await page.goto("/profile");
  await page.getByText("The identity provider of Acme has signed you in.").waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole("button", { name: "Nia New account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with acme" }).click();
  await page.getByText("The identity provider of Acme has signed you in.").waitFor();

  await section.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("Require the identity provider").click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await section.getByText("Only for owners").waitFor();
  provider.accounts.set("2", { email: "mel@acme.test", email_verified: true, name: "Mel Acme" });
  provider.signsIn("2");
  const mel = await browser.open(base);
  await openAs(mel.page, named, "mel@acme.test");
  await mel.page.goto("/projects");
  await mel.page.getByRole("heading", { name: "Acme requires sign-in through its identity provider" }).waitFor();
  assert.deepEqual(await findBarriers(mel.page), []);
  await mel.page.getByRole("button", { name: "Continue to the provider" }).click();
  await mel.page.getByRole("heading", { name: "Projects and boards" }).waitFor();

  const owner = await signedIn(named, "ada@acme.test");
  const { body } = await owner("POST", "/invitations", { email: "lin@acme.test", role: "member" });
  const lin = await browser.open(base);
  await lin.page.goto(String(body.url));
  await lin.page.getByText("Acme requires members to sign in with its identity provider.").waitFor();
  assert.deepEqual(await findBarriers(lin.page), []);
  provider.accounts.set("3", { email: "lin@acme.test", email_verified: true, name: "Lin New" });
  provider.signsIn("3");
  await lin.page.getByRole("link", { name: "Sign in with Acme" }).click();
  await lin.page.getByRole("button", { name: "Continue to the provider" }).click();
  await lin.page.getByRole("heading", { name: "Backlog" }).waitFor();

  await section.getByRole("button", { name: "Remove" }).click();
  await ada.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await section.getByRole("button", { name: "Set up" }).waitFor();
  await mel.page.getByRole("heading", { name: "Sign in to Lodge" }).waitFor();
  assert.deepEqual([...ada.problems, ...problems, ...mel.problems, ...lin.problems], []);
});

test("a person adds a passkey and signs in with it alone, and it is their second factor", async () => {
  const { page, problems } = await browser.open(base);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await openAs(page, named, "eve@umbra.test");
  await page.goto("/profile");
  const section = page.getByRole("region", { name: "Passkeys" });
  await page.getByRole("button", { name: "Set up a second factor" }).waitFor(); // content above the section still loads and moves it
  await section.getByRole("button", { name: "Add passkey" }).click();
  await section.getByLabel("Name of the passkey").fill("Eve's laptop");
  await section.getByLabel("Your password").fill("not the password");
  await section.getByRole("button", { name: "Add passkey" }).click();
  await section.getByRole("alert").getByText("password is wrong").waitFor();
  await section.getByLabel("Your password").fill(password);
  await section.getByRole("button", { name: "Add passkey" }).click();
  const codes = await section.getByRole("region", { name: "Recovery codes" }).locator("code").innerText();
  assert.equal(codes.split("\n").length, 10);
  await section.getByRole("button", { name: "I have saved them" }).click();
  await section.getByText("Eve's laptop").waitFor();
  await page.getByRole("region", { name: "Second factor" }).getByText("Your passkeys are your second factor").waitFor();
  await section.getByRole("button", { name: "Rename Eve's laptop" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Eve's phone");
  await page.keyboard.press("Enter");
  await section.getByText("Eve's phone").waitFor();
  assert.deepEqual(await findBarriers(page), []);

  const byPassword = visitor(named);
  const signIn = (code?: string) =>
    byPassword("POST", "/session", { email: "eve@umbra.test", password, ...(code && { code }) });
  assert.equal((await signIn()).body.error, "second_factor_required", "the password alone is no longer enough");
  assert.equal((await signIn("000000")).body.error, "wrong_code");
  const other = await signIn(codes.split("\n")[0]);
  assert.equal(other.status, 200, "a recovery code is accepted as the second factor");
  const required = await byPassword("PATCH", "/sign-in-rules", { requiresSecondFactor: true });
  assert.equal(required.status, 200, "a passkey counts as a second factor");

  await page.getByRole("button", { name: "Eve Umbra account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await section.getByText("used").waitFor();
  assert.deepEqual((await byPassword("GET", "/members")).status, 200);

  // A signature for another challenge, or a second one for the same challenge, is refused.
  const sent: string[] = [];
  page.on(
    "request",
    (request) => request.url().endsWith("/passkey-sign-ins/completion") && sent.push(request.postData() ?? ""),
  );
  await page.getByRole("button", { name: "Eve Umbra account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await signInOn(page, "eve@umbra.test", password);
  await page.getByLabel("Code", { exact: true }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await section.getByText("Eve's phone").waitFor();
  const replayed = await visitor(named)("POST", "/passkey-sign-ins/completion", JSON.parse(sent[0] ?? ""));
  assert.deepEqual([replayed.status, replayed.body.error], [401, "passkey_refused"]);

  await section.getByRole("button", { name: "Remove Eve's phone" }).click();
  await page.getByRole("dialog").getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByRole("heading", { name: "Umbra requires a second factor" }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("The passkey is not registered here").waitFor();
  await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  assert.deepEqual(problems, []);
});
