import type { LettersApp } from '#account/letters'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'

/** The slice of the app that writes invitations: the letters that carry them, and the address of this server. */
export interface InvitationsApp extends LettersApp {
  config: Pick<Config, 'baseUrl' | 'baseUrlNamed' | 'mail'>
}

/** The slice of the app that makes the link of the first person at a start. */
export interface FirstPersonApp {
  clock: Clock
  config: InvitationsApp['config']
  db: Db
}
