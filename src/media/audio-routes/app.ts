import type { FilesApp } from '#core/files'
import type { Catalogue } from '#core/models'
import type { PaidApp } from '#core/paid'
import type { Recordings } from '#core/sound'
import type { Config } from '#platform/config'
import { routesOf } from '#platform/http'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Spool } from '#platform/spool'

/** The slice of the app that the routes for speech and transcription use. */
export interface AudioRoutesApp {
  config: Config
  /** Opens the stored files that requests name. */
  files: FilesApp
  ledger: Ledger
  log: Log
  models: Catalogue
  /** Pays for speech and transcripts. */
  paid: PaidApp
  /** Decodes whole files of sound. */
  recordings: Recordings
  /** Files in transit, on the disk of this machine. */
  spool: Spool
}

export const route = routesOf<AudioRoutesApp>()
