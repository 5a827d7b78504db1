import { useQuery } from "@tanstack/react-query";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { sourceMapsQuery } from "./app-queries.ts";

/** The source maps of an app: first the unusable ones, with the reason. */
export function SourceMaps({ appId }: { appId: string }) {
  const maps = useQuery(sourceMapsQuery(appId));
  const { data } = maps;
  return (
    <Section title="Source maps">
      {maps.isPending && <Skeleton className="h-16" />}
      {maps.isError && !data && <LoadError error={maps.error} retry={() => void maps.refetch()} />}
      {data?.totalCount === 0 && (
        <p className="text-muted">
          No source maps yet. Upload the source maps of a build with{" "}
          <code className="font-mono text-sm">lodge sourcemaps upload</code>.
        </p>
      )}
      {data && data.unusableCount > 0 && (
        <p>
          Source maps that cannot be used: {formatCount(data.unusableCount)} of {formatCount(data.totalCount)}. Upload
          them again so that Lodge can map the stack traces of those builds.
        </p>
      )}
      {data && data.totalCount > 0 && (
        <ul className="flex flex-col text-sm">
          {data.sourceMaps.map(({ file, release, debugId, createdAt, unusableReason }) => (
            <li key={`${file} ${release} ${debugId}`} className="border-t border-line py-2">
              <span className="font-mono wrap-anywhere">{file}</span>
              {release !== null && <span className="text-muted"> · {release}</span>}
              <span className="text-muted">
                {" "}
                · uploaded <Time at={createdAt} />
              </span>
              {unusableReason !== null && <p className="text-danger-ink">Not used: {unusableReason}</p>}
            </li>
          ))}
        </ul>
      )}
      {data && data.sourceMaps.length < data.totalCount && (
        <p className="text-muted">
          Older source maps that are not shown: {formatCount(data.totalCount - data.sourceMaps.length)}.
        </p>
      )}
    </Section>
  );
}
