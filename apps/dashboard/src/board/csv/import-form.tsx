import { addressOf, type CallAnswer, CallError, unanswered } from "@lodge/contract/call";
import { importCards, previewImport } from "@lodge/contract/calls.generated";
import type { CsvChoices, CsvField } from "@lodge/contract/dashboard/imports";
import { importDays } from "@lodge/contract/limits";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { sendFile } from "../../api/send-file.ts";
import { randomKey } from "../../session/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { FormError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { cardsInWords, namesInWords } from "./csv-words.ts";

type Preview = CallAnswer<typeof previewImport>;
type CardImport = CallAnswer<typeof importCards>;
type Choices = Required<Omit<CsvChoices, "fields">>;

const skip = "skip";
const fieldNames: Record<CsvField | typeof skip, string> = {
  [skip]: "Skip",
  title: "Title",
  description: "Description",
  column: "Column",
  priority: "Priority",
  labels: "Labels",
  assignee: "Assignee",
  startsAt: "Start date",
  dueAt: "Due date",
};
const fieldOptions = (Object.keys(fieldNames) as (keyof typeof fieldNames)[]).map((value) => ({
  value,
  label: fieldNames[value],
}));

const send = <Answer,>(address: string, file: File, headers: Record<string, string> = {}) =>
  sendFile<Answer>(address, new Blob([file], { type: "text/csv" }), headers).catch((error: Error) => {
    throw unanswered(error);
  });

