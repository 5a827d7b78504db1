/** Asks a device for a passkey, and says in words why it gave none. */
export async function askAuthenticator<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name } = error as Error;
    throw new Error(reasons[name as keyof typeof reasons] ?? "Your device could not do it. Try again.", {
      cause: error,
    });
  }
}

const reasons = {
  NotAllowedError: "Your device gave no passkey: it was cancelled, took too long, or it has none for this address.",
  InvalidStateError: "This device has a passkey of yours already.",
  SecurityError: "Passkeys do not work at this address: open Lodge at its public one, with https and a name.",
};
