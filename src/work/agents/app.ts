import type { TurnApp } from '#core/inference'
import type { Catalogue } from '#core/models'
import type { HostedTools } from '#core/tools'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'
import type { KnowledgeApp } from '#work/knowledge'
import type { RunsApp } from '#work/runs'

/** The slice of the app that an agent in a voice call uses. */
export interface AgentCallApp {
  clock: Clock
  db: Db
  /** Searches the knowledge of the agent. */
  knowledge: KnowledgeApp
  models: Catalogue
}

/** The slice of the app that the routes of agents use. */
export interface AgentsApp extends AgentCallApp {
  config: Config
  ledger: Ledger
  log: Log
  /** Accepts runs as durable work. */
  runs: RunsApp
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  tools: HostedTools
  /** Answers the direct runs. */
  turns: TurnApp
}

export const route = routesOf<AgentsApp>()
