import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const userPresent = 0x01;
const userVerified = 0x04;
const withCredential = 0x40;

/** How a device answers; omitted values are those of a real one. */
type Answering = { origin: string; counter?: number; isVerified?: boolean; key?: KeyObject };

/** Creates a passkey and signs with it, as an authenticator does (Web Authentication, level 3). */
export type PasskeyDevice = {
  credentialId: string;
  privateKey: KeyObject;
  /** The response to `beginPasskey`. */
  make: (options: Record<string, unknown>, answering: Answering) => Record<string, unknown>;
  /** The response to `beginPasskeySignIn`. */
  sign: (options: Record<string, unknown>, answering: Answering) => Record<string, unknown>;
};

/** A device with one passkey (P-256). */
export function makePasskeyDevice(): PasskeyDevice {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  const credentialId = id.toString("base64url");
  const answer = (response: Record<string, Buffer>) => ({
    id: credentialId,
    rawId: credentialId,
    type: "public-key",
    clientExtensionResults: {},
    response: Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, bytes.toString("base64url")])),
  });
  return {
    credentialId,
    privateKey,
    make: (options, answering) => {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const coseKey = new Map<number, Cbor>([
        [1, 2], // an elliptic curve's
        [3, -7], // ES256
        [-1, 1], // P-256
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]);
      const idLength = Buffer.from([0, id.length]);
      const authData = Buffer.concat([
        authenticatorData(answering, withCredential),
        Buffer.alloc(16),
        idLength,
        id,
        cbor(coseKey),
      ]);
      return answer({
        clientDataJSON: clientData("webauthn.create", options, answering),
        attestationObject: cbor(
          new Map<string, Cbor>([
            ["fmt", "none"],
            ["attStmt", new Map()],
            ["authData", authData],
          ]),
        ),
      });
    },
    sign: (options, answering) => {
      const clientDataJSON = clientData("webauthn.get", options, answering);
      const data = authenticatorData(answering);
      const signed = Buffer.concat([data, createHash("sha256").update(clientDataJSON).digest()]);
      const signature = sign("sha256", signed, answering.key ?? privateKey);
      return answer({ clientDataJSON, authenticatorData: data, signature });
    },
  };
}

const clientData = (type: string, { challenge }: Record<string, unknown>, { origin }: Answering) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authenticatorData({ origin, counter = 0, isVerified = true }: Answering, flags = 0): Buffer {
  const data = Buffer.alloc(37);
  createHash("sha256").update(new URL(origin).hostname).digest().copy(data);
  data.writeUInt8(flags | userPresent | (isVerified ? userVerified : 0), 32);
  data.writeUInt32BE(counter, 33);
  return data;
}

type Cbor = number | string | Buffer | Map<string | number, Cbor>;

/** The part of CBOR (RFC 8949) that authenticators write. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
  }
  return Buffer.concat([head(2, value.length), value]);
}
