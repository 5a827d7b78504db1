import { assignProblem } from "@lodge/contract/calls.generated";
import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { useMutation, useQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { membersQuery } from "../../api/queries.ts";
import { Choice } from "../../ui/choice.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

const nobody = "nobody";

/** The assignee of a problem, which can be changed. */
export function ProblemAssignee({ problem }: { problem: ProblemDetails }) {
  const { data: members = [] } = useQuery(membersQuery);
  const { id, appId, assignee } = problem;
  const assign = useMutation({
    mutationFn: async (userId: string | null) => {
      await call(assignProblem, { params: { problemId: id }, body: { userId } });
      await fetchAfter({ kind: "problem.changed", appId, problemId: id });
    },
    onError: (error) => tellFailed("Could not change the assignee", error),
  });
  const known = members.map((member) => ({ value: member.userId, label: member.name }));
  const gone = assignee && !known.some(({ value }) => value === assignee.id) ? [assignee] : [];
  return (
    <Choice
      chip
      label="Assignee"
      options={[
        { value: nobody, label: "Nobody", mark: <UserRound aria-hidden className="size-4 shrink-0 text-muted" /> },
        ...known,
        ...gone.map(({ id: value, name: label }) => ({ value, label })),
      ]}
      value={assign.isPending ? (assign.variables ?? nobody) : (assignee?.id ?? nobody)}
      onChange={(value) => assign.mutate(value === nobody ? null : value)}
    />
  );
}
