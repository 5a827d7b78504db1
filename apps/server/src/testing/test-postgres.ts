const variable = "TEST_POSTGRES";

/**
 * The PostgreSQL that `npm test` started, the migrated database in it that each test copies, and the folder of a cluster
 * that nobody runs and that has this database too; without it there is no `makeMigratedHome`.
 */
export type TestPostgres = { host: string; user: string; template: string; cluster?: string };

/** The PostgreSQL that `npm test` names to a test file. */
export function testPostgres(): TestPostgres {
  const text = process.env[variable];
  if (!text) throw new Error("Run tests through npm test, which starts their PostgreSQL: npm test -- <file>");
  return JSON.parse(text) as TestPostgres;
}

/** The environment that tells it to test files. */
export const testEnvironment = (postgres: TestPostgres) => ({ [variable]: JSON.stringify(postgres) });
