import type { FilesApp } from '#core/files'
import type { TurnApp } from '#core/inference'
import type { Catalogue } from '#core/models'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type RequestContext, routesOf, socketRoutesOf } from '#platform/http'
import { jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'
import type { Spool } from '#platform/spool'
import type { LazyWebRtc } from '#platform/webrtc'
import type { PassthroughApp, RealtimeCalls } from '#voice/realtime'
import type { KnowledgeApp } from '#work/knowledge'

/** The slice of the app that beginning a call and its session use. */
export interface CallApp {
  clock: Clock
  config: Config
  db: Db
  /** Stores the sound of calls that keep it. */
  files: FilesApp
  /** Searches the knowledge of the agent that answers. */
  knowledge: KnowledgeApp
  log: Log
  models: Catalogue
  /** The realtime calls of this process. */
  realtime: RealtimeCalls
  /** Files in transit, on the disk of this machine. */
  spool: Spool
  /** Pays for what the engines do. */
  turns: TurnApp
}

/** The request that begins a call. */
export type CallContext = RequestContext<CallApp>

/** The slice of the app that the route of calls over WebRTC uses, and the host that begins calls for other processes. */
export interface PeerCallApp extends CallApp {
  /** Calls whose caller and upstream talk directly. */
  passthrough: PassthroughApp
  /** The endpoint at which calls over WebRTC arrive. */
  webrtc: LazyWebRtc
}

/** The slice of the app that the routes which read, end and delete calls use. */
export interface CallRecordsApp {
  clock: Clock
  config: Config
  db: Db
  /** Deletes the sound of calls. */
  files: FilesApp
  log: Log
  /** The realtime calls of this process. */
  realtime: RealtimeCalls
}

/** The slice of the app that making client secrets uses. */
export interface ClientSecretsApp {
  clock: Clock
  db: Db
  /** Describes the knowledge of the agent that answers. */
  knowledge: KnowledgeApp
  models: Catalogue
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Has the tools that a session may name. */
  turns: TurnApp
}

export const job = jobsOf<CallRecordsApp>()
export const peerRoute = routesOf<PeerCallApp>()
export const recordRoute = routesOf<CallRecordsApp>()
export const secretRoute = routesOf<ClientSecretsApp>()
export const socketRoute = socketRoutesOf<CallApp>()
