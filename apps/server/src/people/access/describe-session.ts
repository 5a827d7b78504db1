import type { Session } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { type Actor, needsProviderSql, needsSecondFactorSql } from "./find-actor.ts";

/** The session of a person. If it has no organisation, or one that the person has left, it gets the person's oldest. */
export async function describeSession({ db, listening }: Deps, sessionId: string): Promise<Session> {
  const livePosition = (await listening.positionSoon()) ?? null; // before anything is read
  await db
    .updateTable("sessions")
    .set({
      active_organisation_id: sql<string>`(
        select organisation_id from members
        where user_id = sessions.user_id and organisation_id = coalesce(sessions.provider_organisation_id, organisation_id)
        order by created_at, organisation_id limit 1)`,
    })
    .where("id", "=", sessionId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("members")
            .select("members.user_id")
            .whereRef("members.user_id", "=", "sessions.user_id")
            .whereRef("members.organisation_id", "=", "sessions.active_organisation_id"),
        ),
      ),
    )
    .execute();
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .leftJoin("members", (join) =>
      join
        .onRef("members.user_id", "=", "users.id")
        .on(
          sql`coalesce(sessions.provider_organisation_id, members.organisation_id)`,
          "=",
          sql.ref("members.organisation_id"),
        ),
    )
    .leftJoin("organisations", "organisations.id", "members.organisation_id")
    .select(["users.id as user_id", "users.name as user_name", "users.email", "sessions.active_organisation_id"])
    .select("sessions.provider_organisation_id")
    .select(["organisations.id", "organisations.name", "organisations.slug", "members.role"])
    .select([
      sql<boolean>`${sql.raw(needsProviderSql)}`.as("needs_provider"),
      sql<boolean>`${sql.raw(needsSecondFactorSql)}`.as("needs_second_factor"),
    ])
    .where("sessions.id", "=", sessionId)
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();
  const [first] = rows;
  if (!first) throw new Error("a session ended while it was described");
  const organisations = rows.flatMap(({ id, name, slug, role }) =>
    id && name && slug && role ? [{ id, name, slug, role: role as Actor["role"] }] : [],
  );
  const active = rows.find(({ id }) => id !== null && id === first.active_organisation_id);
  return {
    user: { id: first.user_id, name: first.user_name, email: first.email },
    organisations,
    organisation: organisations.find(({ id }) => id === first.active_organisation_id) ?? null,
    needsProvider: active?.needs_provider ?? false,
    needsSecondFactor: active?.needs_second_factor ?? false,
    isByProvider: first.provider_organisation_id !== null,
    livePosition,
  };
}
