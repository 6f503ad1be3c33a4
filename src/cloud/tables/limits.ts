/** The limits of one request on tables. */
export const tablesLimits = {
  /** The most bytes of a body, as for Starter clouds. */
  bodyBytes: 1024 * 1024,
  /** The most rows that are written. */
  rows: 10_000,
  /** The most rows that are answered in one page, of each table in it. */
  pageRows: 1_000,
  /** The most columns of one table, which is PostgreSQL's own limit. */
  columns: 1_600,
  /** The most values that are written: columns times rows. */
  values: 400_000,
  answerBytes: 6 * 1024 * 1024,
}
