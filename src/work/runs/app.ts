import type { FilesApp } from '#core/files'
import type { TurnApp } from '#core/inference'
import type { Catalogue } from '#core/models'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import type { Secrets } from '#platform/secrets'
import type { Spool } from '#platform/spool'
import type { Storage } from '#platform/storage'
import type { KnowledgeApp } from '#work/knowledge'
import type { Pipelines } from '#work/pipelines'

/** The slice of the app that accepting, reading and cancelling runs uses. */
export interface RunsApp {
  clock: Clock
  config: Config
  db: Db
  /** The queue of background work. */
  jobs: Jobs
  /** Finds the knowledge project that a run may search. */
  knowledge: KnowledgeApp
  log: Log
  metrics: Metrics
  models: Catalogue
  /** Pipelines of durable work, by kind. */
  pipelines: Pipelines
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Bytes that outlive a process. */
  storage: Storage
  /** Computes the worst case of the questions of a run. */
  turns: TurnApp
}

/** The slice of the app that the workers of runs use. */
export interface RunJobApp {
  clock: Clock
  config: Config
  db: Db
  /** Opens the stored files that a run reads. */
  files: FilesApp
  /** Searches the knowledge project of a run. */
  knowledge: KnowledgeApp
  log: Log
  metrics: Metrics
  /** HTTP client for URLs named by users; refuses private addresses. */
  net: GuardedNet
  /** Pipelines of durable work, by kind. */
  pipelines: Pipelines
  /** Files in transit, on the disk of this machine. */
  spool: Spool
  /** Bytes that outlive a process. */
  storage: Storage
  /** Calls the models and the hosted tools. */
  turns: TurnApp
}

export const job = jobsOf<RunJobApp>()
export const route = routesOf<RunsApp>()
