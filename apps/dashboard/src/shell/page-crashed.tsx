import { Button } from "../ui/button.tsx";
import { PageHeading } from "../ui/page-heading.tsx";

/** Shown if a page fails unexpectedly, for example because its script could not be loaded. */
export function PageCrashed() {
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <PageHeading
        title="This page stopped working"
        hint="Lodge cannot be reached, or was updated while the page was open. Reloading usually helps."
      />
      <Button look="primary" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </main>
  );
}
