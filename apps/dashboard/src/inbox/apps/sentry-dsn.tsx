import type { App } from "@lodge/contract/dashboard/apps";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Copyable } from "../../ui/copyable.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Section } from "../../ui/section.tsx";

/** The line that sets up a Sentry SDK, by platform. */
const platforms: { name: string; line: (dsn: string) => string }[] = [
  { name: "Browser", line: (dsn) => `Sentry.init({ dsn: "${dsn}" }); // import * as Sentry from "@sentry/browser"` },
  { name: "Node", line: (dsn) => `Sentry.init({ dsn: "${dsn}" }); // import * as Sentry from "@sentry/node"` },
  { name: "Python", line: (dsn) => `sentry_sdk.init(dsn="${dsn}")` },
  { name: "Java", line: (dsn) => `Sentry.init(options -> options.setDsn("${dsn}"));` },
  { name: "Android", line: (dsn) => `<meta-data android:name="io.sentry.dsn" android:value="${dsn}" />` },
  { name: "Swift", line: (dsn) => `SentrySDK.start { options in options.dsn = "${dsn}" }` },
  { name: "Go", line: (dsn) => `sentry.Init(sentry.ClientOptions{Dsn: "${dsn}"})` },
  { name: "Ruby", line: (dsn) => `Sentry.init { |config| config.dsn = "${dsn}" }` },
  { name: "PHP", line: (dsn) => `\\Sentry\\init(['dsn' => '${dsn}']);` },
  { name: ".NET", line: (dsn) => `SentrySdk.Init(options => options.Dsn = "${dsn}");` },
  { name: "Flutter", line: (dsn) => `await SentryFlutter.init((options) => options.dsn = '${dsn}');` },
];

/** The DSN with which Sentry SDKs report to an app, and how to set it on each platform. */
export function SentryDsn({ app }: { app: App }) {
  const [key] = app.keys;
  if (!key) return null;
  return (
    <Section title="Sentry SDKs">
      <p className="text-sm text-muted">
        Any Sentry SDK can send reports to this app once you set this DSN. Most Sentry SDKs lose reports while the
        server is down or refuses them. Lodge’s own SDK keeps and retries them.
      </p>
      <Copyable title="DSN" text={key.dsn} />
      <Disclosure summary={<span className="text-sm text-muted">Show an example for each platform</span>}>
        <ul className="mt-2 divide-y divide-line">
          {platforms.map(({ name, line }) => (
            <li key={name} className="flex items-start gap-3 py-2">
              <span className="w-20 shrink-0 text-sm font-medium">{name}</span>
              <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{line(key.dsn)}</code>
              <CopyButton text={line(key.dsn)} label={`the line for ${name}`} />
            </li>
          ))}
        </ul>
      </Disclosure>
    </Section>
  );
}
