import type { ReactNode } from "react";
import { Logo } from "../../ui/logo.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";

/** The frame of the pages for people who are not signed in. */
export function FrontPage({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  return (
    <main className="flex min-h-full flex-col items-center px-4 py-[12vh]">
      <div className="w-full max-w-sm">
        <Logo className="mb-6 size-8" />
        <PageHeading title={title} hint={hint} />
        {children}
      </div>
    </main>
  );
}
