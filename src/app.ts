/** The `App` record: everything that the capabilities depend on, created once in open-app.ts. */
import type { OpenIdProviders } from '#account/openid'
import type { PasswordHashing } from '#account/sign-in'
import type { AppUsers } from '#cloud/app-users'
import type { AppCallApp, CloudDeletionApp } from '#cloud/cloud-routes'
import type { CloudAllowances, CloudDirectory } from '#cloud/clouds'
import type { Collections } from '#cloud/collections'
import type { CloudDatabases } from '#cloud/databases'
import type { FunctionCompiler, FunctionRuntime, PlatformFunctions } from '#cloud/functions'
import type { CloudSql } from '#cloud/sql'
import type { FilesApp, WaitingFolder } from '#core/files'
import type { TurnApp } from '#core/inference'
import type { Svgs, VideoProbe } from '#core/media'
import type { Catalogue } from '#core/models'
import type { PaidApp } from '#core/paid'
import type { Inference } from '#core/routing'
import type { Recordings } from '#core/sound'
import type { ModelRequestApp } from '#core/text'
import type { CountPages, DocumentReader, HostedTools } from '#core/tools'
import type { ImagesApp } from '#media/images'
import type { VideoApp } from '#media/video'
import type { KeyRing, Sessions } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { DiskSpace } from '#platform/disk-space'
import type { BoundHolding } from '#platform/holdings'
import type { Identity } from '#platform/installation'
import type { Jobs } from '#platform/jobs'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Mailer } from '#platform/mail'
import type { Metrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import type { Processes } from '#platform/processes'
import type { Readiness } from '#platform/readiness'
import type { Secrets } from '#platform/secrets'
import type { SmsSender } from '#platform/sms'
import type { Spool } from '#platform/spool'
import type { Storage } from '#platform/storage'
import type { Tracing } from '#platform/trace'
import type { LazyWebRtc } from '#platform/webrtc'
import type { SiteChecks, SiteCompressor, SiteDirectory } from '#sites/hosting'
import type { LinkedClouds } from '#sites/site-routes'
import type { PassthroughApp, RealtimeCalls } from '#voice/realtime'
import type { KnowledgeApp } from '#work/knowledge'
import type { Pipelines } from '#work/pipelines'
import type { RunsApp } from '#work/runs'

export type { Caller } from '#platform/auth'

/** The dependencies of all capabilities; created once in `open-app.ts`. */
export interface App {
  config: Config
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Undefined when tracing is not configured. */
  tracing?: Tracing | undefined
  keys: KeyRing
  /** Sessions of people who are signed in. */
  sessions: Sessions
  /** Rows of app back-ends, on a few connections of their own. */
  collections: Collections
  /** SQL of the developers of dedicated clouds. */
  sql: CloudSql
  /** Which installation this is, and whether it is a copy: a copy touches nothing outside that belongs to its original. */
  installation: Identity
  /** The problems that keep this process from serving well. */
  readiness: Readiness
  /** Measures the free space of the disks that this process writes to. */
  space: DiskSpace
  /** The fingerprint by which `kherad doctor` recognises the server of its data folder; undefined where the folder has no record. */
  instance: string | undefined
  /** The processes that use this database, and which of them are alive. */
  processes: Processes
  ledger: Ledger
  /** The realtime calls of this process. */
  realtime: RealtimeCalls
  /** The endpoint at which calls over WebRTC arrive. */
  webrtc: LazyWebRtc
  /** The queue of background work. */
  jobs: Jobs
  models: Catalogue
  inference: Inference
  tools: HostedTools
  countPages: CountPages
  /** Reads entire documents, for an index. */
  reader: DocumentReader
  /** Cleans and draws untrusted SVG. */
  svgs: Svgs
  /** Decodes whole files of sound. */
  recordings: Recordings
  /** Measures untrusted files of video. */
  videoProbe: VideoProbe
  /** Checks publications of websites, in threads. */
  siteChecks: SiteChecks
  /** Compresses the files of websites, in threads. */
  siteCompressor: SiteCompressor
  /** Every host of every published website. */
  sites: SiteDirectory
  /** The providers of OpenID Connect. */
  openId: OpenIdProviders
  /** Hashes passwords of people, in turns with those of app users. */
  passwords: PasswordHashing
  /** Sessions of people who sign in to apps. */
  appUsers: AppUsers
  /** Absent where the operator has named no mail server. */
  mail?: Mailer | undefined
  /** Absent where the operator has described no gateway of text messages. */
  sms?: SmsSender | undefined
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
  /** Databases of dedicated clouds. */
  databases: CloudDatabases
  /** Runs the functions of clouds. */
  functions: FunctionRuntime
  /** Compiles the code that developers send into the code that runs. */
  functionCompiler: FunctionCompiler
  /** The code that functions run, and the lines that they have written. */
  functionSource: PlatformFunctions
  /** The allowances of clouds for today. */
  cloudAllowances: Pick<
    CloudAllowances,
    'takeEgress' | 'expectEgress' | 'refundEgress' | 'egressEnded' | 'takeCall'
  >
  /** HTTP client for URLs named by users; refuses private addresses. */
  net: GuardedNet
  /** Encrypts values that must not be readable in the database. */
  secrets: Secrets
  /** Bytes that outlive a process. */
  storage: Storage
  /** The place on this machine where paid results wait while the store fails; absent where the store is this machine's disk itself. */
  waiting?: WaitingFolder | undefined
  /** Files in transit, on the disk of this machine. */
  spool: Spool
  /** Pipelines of durable work, by kind. */
  pipelines: Pipelines
  /** What the rooms hold of an account, in the order in which an account is deleted. */
  holdings: readonly BoundHolding[]
  /** The slice of stored files. */
  files: FilesApp
  /** The slice of paid requests. */
  paid: PaidApp
  /** The slice of turns of text models. */
  turns: TurnApp
  /** The slice of requests to text models. */
  modelRequests: ModelRequestApp
  /** Finds the app back-ends that sites are published for. */
  linkedClouds: LinkedClouds
  /** The slice of knowledge projects. */
  knowledge: KnowledgeApp
  /** The slice of durable runs. */
  runs: RunsApp
  /** The slice of calls whose caller and upstream talk directly. */
  passthrough: PassthroughApp
  /** The slice of the calls of apps to their clouds. */
  appCalls: AppCallApp
  /** The slice of deletions of clouds. */
  cloudDeletion: CloudDeletionApp
  /** The slice of paid pictures. */
  images: ImagesApp
  /** The slice of videos. */
  videos: VideoApp
}

/** The parts of an app that all other parts need. */
export type BaseServices = Pick<
  App,
  | 'config'
  | 'db'
  | 'clock'
  | 'log'
  | 'secrets'
  | 'metrics'
  | 'tracing'
  | 'readiness'
  | 'installation'
  | 'space'
>
