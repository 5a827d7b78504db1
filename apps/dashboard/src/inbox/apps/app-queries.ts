import { getApp, listAppSourceMaps, listApps, listRefusals } from "@lodge/contract/calls.generated";
import { query } from "../../api/query.ts";

export const appsQuery = query(listApps);

export const appQuery = (appId: string) => query(getApp, { params: { appId } });

export const sourceMapsQuery = (appId: string) => query(listAppSourceMaps, { params: { appId } });

const refusedAnewMs = 5_000;

/** The refused reports of an app. There is no live event for them, so they are fetched again while the page is open. */
export const refusalsQuery = (appId: string) => ({
  ...query(listRefusals, { params: { appId }, query: { days: "30" } }),
  refetchInterval: refusedAnewMs,
});

/** The `integrity` values of the SDK scripts that this server serves, by file name. */
export const sdkIntegrityQuery = {
  queryKey: ["sdk-integrity"],
  queryFn: async (): Promise<Record<string, string>> => {
    const answer = await fetch("/sdk/integrity.json");
    return answer.ok ? ((await answer.json()) as Record<string, string>) : {}; // a server without built files serves none
  },
  staleTime: Number.POSITIVE_INFINITY,
};
