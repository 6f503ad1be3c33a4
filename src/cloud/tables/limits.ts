/** Of one request on tables. */
export const tablesLimits = {
  /** Of a body: those of Starter clouds. */
  bodyBytes: 1024 * 1024,
  /** That are written. */
  rows: 10_000,
  /** That are answered in one page, of each table in it. */
  pageRows: 1_000,
  /** Of one table, as PostgreSQL has them at most. */
  columns: 1_600,
  /** That are written: columns times rows. */
  values: 400_000,
  answerBytes: 6 * 1024 * 1024,
}