/** The preview of a CSV file: first rows, field of each column, and choices for unknown columns, labels and people. */
export function ImportForm({
  board,
  file,
  back,
  done,
}: {
  board: LoadedBoard;
  file: File;
  back: () => void;
  done: (imported: CardImport) => void;
}) {
  const [key] = useState(() => randomKey()); // so that a retry after a lost response does not import twice
  const [fields, setFields] = useState<(CsvField | null)[]>();
  const [choices, setChoices] = useState<Choices>({
    unknownColumn: "leftmost",
    unknownLabel: "create",
    unknownAssignee: "nobody",
  });
  const asked = { ...choices, ...(fields && { fields: fields.map((field) => field ?? "").join(",") }) };
  const params = { boardId: board.id };
  const preview = useQuery({
    queryKey: ["csv", key, asked],
    queryFn: () => send<Preview>(addressOf(previewImport.path, params, asked), file),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const save = useMutation({
    mutationFn: () =>
      send<CardImport>(addressOf(importCards.path, params, { ...asked, filename: file.name.slice(0, 200) }), file, {
        "idempotency-key": key,
      }),
    onSuccess: done,
  });
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => top.current?.focus(), []);
  const { data } = preview;
  return (
    <div ref={top} tabIndex={-1} className="outline-none">
      {preview.isPending && <Skeleton className="h-40" />}
      {preview.isError && !data && (
        <div className="flex flex-col gap-4">
          <CsvError error={preview.error} />
          <div className="flex justify-end gap-2">
            <Button onClick={back}>Choose another file</Button>
            {!(preview.error instanceof CallError && preview.error.code === "invalid_csv") && (
              <Button look="primary" onClick={() => void preview.refetch()}>
                Try again
              </Button>
            )}
          </div>
        </div>
      )}
      {data && (
        <DialogForm
          save={{ error: undefined, isPending: save.isPending }}
          submit={`Import ${cardsInWords(data.rowCount)}`}
          disabled={save.isPending || preview.isPlaceholderData || preview.isError || data.problemCount > 0}
          onSubmit={() => save.mutate()}
          close={back}
        >
          <Problems preview={data} />
          <Mapping columns={data.columns} choose={setFields} />
          <Unknown board={board} preview={data} choices={choices} choose={setChoices} />
          <CsvError error={save.error ?? preview.error} />
          <p className="text-sm text-muted">
            Nobody is notified, and webhooks are not called. You can undo the import for {importDays} days.
          </p>
        </DialogForm>
      )}
    </div>
  );
}

/** Why a file was refused, with the faulty lines if the server names them. */
function CsvError({ error }: { error: unknown }) {
  if (!(error instanceof CallError) || error.code !== "invalid_csv") return <FormError error={error} />;
  return (
    <ProblemList
      title="This file cannot be imported"
      problems={error.details.map(({ path, message }) => {
        const line = /^\/lines\/(\d+)$/.exec(path)?.[1];
        return line ? `Line ${line}: ${message}` : message;
      })}
    />
  );
}

function Problems({ preview: { problems, problemCount } }: { preview: Preview }) {
  if (problemCount === 0) return null;
  const further = problemCount - problems.length;
  return (
    <ProblemList
      title={
        problemCount === 1 ? "One line cannot be imported" : `${formatCount(problemCount)} lines cannot be imported`
      }
      problems={[
        ...problems.map(({ line, message }) => `Line ${line}: ${message}`),
        ...(further > 0 ? [`And ${formatCount(further)} more.`] : []),
      ]}
    />
  );
}

function ProblemList({ title, problems }: { title: string; problems: string[] }) {
  return (
    <div role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-ink">
      <p className="font-medium">{title}</p>
      <ul className="mt-1 wrap-anywhere">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}

function Mapping({ columns, choose }: { columns: Preview["columns"]; choose: (fields: (CsvField | null)[]) => void }) {
  const change = (index: number, value: CsvField | typeof skip) => {
    const field = value === skip ? null : value;
    choose(
      columns.map((column, at) => {
        if (at === index) return field;
        return column.field === field && field !== "labels" ? null : column.field; // a field belongs to one column only
      }),
    );
  };
  return (
    <section aria-label="Columns of the file">
      <h3 className="mb-1 text-sm font-semibold">Columns of the file</h3>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line rounded-md border border-line">
        {columns.map(({ header, field, samples }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same header
          <li key={index} className="flex items-center gap-3 px-3 py-2">
            <p dir="auto" className="min-w-0 flex-1">
              <span className="block truncate font-medium">{header || `Column ${index + 1}`}</span>
              <span className="block truncate text-xs text-muted">
                {samples.filter((sample) => sample !== "").join(" · ") || "Empty in the first rows"}
              </span>
            </p>
            <Choice
              label={`Import ${header || `column ${index + 1}`} as`}
              options={fieldOptions}
              value={(field as CsvField | null) ?? skip}
              onChange={(value) => change(index, value)}
              className="w-32 shrink-0"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Unknown({
  board,
  preview: { newColumns, newLabels, newPeople },
  choices,
  choose,
}: {
  board: LoadedBoard;
  preview: Preview;
  choices: Choices;
  choose: (choices: Choices) => void;
}) {
  return (
    <>
      {newColumns.count > 0 && (
        <Asked text={`The board ${board.name} does not have these columns: ${namesInWords(newColumns)}.`}>
          <Choice
            label="Cards in these columns"
            options={[
              { value: "leftmost", label: `Add to ${board.columns[0]?.name ?? "the leftmost column"}` },
              { value: "refuse", label: "Do not import the file" },
            ]}
            value={choices.unknownColumn}
            onChange={(unknownColumn) => choose({ ...choices, unknownColumn })}
          />
        </Asked>
      )}
      {newLabels.count > 0 && (
        <Asked text={`These labels do not exist yet: ${namesInWords(newLabels)}.`}>
          <Choice
            label="New labels"
            options={[
              { value: "create", label: "Create them" },
              { value: "skip", label: "Leave them out" },
              { value: "refuse", label: "Do not import the file" },
            ]}
            value={choices.unknownLabel}
            onChange={(unknownLabel) => choose({ ...choices, unknownLabel })}
          />
        </Asked>
      )}
      {newPeople.count > 0 && (
        <Asked text={`These assignees are not members: ${namesInWords(newPeople)}.`}>
          <Choice
            label="Cards of these assignees"
            options={[
              { value: "nobody", label: "Leave unassigned" },
              { value: "refuse", label: "Do not import the file" },
            ]}
            value={choices.unknownAssignee}
            onChange={(unknownAssignee) => choose({ ...choices, unknownAssignee })}
          />
        </Asked>
      )}
    </>
  );
}

const Asked = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className="flex flex-col gap-1.5">
    <p className="wrap-anywhere">{text}</p>
    {children}
  </div>
);
