import type { Clock } from '#platform/clock'
import { routesOf } from '#platform/http'
import type { Ledger } from '#platform/ledger'

/** The slice of the app that balance, usage and receipts use. */
export interface AccountingApp {
  clock: Clock
  ledger: Ledger
}

export const route = routesOf<AccountingApp>()
