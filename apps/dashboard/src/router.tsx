import { createRootRoute, createRoute, createRouter, Outlet } from "@tanstack/react-router";
import { readBoardSearch } from "./board/board/board-search.ts";
import { readInboxSearch } from "./inbox/reports/inbox-search.ts";
import { readThreadSearch } from "./inbox/reports/thread-search.ts";
import { page } from "./shell/load-page.ts";
import { PageCrashed } from "./shell/page-crashed.tsx";
import { PageWaiting } from "./shell/page-waiting.tsx";
import { SignedIn } from "./shell/signed-in.tsx";
import { NotFound } from "./ui/not-found.tsx";

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <NotFound what="page" />,
  errorComponent: PageCrashed,
});

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: "sign-in",
  validateSearch: (search): { next?: string; lost?: true } => {
    const next = text(search.next);
    return { ...(next && { next }), ...(search.lost === true && { lost: true }) };
  },
  component: page(() => import("./people/sign-in/sign-in-page.tsx"), "SignInPage"),
});

const provider = createRoute({
  getParentRoute: () => rootRoute,
  path: "sign-in/$slug",
  validateSearch: (search): { next?: string } => {
    const next = text(search.next);
    return next ? { next } : {};
  },
  component: page(() => import("./people/sign-in/provider-page.tsx"), "ProviderPage"),
});

const setUp = createRoute({
  getParentRoute: () => rootRoute,
  path: "setup",
  component: page(() => import("./people/sign-in/set-up-page.tsx"), "SetUpPage"),
});

const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: "invitations/$secret",
  component: page(() => import("./people/sign-in/invitation-page.tsx"), "InvitationPage"),
});

const password = createRoute({
  getParentRoute: () => rootRoute,
  path: "passwords/$secret",
  component: page(() => import("./people/sign-in/password-page.tsx"), "PasswordPage"),
});

const subscription = createRoute({
  getParentRoute: () => rootRoute,
  path: "subscriptions/$secret",
  component: page(() => import("./people/sign-in/subscription-page.tsx"), "SubscriptionPage"),
});

const signedIn = createRoute({ getParentRoute: () => rootRoute, id: "signed-in", component: SignedIn });

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  component: page(() => import("./shell/home.tsx"), "Home"),
});

// A card opens over its board: both URLs are the same page, so that the board stays mounted.
const onBoard = createRoute({
  getParentRoute: () => signedIn,
  id: "on-board",
  validateSearch: readBoardSearch,
  component: page(() => import("./shell/board-with-reports.tsx"), "BoardWithReports"),
});
const board = createRoute({ getParentRoute: () => onBoard, path: "boards/$boardId" });
const ticket = createRoute({ getParentRoute: () => onBoard, path: "tickets/$ticketId" });

const insights = createRoute({
  getParentRoute: () => signedIn,
  path: "boards/$boardId/insights",
  component: page(() => import("./board/insights/insights-page.tsx"), "InsightsPage"),
});

const notices = createRoute({
  getParentRoute: () => signedIn,
  path: "inbox",
  validateSearch: (search): { show?: "unread" } => (search.show === "unread" ? { show: "unread" } : {}),
  component: page(() => import("./people/notifications/notifications-page.tsx"), "NoticesPage"),
});

const work = createRoute({
  getParentRoute: () => signedIn,
  path: "work",
  component: page(() => import("./board/work/work-page.tsx"), "WorkPage"),
});

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: "profile",
  component: page(() => import("./people/profile/profile-page.tsx"), "ProfilePage"),
});

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: "projects",
  component: page(() => import("./board/projects/projects-page.tsx"), "ProjectsPage"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  id: "settings",
  component: page(() => import("./shell/settings.tsx"), "Settings"),
});

const members = createRoute({
  getParentRoute: () => settings,
  path: "members",
  component: page(() => import("./people/members/members-page.tsx"), "MembersPage"),
});

const tokens = createRoute({
  getParentRoute: () => settings,
  path: "tokens",
  component: page(() => import("./people/tokens/tokens-page.tsx"), "TokensPage"),
});

