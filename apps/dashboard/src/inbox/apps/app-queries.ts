import { getApp, listAppSourceMaps, listApps, listRefusals } from "@lodge/contract/calls.generated";
import { query } from "../../api/query.ts";

export const appsQuery = query(listApps);

export const appQuery = (appId: string) => query(getApp, { params: { appId } });

export const sourceMapsQuery = (appId: string) => query(listAppSourceMaps, { params: { appId } });

const refusedAnewMs = 5_000;

/** What was refused of an app. Nobody is told of it live, so it is asked anew while it is looked at. */
export const refusalsQuery = (appId: string) => ({
  ...query(listRefusals, { params: { appId }, query: { days: "30" } }),
  refetchInterval: refusedAnewMs,
});
