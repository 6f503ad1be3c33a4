/** The list of all capabilities, with their routes, jobs and background work, in reading order. */

import { accounting } from '#account/accounting'
import { auditLog } from '#account/audit-routes'
import { deletion } from '#account/deletion'
import { docs } from '#account/docs'
import { exportsOfPeople } from '#account/exports'
import { factorRoutes } from '#account/factor-routes'
import { files } from '#account/files'
import { health } from '#account/health'
import { keys } from '#account/keys'
import { mailRoutes } from '#account/mail-routes'
import { managementKeys } from '#account/management-keys'
import { models } from '#account/models'
import { notices } from '#account/notices'
import { openId } from '#account/openid'
import { peopleRoutes } from '#account/people-routes'
import { peopleSweep } from '#account/people-sweep'
import { requests } from '#account/requests'
import { signIn } from '#account/sign-in-routes'
import { accountUsage } from '#account/usage'
import { webhooks } from '#account/webhooks'
import type { App } from '#app'
import { cloud } from '#cloud/cloud-routes'
import { audio } from '#media/audio-routes'
import { images } from '#media/image-routes'
import { studio } from '#media/studio'
import { videos } from '#media/video-routes'
import type { HostHandler } from '#platform/apps'
import type { Route } from '#platform/http'
import type { Job } from '#platform/jobs'
import { sites } from '#sites/site-routes'
import { chat } from '#text/chat'
import { embeddings } from '#text/embeddings'
import { messages } from '#text/messages'
import { responses } from '#text/responses'
import { realtime } from '#voice/realtime-routes'
import { voice } from '#voice/voice-page'
import { agents } from '#work/agents'
import { knowledge } from '#work/knowledge'
import { work } from '#work/runs'
import { talk } from '#work/talk'

interface Capability {
  name: string
  routes: Route<App>[]
  /** The background jobs of the capability. */
  jobs?: Job<never, App>[]
  /** Background work beside the jobs, in each process with the worker role, until it is disposed. */
  background?: (app: App) => AsyncDisposable
  /** Background work of every process, whatever its role, on its own machine, until it is disposed. */
  everywhere?: (app: App) => AsyncDisposable
  /** The handler that answers for the capability's hosts on the second listener, in every process that answers requests, until it is disposed. */
  apps?: (app: App) => HostHandler
}

const capabilities: Capability[] = [
  models(() => served),
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
  talk,
  files,
  sites,
  cloud,
  openId,
  signIn,
  webhooks,
  factorRoutes,
  accounting,
  requests,
  accountUsage,
  keys,
  managementKeys,
  peopleRoutes,
  exportsOfPeople,
  deletion,
  mailRoutes,
  notices,
  peopleSweep,
  auditLog,
  health,
]

const served: Route<App>[] = capabilities.flatMap(({ routes }) => routes)

/** Every route of the server, the routes of its description included. */
export const routes: Route<App>[] = [...served, ...docs(served)]

export const jobs: Job<never, App>[] = capabilities.flatMap(({ jobs = [] }) => jobs)

export const background = capabilities.flatMap(({ background = [] }) => background)

export const everywhere = capabilities.flatMap(({ everywhere = [] }) => everywhere)

export const apps = capabilities.flatMap(({ apps = [] }) => apps)
