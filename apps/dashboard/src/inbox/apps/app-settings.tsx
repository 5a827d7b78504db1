import { changeApp } from "@lodge/contract/calls.generated";
import type { App, ChangeApp } from "@lodge/contract/dashboard/apps";
import { nameLengthMax } from "@lodge/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { controlClass, TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { SpikeFields } from "../spike-fields.tsx";
import { appQuery } from "./app-queries.ts";

const boxClass = "mt-0.5 size-4 shrink-0 accent-accent";

/** The name of an app and the settings for its SDKs. */
export function AppSettings({ app }: { app: App }) {
  const id = useId();
  const queryClient = useQueryClient();
  const [name, setName] = useState(app.name);
  const [replies, setReplies] = useState(app.replies);
  const [tellsFixes, setTellsFixes] = useState(app.tellsFixes);
  const [enabled, setEnabled] = useState(app.enabled);
  const [sourceLines, setSourceLines] = useState(app.sourceLines);
  const [origins, setOrigins] = useState(app.origins.join("\n"));
  const [settings, setSettings] = useState(() => JSON.stringify(app.settings, null, 2));
  const [events, setEvents] = useState(app.spike ? String(app.spike.events) : "");
  const [minutes, setMinutes] = useState(app.spike ? String(app.spike.minutes) : "");
  const [problem, setProblem] = useState<string>();
  const save = useMutation({
    mutationFn: (body: ChangeApp) => call(changeApp, { params: { appId: app.id }, body }),
    onSuccess: async (changed) => {
      queryClient.setQueryData(appQuery(app.id).queryKey, changed);
      await fetchAfter({ kind: "apps.changed" });
      tellDone("App saved");
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = readObject(settings);
    if (!parsed) return setProblem("The settings must be a JSON object, such as {}.");
    setProblem(undefined);
    const spike = events === "" ? null : { events: Number(events), minutes: Number(minutes) };
    save.mutate({
      name: name.trim(),
      replies,
      tellsFixes,
      enabled,
      sourceLines,
      origins: linesOf(origins),
      settings: parsed,
      spike,
    });
  };
  return (
    <Section title="Settings">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          lengthMax={nameLengthMax}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">SDK configuration</legend>
          <Choice isOn={enabled} onChange={setEnabled} label="Enabled">
            When this is off, Lodge SDKs stop sending within about an hour and keep their queued reports. Reports from
            Sentry SDKs are refused.
          </Choice>
          <Choice isOn={replies} onChange={setReplies} label="Replies to reporters">
            Each report opens a conversation that its sender can read.
          </Choice>
          <Choice isOn={tellsFixes} isDisabled={!replies} onChange={setTellsFixes} label="Tell reporters about fixes">
            Lodge posts to the reporter's conversation when a release contains the fix from the agent's pull request.
          </Choice>
        </fieldset>
        <Choice isOn={sourceLines} onChange={setSourceLines} label="Source code in stack traces">
          Reports show your source code around each frame of a stack trace. This applies to source maps uploaded from
          now on. When you turn it off, Lodge deletes the source code that it has stored.
        </Choice>
        <SpikeFields events={events} minutes={minutes} setEvents={setEvents} setMinutes={setMinutes} />
        <div>
          <label htmlFor={`${id}-origins`} className="mb-1 block text-sm font-medium">
            Web origins
          </label>
          <textarea
            id={`${id}-origins`}
            aria-describedby={`${id}-origins-hint`}
            rows={3}
            spellCheck={false}
            placeholder="https://shop.example.com"
            value={origins}
            onChange={(event) => setOrigins(event.target.value)}
            className={`${controlClass} py-1.5 font-mono text-xs`}
          />
          <p id={`${id}-origins-hint`} className="text-xs text-muted">
            One per line. Browsers let only pages from these origins read Lodge's responses to SDK requests. Leave empty
            to allow any origin.
          </p>
        </div>
        <div>
          <label htmlFor={`${id}-settings`} className="mb-1 block text-sm font-medium">
            Custom settings
          </label>
          <textarea
            id={`${id}-settings`}
            aria-describedby={`${id}-settings-hint`}
            rows={Math.min(Math.max(settings.split("\n").length, 3), 16)}
            spellCheck={false}
            value={settings}
            onChange={(event) => setSettings(event.target.value)}
            className={`${controlClass} py-1.5 font-mono text-xs`}
          />
          <p id={`${id}-settings-hint`} className="text-xs text-muted">
            A JSON object that GET /api/config returns to the SDKs unchanged. At most 16 KiB. Do not put secrets here.
          </p>
        </div>
        {problem && (
          <p role="alert" className="text-sm text-danger-ink">
            {problem}
          </p>
        )}
        <FormError error={save.error} />
        <div>
          <Button type="submit" look="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Section>
  );
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A checkbox with a description. */
function Choice(props: {
  label: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
  children: string;
}) {
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="checkbox"
        checked={props.isOn}
        disabled={props.isDisabled}
        onChange={(event) => props.onChange(event.target.checked)}
        className={boxClass}
      />
      <span>
        {props.label}
        <span className="block text-xs text-muted">{props.children}</span>
      </span>
    </label>
  );
}
