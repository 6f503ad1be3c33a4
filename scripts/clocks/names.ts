/** What statements and fields of leases are known by. */

/** Columns by the words in their names, the two of claims that have none of these, and what says whether a process lives. */
export const leaseNames =
  /\b(?:[a-z]+_)?(?:lease|leased|heartbeat|beat|lapse|lapses)_(?:at|until|id|ms)\b|\brun_at\b|\bnext_at\b|\bledger\.lives\b|\blapseIntervalSql\b/

export const isLeaseName = (name: string): boolean => leaseNames.exec(name)?.[0] === name

/** Any clock of PostgreSQL but `platform.now()`. */
export const sqlClock =
  /(?<!\bplatform\.)(?<!\w)(?:now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\b(?:current_timestamp|localtimestamp)\b/i
