import type { FilesApp } from '#core/files'
import type { TurnApp } from '#core/inference'
import type { Catalogue } from '#core/models'
import type { ModelRequestApp } from '#core/text'
import type { DocumentReader } from '#core/tools'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf } from '#platform/http'
import type { Log } from '#platform/log'
import type { Processes } from '#platform/processes'

/** The slice of the app that answers of Talk use. */
export interface AnswersApp {
  clock: Clock
  config: Config
  db: Db
  /** Opens the files that are attached to messages. */
  files: FilesApp
  log: Log
  /** Measures attached media. */
  modelRequests: ModelRequestApp
  models: Catalogue
  /** The processes that use this database, and which of them are alive. */
  processes: Processes
  /** Reads attached documents that a model does not take as they are. */
  reader: DocumentReader
  /** Calls the models and the hosted tools. */
  turns: TurnApp
}

export type AnswersContext<Body = unknown, Params = unknown> = RequestContext<
  AnswersApp,
  Body,
  unknown,
  Params
>

export const route = routesOf<AnswersApp>()
