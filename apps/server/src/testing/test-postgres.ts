const variable = "TEST_POSTGRES";

/**
 * The PostgreSQL that `npm test` started, its migrated database, which each test copies, and the folder of a cluster
 * that is not running and has this database too; `makeMigratedHome` needs that.
 */
export type TestPostgres = { host: string; user: string; template: string; cluster?: string };

/** The PostgreSQL that `npm test` passes to a test file. */
export function testPostgres(): TestPostgres {
  const text = process.env[variable];
  if (!text) throw new Error("Run tests through npm test, which starts their PostgreSQL: npm test -- <file>");
  return JSON.parse(text) as TestPostgres;
}

/** The environment that passes it to test files. */
export const testEnvironment = (postgres: TestPostgres) => ({ [variable]: JSON.stringify(postgres) });
