import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Lines, shownLengthMax } from "./lines.tsx";

/** The start of a file on the server as text with numbered lines. With `whole`, all of it. */
export function RemoteText({
  label,
  url,
  byteLength,
  whole = false,
}: {
  label: string;
  url: string;
  byteLength?: number;
  whole?: boolean;
}) {
  const text = useQuery({
    queryKey: ["remote text", url, whole],
    queryFn: ({ signal }) => fetchText(url, whole ? undefined : shownLengthMax, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.isPending) return <Skeleton className="h-40" />;
  if (text.data === undefined) {
    return (
      <p role="alert" className="flex flex-wrap items-center gap-2 text-sm text-danger-ink">
        {text.error instanceof Error ? text.error.message : "Could not load."}
        <Button small onClick={() => void text.refetch()}>
          Try again
        </Button>
      </p>
    );
  }
  return (
    <>
      {whole && (
        <div className="mb-2 flex justify-end">
          <CopyButton text={text.data} label={label} />
        </div>
      )}
      <Lines label={label} text={text.data} isCut={(byteLength ?? 0) > shownLengthMax} />
    </>
  );
}

async function fetchText(url: string, bytesMax: number | undefined, signal: AbortSignal): Promise<string> {
  const headers = bytesMax === undefined ? {} : { range: `bytes=0-${bytesMax - 1}` };
  const response = await fetch(url, { headers, signal, credentials: "omit", referrerPolicy: "no-referrer" });
  if (response.status === 410) throw new Error("The link has expired. Reload the page.");
  if (response.status === 416) return ""; // the file is empty
  if (!response.ok) throw new Error(`It could not be loaded (${response.status}).`);
  return response.text();
}
