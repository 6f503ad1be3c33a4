import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import type { Ledger } from '#platform/ledger'

/** The slice of the app that balance, usage and receipts use. */
export interface AccountingApp {
  clock: Clock
  /** Names the people whose sessions paid. */
  db: Db
  ledger: Ledger
}

export const route = routesOf<AccountingApp>()
