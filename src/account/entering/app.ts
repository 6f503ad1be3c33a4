import type { LettersApp } from '#account/letters'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'

/** The slice of the app that the end of a sign-in uses. */
export interface EnteringApp extends LettersApp {
  clock: Clock
  config: Config
  db: Db
}
