import { searchLengthMax, searchLengthMin } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { Choice, type Option } from "../../ui/choice.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { kindLabels } from "../report-kind.tsx";
import type { InboxSearch } from "./inbox-search.ts";
import { inboxChoicesQuery } from "./report-queries.ts";

const any = "any-value";

const optionsOf = (anyLabel: string, labels: Record<string, string>): Option<string>[] => [
  { value: any, label: anyLabel },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
];

const orders = optionsOf("Newest first", { frequent: "Most frequent first" });
const states = optionsOf("Open", { resolved: "Resolved", muted: "Muted", any: "Any state" });
const shows = optionsOf("Problems and reports", { problems: "Problems only", reports: "Single reports only" });
const kinds = optionsOf("Any kind", kindLabels);
const times = optionsOf("Any time", { 1: "Last 24 hours", 7: "Last 7 days", 30: "Last 30 days" });
const attached = optionsOf("With or without attachments", { true: "With attachments" });

/** The filters and order of an inbox. Kept in the URL, so that they can be shared and survive a reload. */
export function InboxFilters({ appId, search }: { appId: string; search: InboxSearch }) {
  const navigate = useNavigate();
  const { data: choices } = useQuery(inboxChoicesQuery(appId));
  const show = (change: Record<string, unknown>) =>
    void navigate({
      to: ".",
      search: Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value)),
      replace: true,
    });
  const choice = (name: keyof InboxSearch, label: string, options: Option<string>[], className: string) => {
    const value = search[name] === undefined ? any : String(search[name]);
    // A value in the URL that no longer occurs is a choice as well.
    const known = options.some((option) => option.value === value) ? options : [...options, { value, label: value }];
    return (
      <Choice
        label={label}
        options={known}
        value={value}
        onChange={(chosen) => show({ [name]: chosen === any ? undefined : name === "attachments" ? true : chosen })}
        className={`shrink-0 ${className}`}
      />
    );
  };
  const seen = (anyLabel: string, counts: { value: string }[] = []) => [
    { value: any, label: anyLabel },
    ...counts.map(({ value }) => ({ value, label: value })),
  ];
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchField
        label="Search reports"
        lengthMax={searchLengthMax}
        text={search.q ?? ""}
        onChange={(q) => show({ q })}
        className="w-full sm:w-64"
      />
      <div className="-mx-1 flex min-w-0 gap-2 overflow-x-auto p-1 md:flex-wrap md:overflow-visible">
        {choice("state", "State", states, "w-32")}
        {choice("order", "Order", orders, "w-40")}
        {choice("show", "Show", shows, "w-48")}
        {choice("kind", "Kind", kinds, "w-32")}
        {choice("within", "Time", times, "w-36")}
        {choice("environment", "Environment", seen("Any environment", choices?.environments), "w-40")}
        {choice("version", "Version", seen("Any version", choices?.versions), "w-36")}
        {choice("browser", "Browser", seen("Any browser", choices?.browsers), "w-40")}
        {choice("os", "Operating system", seen("Any OS", choices?.operatingSystems), "w-36")}
        {choice("tag", "Tag", seen("Any tag", choices?.tags), "w-36")}
        {choice("attachments", "Attachments", attached, "w-44")}
        {Object.keys(search).length > 0 && (
          <Button
            look="quiet"
            className="shrink-0"
            onClick={() => void navigate({ to: ".", search: {}, replace: true })}
          >
            <X aria-hidden className="size-4" />
            Clear
          </Button>
        )}
      </div>
      {search.q !== undefined && [...search.q.trim()].length < searchLengthMin && (
        <p className="w-full text-xs text-muted">Type {searchLengthMin} letters or more to search.</p>
      )}
    </search>
  );
}
