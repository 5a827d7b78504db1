import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { keepLoading } from "../api/keep-loading.ts";
import { showOverlay, useOverlay } from "../ui/overlay.ts";
import { useLoadSoon } from "../ui/use-load-soon.ts";
import { loadWhenIdle } from "./load-page.ts";
import { useKeys } from "./use-keys.ts";

const loadSearch = () => keepLoading(() => import("./search/search-dialog.tsx"));
const loadKeys = () => keepLoading(() => import("./keys-dialog.tsx"));
const loadOrganisation = () => keepLoading(() => import("./new-organisation-dialog.tsx"));
const SearchDialog = lazy(() => loadSearch().then((module) => ({ default: module.SearchDialog })));
const KeysDialog = lazy(() => loadKeys().then((module) => ({ default: module.KeysDialog })));
const NewOrganisationDialog = lazy(() =>
  loadOrganisation().then((module) => ({ default: module.NewOrganisationDialog })),
);

/** The global shortcuts and overlays of every page. */
export function Overlays() {
  const { routesById } = useRouter();
  useKeys();
  useEffect(
    () =>
      loadWhenIdle([
        ...Object.values(routesById).flatMap(({ options }) => options.component ?? []),
        { preload: loadKeys },
      ]),
    [routesById],
  );
  useLoadSoon(loadSearch);
  useLoadSoon(loadOrganisation);
  const shown = useOverlay();
  const close = () => showOverlay(undefined);
  return (
    <Suspense>
      {shown === "search" && <SearchDialog close={close} />}
      {shown === "keys" && <KeysDialog close={close} />}
      {shown === "organisation" && <NewOrganisationDialog close={close} />}
    </Suspense>
  );
}
