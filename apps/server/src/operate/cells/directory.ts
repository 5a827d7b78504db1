import type pg from "pg";
import { type SealingKeys, seal, unseal } from "../../platform/config/seal.ts";
import { OperatorError } from "../../platform/errors.ts";

/** The cell of DATABASE_URL, which has the directory. */
export const home = "home";

/** A cell other than home, and how to connect to it. Its tables are in a schema if it shares its database. */
export type CellAddress = {
  name: string;
  connectionString: string;
  schema?: string | undefined;
  /** Standbys of the cell that answer lists of the dashboard. */
  replicaUrls?: readonly string[] | undefined;
};

/** The channel that tells servers which directory entries to read again. */
export const directoryChannel = "lodge_directory";

/** Whether there is any cell other than home. */
export async function isDivided(directory: pg.Pool): Promise<boolean> {
  return (await directory.query("select from cells limit 1")).rowCount !== 0;
}

/** All cells other than home. Throws an `OperatorError` if their addresses were encrypted with another secret. */
export async function listCells(directory: pg.Pool, sealing: SealingKeys): Promise<CellAddress[]> {
  const { rows } = await directory.query<{ name: string; sealed_url: string }>(
    "select name, sealed_url from cells where sealed_url is not null order by name",
  );
  return rows.map(({ name, sealed_url }) => {
    const address = openAddress(sealing, name, sealed_url);
    return { name, ...(address.startsWith("{") ? JSON.parse(address) : { connectionString: address }) };
  });
}

function openAddress(sealing: SealingKeys, name: string, sealed: string): string {
  try {
    return unseal(sealing, "cells.sealed_url", name, sealed).toString();
  } catch {
    throw new OperatorError(
      `The address of the cell ${name} was encrypted with another secret: set LODGE_SECRET to that of the servers that have served it.`,
    );
  }
}

/**
 * A cell's address as stored in the directory: only a connection string or, with a schema or replicas, JSON, so that a
 * server that does not know schemas does not use another cell of the same database.
 */
export const sealAddress = (sealing: SealingKeys, { name, ...address }: CellAddress): string => {
  const { connectionString, schema, replicaUrls } = address;
  const isPlain = schema === undefined && replicaUrls === undefined;
  return seal(sealing, "cells.sealed_url", name, isPlain ? connectionString : JSON.stringify(address));
};

/** The organisation of a credential that was found before, and its cell. */
export async function findCredential(
  directory: pg.Pool,
  sha256: Buffer,
): Promise<{ organisationId: string; cell: string } | undefined> {
  const { rows } = await directory.query<{ organisationId: string; cell: string }>(
    `select organisation_id as "organisationId", cell
    from cell_credentials join cell_organisations using (organisation_id) where sha256 = $1`,
    [sha256],
  );
  return rows[0];
}

/** The cell of an organisation, as recorded in the directory; without a record, records where it was found. */
export async function settleOrganisation(directory: pg.Pool, organisationId: string, foundIn: string): Promise<string> {
  const { rows } = await directory.query<{ cell: string }>(
    `with settled as (
      insert into cell_organisations (organisation_id, cell) values ($1, $2) on conflict do nothing returning cell
    )
    select cell from settled union all select cell from cell_organisations where organisation_id = $1`,
    [organisationId, foundIn],
  );
  return rows[0]?.cell ?? settleOrganisation(directory, organisationId, foundIn); // recorded by another just now
}

/** Records the organisation of a credential, if the organisation's cell is recorded. */
export async function keepCredential(directory: pg.Pool, sha256: Buffer, organisationId: string): Promise<void> {
  await directory.query(
    "insert into cell_credentials (sha256, organisation_id) values ($1, $2) on conflict do nothing",
    [sha256, organisationId],
  );
}

/** The cells of organisations, as far as the directory has them. */
export async function readHomes(directory: pg.Pool, organisationIds: string[]): Promise<Map<string, string>> {
  const { rows } = await directory.query<{ id: string; cell: string }>(
    "select organisation_id as id, cell from cell_organisations where organisation_id = any($1)",
    [organisationIds],
  );
  return new Map(rows.map(({ id, cell }) => [id, cell]));
}
