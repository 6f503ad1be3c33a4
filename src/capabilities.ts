/** All capabilities of the platform, in reading order. */
import type { App } from '#app'
import { accounting } from '#capabilities/accounting'
import { agents } from '#capabilities/agents'
import { audio } from '#capabilities/audio'
import { chat } from '#capabilities/chat'
import { cloud } from '#capabilities/cloud'
import { docs } from '#capabilities/docs'
import { embeddings } from '#capabilities/embeddings'
import { files } from '#capabilities/files'
import { health } from '#capabilities/health'
import { images } from '#capabilities/images'
import { knowledge } from '#capabilities/knowledge'
import { messages } from '#capabilities/messages'
import { models } from '#capabilities/models'
import { realtime } from '#capabilities/realtime'
import { responses } from '#capabilities/responses'
import { sites } from '#capabilities/sites'
import { studio } from '#capabilities/studio'
import { videos } from '#capabilities/videos'
import { voice } from '#capabilities/voice'
import { webhooks } from '#capabilities/webhooks'
import { work } from '#capabilities/work'
import type { HostHandler } from '#platform/apps'
import type { Route } from '#platform/http'
import type { Job } from '#platform/jobs'

interface Capability {
  name: string
  routes: Route[]
  /** What it does in the background. */
  jobs?: Job<never>[]
  /** What a process that works does beside jobs, until it is disposed. */
  background?: (app: App) => AsyncDisposable
  /** What every process does, whatever its role, until it is disposed: what concerns its own machine. */
  everywhere?: (app: App) => AsyncDisposable
  /** Answers for its hosts on the second listener, in every process that answers requests, until it is disposed. */
  apps?: (app: App) => HostHandler
}

const capabilities: Capability[] = [
  models,
  chat,
  responses,
  messages,
  embeddings,
  images,
  audio,
  realtime,
  voice,
  studio,
  videos,
  agents,
  work,
  knowledge,
  files,
  sites,
  cloud,
  webhooks,
  accounting,
  health,
]

const served: Route[] = capabilities.flatMap(({ routes }) => routes)

/** Every route of the server, its own description included. */
export const routes: Route[] = [...served, ...docs(served)]

export const jobs: Job<never>[] = capabilities.flatMap(({ jobs = [] }) => jobs)

export const background = capabilities.flatMap(({ background = [] }) => background)

export const everywhere = capabilities.flatMap(({ everywhere = [] }) => everywhere)

export const apps = capabilities.flatMap(({ apps = [] }) => apps)