const labels = createRoute({
  getParentRoute: () => settings,
  path: "labels",
  component: page(() => import("./board/labels/labels-page.tsx"), "LabelsPage"),
});

const integrationsPage = page(() => import("./operate/integrations/integrations-page.tsx"), "IntegrationsPage");

const integrations = createRoute({
  getParentRoute: () => settings,
  path: "integrations",
  component: integrationsPage,
});

// Links from before subscribers and webhooks shared a page.
const hooks = createRoute({ getParentRoute: () => settings, path: "hooks", component: integrationsPage });
const subscribers = createRoute({ getParentRoute: () => settings, path: "subscribers", component: integrationsPage });

const hook = createRoute({
  getParentRoute: () => settings,
  path: "hooks/$hookId",
  component: page(() => import("./operate/integrations/hook-page.tsx"), "HookPage"),
});

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: "runs",
  component: page(() => import("./board/runs/runs-page.tsx"), "RunsPage"),
});

const subscriber = createRoute({
  getParentRoute: () => settings,
  path: "subscribers/$subscriberId",
  component: page(() => import("./inbox/subscribers/subscriber-page.tsx"), "SubscriberPage"),
});

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: "apps",
  component: page(() => import("./inbox/apps/apps-page.tsx"), "AppsPage"),
});

const app = createRoute({
  getParentRoute: () => signedIn,
  path: "apps/$appId",
  component: page(() => import("./inbox/apps/app-page.tsx"), "AppPage"),
});

const usage = createRoute({
  getParentRoute: () => settings,
  path: "usage",
  component: page(() => import("./operate/usage/usage-page.tsx"), "UsagePage"),
});

const organisation = createRoute({
  getParentRoute: () => settings,
  path: "organisation",
  component: page(() => import("./people/organisation/organisation-page.tsx"), "OrganisationPage"),
});

const audit = createRoute({
  getParentRoute: () => settings,
  path: "audit",
  component: page(() => import("./operate/audit/audit-page.tsx"), "AuditPage"),
});

const reports = createRoute({
  getParentRoute: () => signedIn,
  path: "reports",
  component: page(() => import("./inbox/reports/reports-page.tsx"), "ReportsPage"),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "reports/$appId",
  validateSearch: readInboxSearch,
  component: page(() => import("./inbox/reports/inbox-page.tsx"), "InboxPage"),
});

const releases = createRoute({
  getParentRoute: () => signedIn,
  path: "reports/$appId/releases",
  component: page(() => import("./inbox/reports/releases-page.tsx"), "ReleasesPage"),
});

const event = createRoute({
  getParentRoute: () => signedIn,
  path: "events/$eventId",
  component: page(() => import("./inbox/reports/event-page.tsx"), "EventPage"),
});

const problem = createRoute({
  getParentRoute: () => signedIn,
  path: "problems/$problemId",
  component: page(() => import("./inbox/reports/problem-page.tsx"), "ProblemPage"),
});

// A conversation opens beside its list.
const amongThreads = createRoute({
  getParentRoute: () => signedIn,
  id: "among-threads",
  validateSearch: readThreadSearch,
  component: page(() => import("./inbox/reports/threads-page.tsx"), "ThreadsPage"),
});
const threads = createRoute({ getParentRoute: () => amongThreads, path: "threads" });
const thread = createRoute({ getParentRoute: () => amongThreads, path: "threads/$threadId" });

/** The routes of the dashboard. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signIn,
    provider,
    setUp,
    invitation,
    password,
    subscription,
    signedIn.addChildren([
      home,
      onBoard.addChildren([board, ticket]),
      insights,
      notices,
      work,
      profile,
      apps,
      app,
      settings.addChildren([
        organisation,
        members,
        labels,
        tokens,
        integrations,
        subscribers,
        subscriber,
        hooks,
        hook,
        usage,
        audit,
      ]),
      reports,
      releases,
      runs,
      inbox,
      event,
      problem,
      amongThreads.addChildren([threads, thread]),
      projects,
    ]),
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: PageCrashed,
  defaultPendingComponent: PageWaiting,
  defaultPendingMinMs: 0,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
