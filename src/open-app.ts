/** The composition: turns the configuration into the `App`, opening every room once and handing it to those that need it. */
import cluster from 'node:cluster'
import path from 'node:path'
import { OpenIdProviders } from '#account/openid'
import { idleMs, peopleLookup, rightsOf } from '#account/people'
import { HashingTurns, personHashing } from '#account/sign-in'
import type { App, BaseServices } from '#app'
import { openAppUsers } from '#cloud/app-users'
import { CloudAllowances, openCloudDirectory } from '#cloud/clouds'
import { openCollections } from '#cloud/collections'
import { CloudSql } from '#cloud/sql'
import { openFolder, openWaitingFolder, releaseReservations } from '#core/files'
import { openSvgs, openVideoProbe } from '#core/media'
import { buildCatalogue, type Catalogue, type Discovery, discover } from '#core/models'
import { type Inference, type InferenceOptions, openInference, type Upstream } from '#core/routing'
import { openRecordings } from '#core/sound'
import { openPageCounter, openReader, openTools } from '#core/tools'
import { type ClientSecret, openKeyRing, openSessions } from '#platform/auth'
import { type Clock, systemClock } from '#platform/clock'
import type { Config } from '#platform/config'
import { type FindIsolation, openConfinement, openIsolation } from '#platform/confined'
import { type Db, duringStart } from '#platform/db'
import { DiskSpace, disksOf } from '#platform/disk-space'
import { readInstance } from '#platform/installation'
import { openJail } from '#platform/jail'
import { jobs } from '#platform/jobs'
import { openLedger } from '#platform/ledger'
import { type Log, openLog } from '#platform/log'
import { openMailer } from '#platform/mail'
import { openMetrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import { clusterOf, lowerOwnBackends } from '#platform/postgres'
import { joinProcesses } from '#platform/processes'
import { type Outbound, openOutbound } from '#platform/proxy'
import { cachedCheck, Readiness } from '#platform/readiness'
import { openSecrets } from '#platform/secrets'
import { openSms } from '#platform/sms'
import { openSpool, type Spool } from '#platform/spool'
import { openStorage, type Storage } from '#platform/storage'
import { openTracing, type Tracing, type TracingConfig } from '#platform/trace'
import { LazyWebRtc } from '#platform/webrtc'
import { openSearch } from '#providers/search'
import { sandboxModels } from '#sandbox'
import { openSiteDirectory, SiteChecks, SiteCompressor, type SiteDirectory } from '#sites/hosting'
import { createHangUp, findClientSecret, openRealtimeCalls, type RealtimeCalls } from '#voice/realtime'
import { openDocuments } from '#work/documents'
import { openPipelines, type Pipelines } from '#work/pipelines'
import { connect, openNet } from './connect.ts'
import { makeSeries } from './metrics.ts'
import { openDatabases, openFunctions } from './open-cloud.ts'
import { heldStorage, holdBucket, openDatabase } from './open-installation.ts'
import { composeSlices, type Services } from './slices.ts'

export interface AppOptions {
  config: Config
  clock?: Clock
  log?: Log
  /** Used in place of the guarded client of the config. */
  net?: GuardedNet
  /** Used in place of the built-in pipelines. */
  pipelines?: Pipelines
  /** Returns what is used in place of the configured models and their providers, which it receives. */
  models?: (configured: Readonly<ServedModels>) => ServedModels
  /** Used in place of `openInference`. */
  inference?: (options: InferenceOptions) => Inference
}

/** A catalogue with its connected providers. */
export interface ServedModels {
  models: Catalogue
  upstreams: ReadonlyMap<string, Upstream>
}

/** Opens the rooms from the database up; `opening` closes them in the opposite order. */
export async function openApp(
  options: AppOptions,
  opening: AsyncDisposableStack,
): Promise<{ app: App; discovered: Discovery }> {
  const outbound = openOutbound(options.config)
  const { collections, ...base } = await openBaseServices(options, outbound, opening)
  const { models, discovered, net, upstreams } = await openModels(options, base.log, outbound, opening)
  const books = await duringStart(base.db, () => openLedgerAndKeys(base, models, opening))
  const stores = await openStores(base, outbound, opening)
  stores.storage = await storageOf(base, stores.storage, opening)
  const cloudAllowances = opening.use(new CloudAllowances(base))
  const isolation = openIsolation()
  const jail = opening.use(openJail(base.log))
  const databases = opening.use(openDatabases(base, jail))
  const { config, log, metrics } = base
  const hashing = new HashingTurns()
  const services: Services = {
    ...base,
    ...books,
    // Opened before the calls, which are therefore closed first.
    webrtc: opening.use(
      new LazyWebRtc(config.webrtc, log, { metrics, connectMs: config.timing.webrtcConnectMs }),
    ),
    realtime: opening.use(await openRealtime(base, books, upstreams)),
    collections,
    jobs,
    models,
    inference: opening.use((options.inference ?? openInference)({ ...base, upstreams, models })),
    net,
    sites: opening.use(await duringStart(base.db, () => openSites(base))),
    passwords: personHashing(hashing),
    openId: new OpenIdProviders(config.openid, { log, outbound }),
    appUsers: opening.use(openAppUsers({ ...base, databases, hashing })),
    instance: await readInstance(config.dataDir),
    ...(options.config.mail && { mail: openMailer({ ...base, config: options.config.mail, outbound }) }),
    ...(config.sms && { sms: openSms({ config: config.sms, net, log, metrics }) }),
    clouds: opening.use(await duringStart(base.db, () => openCloudDirectory(base))),
    cloudAllowances,
    databases,
    sql: new CloudSql(databases),
    ...openFunctions(base, { net, cloudAllowances, isolation, jail }, opening),
    ...openToolServices(options, base.log, { net, outbound, spool: stores.spool, isolation }, opening),
    ...stores,
    ...openSiteThreads(base.config, stores.spool, opening),
  }
  return { app: { ...services, ...composeSlices(services) }, discovered }
}

async function openBaseServices(
  options: AppOptions,
  outbound: Outbound,
  opening: AsyncDisposableStack,
): Promise<BaseServices & Pick<App, 'collections'>> {
  const { config, clock = systemClock, log = openLog(config.logLevel) } = options
  const readiness = new Readiness()
  const { db, url, installation } = await openDatabase(config, { log, readiness }, opening)
  const lowerBackend = await lowerOwnBackends(config.dataDir, url)
  const connectMs = config.timing.databaseWaitMs
  const collections = opening.use(
    await duringStart(db, () => openCollections({ db, url, clock, log, lowerBackend, connectMs })),
  )
  const file = path.join(config.dataDir, 'secret.key')
  const secrets = await duringStart(db, () => openSecrets({ db, log, secret: config.secret, file }))
  const metrics = openMetrics(makeSeries, { isWorker: cluster.isWorker })
  metrics.pool.setSource(() => poolStates(db))
  const tracing = config.tracing && opening.use(await startTracing(config.tracing, outbound, log))
  const space = opening.use(await openSpace(config))
  readiness.add(() => space.problems())
  readiness.add(cachedCheck(() => secrets.problem()))
  return { config, db, collections, clock, log, secrets, metrics, tracing, readiness, installation, space }
}

/** The disks of this process. Returns once each disk that answers has been measured. */
async function openSpace({ dataDir, databaseUrl, storage, disk }: Config): Promise<DiskSpace> {
  const folder = (name: string) => path.join(dataDir, name)
  const folders = {
    dataDir,
    cluster: databaseUrl === undefined ? await clusterOf(dataDir) : undefined,
    spool: folder('spool'),
    files: storage.s3 ? undefined : folder('files'),
  }
  const space = new DiskSpace({ disks: await disksOf(folders, disk) })
  await space.refresh()
  return space
}

const startTracing = (config: TracingConfig, outbound: Outbound, log: Log): Promise<Tracing> =>
  openTracing({ ...config, egress: outbound.egressTo(config.endpoint), log })

const poolStates = ({ pool }: Db) =>
  [
    [{ state: 'busy' }, pool.totalCount - pool.idleCount],
    [{ state: 'idle' }, pool.idleCount],
    [{ state: 'waiting' }, pool.waitingCount],
  ] as const

interface ConnectedModels extends ServedModels {
  discovered: Discovery
  net: GuardedNet
}

/** The catalogue with its providers, and the client for addresses that users name. */
async function openModels(
  options: AppOptions,
  log: Log,
  outbound: Outbound,
  opening: AsyncDisposableStack,
): Promise<ConnectedModels> {
  const { config } = options
  const discovered = await discover(config.vendors, outbound)
  const models = buildCatalogue(config, discovered, sandboxModels)
  const net = options.net ?? openNet(config, outbound, log)
  const configured = { models, upstreams: connect(models, net, outbound, opening) }
  return { ...(options.models?.(configured) ?? configured), discovered, net }
}

/** Opens the registry of processes, the ledger, the key ring and the sessions of people. */
async function openLedgerAndKeys(
  { config, db, clock, log, metrics, installation }: BaseServices,
  models: Catalogue,
  opening: AsyncDisposableStack,
): Promise<Pick<App, 'processes' | 'ledger' | 'keys' | 'sessions'>> {
  const processes = opening.use(await joinProcesses({ db, log, timing: config.timing }))
  const { thresholdsPercent } = config.budgets
  const holdTimeoutMs = config.timing.databaseWaitMs
  const options = { db, clock, log, processes, thresholdsPercent, metrics, holdTimeoutMs }
  const ledger = opening.use(openLedger(options))
  const modelId = (name: string) => models.find(name)?.id ?? name
  processes.afterSweep(() => releaseReservations({ db, processes, clock }))
  const clientSecret = async (hash: Buffer): Promise<ClientSecret | undefined> => {
    const row = await findClientSecret(db, hash, new Date(clock.nowMs()))
    if (!row) return undefined
    const sessionId = row.session_id ?? undefined
    return { accountId: row.account_id, keyId: row.key_id, scopes: ['audio:write'], sessionId }
  }
  const lookup = peopleLookup({ db, clock })
  const sessions = opening.use(
    openSessions({ ...{ db, clock, log, metrics, lookup, idleMs }, installationId: installation.id }),
  )
  const keys = opening.use(
    openKeyRing({
      ...{ db, clock, log, metrics, modelId, clientSecret },
      rightsOf: (personId, projectId) => rightsOf(db, personId, projectId),
      isSessionOpen: (sessionId) => sessions.isOpen(sessionId),
    }),
  )
  return { processes, ledger, keys, sessions }
}

/** Opens the realtime calls. A process without the role holds none, and ends those of dead processes. */
const openRealtime = (
  base: BaseServices,
  ledgerAndKeys: Pick<App, 'processes' | 'ledger' | 'keys'>,
  upstreams: ReadonlyMap<string, Upstream>,
): Promise<RealtimeCalls> =>
  duringStart(base.db, () =>
    openRealtimeCalls(
      { ...base, ...ledgerAndKeys },
      {
        capacity: base.config.roles.voice ? base.config.voice.capacity : 0,
        secret: base.config.secret,
        // A copy ends no calls: its original still holds them.
        hangUp: base.installation.copy ? async () => undefined : createHangUp(upstreams),
      },
    ),
  )

/** The directory of sites. Without a domain every site is a name of this machine. */
const openSites = ({ config, db, log }: BaseServices): Promise<SiteDirectory> =>
  openSiteDirectory({ db, log, domain: config.apps.domain ?? 'localhost' })

/** Bounds on reading whole files of data, which takes a core or two and up to 2 GB for each. */
const dataReaderLimits = { working: 2, waiting: 64 }

/** Opens what models and runs of work may use: hosted tools, readers of documents, pipelines. */
function openToolServices(
  { config, pipelines }: AppOptions,
  log: Log,
  {
    net,
    outbound,
    spool,
    isolation,
  }: { net: GuardedNet; outbound: Outbound; spool: Spool; isolation: FindIsolation },
  opening: AsyncDisposableStack,
): Pick<App, 'tools' | 'countPages' | 'reader' | 'svgs' | 'recordings' | 'videoProbe' | 'pipelines'> {
  const { webSearch } = config.tools
  const search = webSearch && opening.use(openSearch(webSearch, outbound.egressTo(webSearch.baseUrl)))
  return {
    tools: openTools({ config, search, client: net, log, isolation }),
    countPages: openPageCounter(log, isolation),
    reader: openReader({ client: net, log, isolation }),
    svgs: openSvgs(log, isolation),
    recordings: openRecordings({ log, spool, setting: config.ffmpeg }, isolation),
    videoProbe: openVideoProbe(log, isolation),
    pipelines:
      pipelines ??
      openPipelines({
        documents: openDocuments(log, isolation),
        confine: openConfinement(log, undefined, isolation),
        confineData: openConfinement(log, dataReaderLimits, isolation),
      }),
  }
}

/** Opens the threads for websites, which start with the first publication. */
const openSiteThreads = (
  { sites }: Config,
  spool: Spool,
  opening: AsyncDisposableStack,
): Pick<App, 'siteChecks' | 'siteCompressor'> => ({
  siteChecks: opening.use(new SiteChecks({ spool, atOnce: sites.publicationsAtOnce })),
  siteCompressor: opening.use(new SiteCompressor({ atOnce: sites.publicationsAtOnce })),
})

/** The storage of this process. A copy has the bucket of its original, which it may only read. */
async function storageOf(
  base: BaseServices,
  storage: Storage,
  opening: AsyncDisposableStack,
): Promise<Storage> {
  if (!base.config.storage.s3) return storage
  await holdBucket(base, storage, opening)
  return base.installation.copy ? heldStorage(storage) : storage
}

/** Opens the stores for files and for files in transit. */
async function openStores(
  { config: { dataDir, storage, files }, space, db, log, readiness }: BaseServices,
  outbound: Outbound,
  opening: AsyncDisposableStack,
): Promise<Pick<App, 'storage' | 'waiting' | 'spool'>> {
  const folder = (name: string) => path.join(dataDir, name)
  const opened = opening.use(
    openStorage({ folder: folder('files'), ...storage, egress: (url) => outbound.egressTo(url), space }),
  )
  if (!storage.s3) {
    const at = { db, storage: opened, folder: folder('files') }
    readiness.add(await duringStart(db, () => openFolder(at, log)))
  }
  return {
    // Without S3 the store is this disk, and a second place on a disk that failed would not help.
    ...(storage.s3 && { waiting: opening.use(await openWaitingFolder(dataDir)) }),
    storage: opened,
    spool: opening.use(
      await openSpool({ folder: path.resolve(folder('spool')), maxBytes: files.spoolBytes, space }),
    ),
  }
}
