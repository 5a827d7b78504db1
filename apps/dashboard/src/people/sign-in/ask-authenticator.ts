/** Asks the device for a passkey. Throws an error with a readable message if it gives none. */
export async function askAuthenticator<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name } = error as Error;
    throw new Error(reasons[name as keyof typeof reasons] ?? "Your device could not complete the request. Try again.", {
      cause: error,
    });
  }
}

const reasons = {
  NotAllowedError:
    "No passkey was used: the request was cancelled, took too long, or the device has no passkey for this site.",
  InvalidStateError: "This device already has one of your passkeys.",
  SecurityError: "Passkeys do not work at this URL. Open Lodge at its public HTTPS URL.",
};
