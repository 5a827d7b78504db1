/**
 * The statement that takes one credit of an organisation for an agent run, where one is left.
 * `organisationId` is an SQL expression; `when` a condition. Returns a row exactly where a credit was taken.
 */
export const takeCreditSql = (organisationId: string, when: string) => `
  update organisations set credits = credits - 1
  where id = ${organisationId} and credits > 0 and ${when}
  returning id`;
