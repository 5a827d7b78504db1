import type { Client } from "../../server/src/testing/start-service.ts";

const source = `import { rates } from "./rates.ts";

const addTax = (line: Line): number => line.price * (1 + rates[line.country].rate);

/** The price of a basket, with taxes. */
export function sumOf(lines: Line[]): number {
  let sum = 0;
  for (let index = 0; index <= lines.length; index++) {
    sum += addTax(lines[index]);
  }
  return sum;
}

export function Basket({ lines }: { lines: Line[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h2>{t("basket")}</h2>
      <p>{formatPrice(sumOf(lines))}</p>
    </section>
  );
}
`;

/** Uploads the source map for the bundle in the stack traces of the lively world. */
export async function uploadLivelySourceMap(lodge: Client, token: string, file: string): Promise<void> {
  const map = {
    version: 3,
    sources: ["src/checkout/basket.tsx"],
    names: [],
    sourcesContent: [source],
    mappings: ";;;sTAkBsB;;;;;;;;gzDAhBsB,iXAMjC",
  };
  const body = new FormData();
  body.set(file, new Blob([JSON.stringify(map)]));
  const answer = await fetch(`${lodge.url}/api/v1/apps/storefront/source-maps`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body,
  });
  if (!answer.ok) throw new Error(`The source map was refused with ${answer.status}: ${await answer.text()}`);
}
