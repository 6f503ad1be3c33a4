import { readConfigFile } from '#platform/config'
import { StartRefused } from '#platform/errors'
import type { CapChangeOptions } from '#platform/ledger'
import { loadConfig } from '#settings'
import type { Session } from '../command.ts'

/** The notification thresholds of caps from the configuration file; a fault in the file is no reason to refuse a cap. */
export function capNews({ env, clock }: Session): CapChangeOptions {
  const now = new Date(clock.nowMs())
  try {
    return { now, ...loadConfig(env, readConfigFile(env)).budgets }
  } catch (error) {
    if (error instanceof StartRefused) return { now }
    throw error
  }
}
