/** One process of the platform: the real ledger, idempotency, paid turns and orders and chat door, on simulated ground. */
import assert from 'node:assert/strict'
import type { App, Caller } from '#app'
import { releaseReservations } from '#core/files'
import { questionTurn, startPaidTurn } from '#core/inference'
import type { Catalogue } from '#core/models'
import { openInference, type Upstream } from '#core/routing'
import { type ModelRequestApp, settleInBackground } from '#core/text'
import { videoJobs } from '#media/video'
import type { Config } from '#platform/config'
import { isDatabaseAway } from '#platform/db'
import { DiskSpace } from '#platform/disk-space'
import { asFailure, Failure, fail } from '#platform/errors'
import type { EventStream, RequestContext } from '#platform/http'
import { claimOf, replayedAnswer } from '#platform/idempotency'
import { type Job, jobs, startWorkers } from '#platform/jobs'
import {
  ClaimTaken,
  type Hold,
  type Ledger,
  openLedger,
  type Settlement,
  type SettlementResult,
} from '#platform/ledger'
import type { Metrics } from '#platform/metrics'
import { joinProcesses } from '#platform/processes'
import { Readiness } from '#platform/readiness'
import type { Storage } from '#platform/storage'
import { SiteChecks, SiteCompressor } from '#sites/hosting'
import { chat } from '#text/chat'
import { pipelinesOf } from '#work/pipelines'
import { composeSlices, type Services } from '../../src/slices.ts'
import type { SimulatedDatabase } from './database.ts'
import type { FilmVendor } from './film-vendor.ts'
import { type FilmBody, nudgeFilm, openFilmDisk, orderFilm } from './films.ts'
import { Link, type LinkFaults, never, type Sender } from './link.ts'
import { drawPictures, type PicturesBody } from './pictures.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'
import type { SimulatedUpstream } from './upstream.ts'

/** The ground on which all processes of a world stand. */
export interface Ground {
  timeline: Timeline
  random: Random
  database: SimulatedDatabase
  upstream: SimulatedUpstream
  /** In worlds with videos. */
  vendor: FilmVendor | undefined
  config: Config
  models: Catalogue
  metrics: Metrics
  faults: LinkFaults
  /** True while the database is away for all. */
  isAway: () => boolean
  /** The chance of a crash at each point where a process touches the world. */
  crashShare: number
  onDisconnect: 'cancel' | 'drain'
  note: (who: string, what: string) => void
  onRefusal: (code: string, receiptId: string) => void
  /** Bytes by key: in the store that all share, and in the data folder of each. */
  store: Map<string, Uint8Array>
  folders: Map<string, Map<string, Uint8Array>>
  /** Shares of writings that fail, and whether the data folder may take what the store does not. */
  storeFaultShare: number
  hasFolders: boolean
  /** A request has ended. */
  onAnswer: (requestId: string, process: SimulatedProcess) => void
  /** Its answer names files. */
  onFiles: (fileIds: readonly string[], requestId: string) => void
  /** A settlement was asked for, and later made durable by the platform's own word. */
  onSettle: (
    receiptId: string,
    process: SimulatedProcess,
    settlement: Settlement,
    settled?: SettlementResult,
  ) => void
  /** That settlement was not carried out, and another one follows. */
  onUnsettled: (receiptId: string) => void
}

export interface TextBody {
  model: string
  messages: unknown[]
  stream: boolean
  max_tokens?: number
}

export interface Request {
  caller: Caller
  body: TextBody | PicturesBody | FilmBody
  idempotencyKey: string | undefined
  requestId: string
  /** As a row of a batch is asked: nobody waits, and nothing is asked twice. */
  background: boolean
  /** Aborts when the client leaves. */
  gone: AbortSignal
}

export type Answer =
  | { kind: 'json'; text: string; requestId: string; replayed: boolean }
  | { kind: 'stream'; text: string }
  | { kind: 'failure'; code: string; executed: boolean }
  /** The process died, or was not there. */
  | { kind: 'none' }

/** Nobody revokes anything here. */
const unchangedKeys: App['keys'] = {
  caller: never,
  cachedCaller: () => undefined,
  callerOf: async () => ({}) as Caller,
  presentCallerOf: never,
  projectOf: never,
  noteUse: never,
  isListedOrigin: never,
  [Symbol.asyncDispose]: async () => {},
}

/** Nobody here has an app, or calls. */
const noApps: Pick<
  App,
  | 'sites'
  | 'clouds'
  | 'cloudAllowances'
  | 'collections'
  | 'appUsers'
  | 'passwords'
  | 'openId'
  | 'databases'
  | 'sql'
  | 'functions'
  | 'functionCompiler'
  | 'functionSource'
  | 'realtime'
  | 'webrtc'
> = {
  realtime: {} as App['realtime'],
  webrtc: {} as App['webrtc'],
  databases: {} as App['databases'],
  sql: {} as App['sql'],
  functions: {} as App['functions'],
  functionCompiler: {} as App['functionCompiler'],
  functionSource: {} as App['functionSource'],
  cloudAllowances: {
    takeEgress: never,
    expectEgress: () => undefined,
    refundEgress: () => undefined,
    egressEnded: () => assert.fail('no clouds here'),
    takeCall: never,
  },
  collections: {} as App['collections'],
  sites: { find: () => undefined, refresh: never, size: 0, [Symbol.asyncDispose]: async () => {} },
  clouds: {
    has: () => false,
    find: async () => undefined,
    findCached: () => undefined,
    refresh: never,
    onStopped: () => ({ [Symbol.dispose]() {} }),
    [Symbol.asyncDispose]: async () => {},
  },
  passwords: { hash: never, matches: never },
  openId: {} as App['openId'],
  appUsers: {
    passwords: { hash: never, matches: never },
    verify: never,
    signingKey: never,
    isSweepDue: () => false,
    forget: () => undefined,
    [Symbol.asyncDispose]: async () => {},
  },
}

const textPath = '/v1/chat/completions'
const picturesPath = '/v1/images/generations'
export const filmPath = '/v1/studio/video'
/** A statement may still be carried out this long after its connection broke, and one that is slow takes as long. */
const latestMs = 15_000
/** A ledger that closes waits so long for a database that does not answer, since another's transaction is in the way. */
const ledgerDrainMs = 5_000
const [door] = chat.routes
const timeouts = { connectMs: 1_000, firstByteMs: 5_000, firstTokenMs: 8_000, idleMs: 5_000, totalMs: 30_000 }

export class SimulatedProcess implements Sender {
  readonly name: string
  readonly link: Link
  readonly skewMs: number
  alive = true
  pausedUntilMs = 0
  /** Takes requests. */
  open = false
  /** How it ended, if it did. `cleanly`: it was stopped while nothing was wrong, nor had been for long, and the database answered its ledger. */
  end: 'crashed' | 'stopped' | 'cleanly' | undefined
  /** When it last had trouble of its own that may have kept it from beating. */
  troubledMs: number
  /** When a statement of its last broke. */
  brokenMs = 0
  readonly #ground: Ground
  readonly #inFlight = new Set<(answer: Answer) => void>()
  readonly #leaving = new AbortController()
  #app: App | undefined
  #workers: AsyncDisposable | undefined

  constructor(name: string, ground: Ground) {
    const { timeline, random } = ground
    this.name = name
    this.#ground = ground
    this.skewMs = random.chance(0.5) ? 0 : random.between(-2_000, 2_000)
    this.troubledMs = timeline.nowMs
    this.link = new Link({
      ...ground,
      sender: this,
      tell: (what, broken) => {
        ground.note(name, what)
        if (broken) this.brokenMs = timeline.nowMs
        // What all suffer is no trouble of its own.
        if (broken && !ground.isAway() && what.includes('ledger.processes')) this.hasTrouble(0)
      },
    })
  }

  /** Opens its ledger, as a start of the server does. False when the database was not there, or it died on the way. */
  start(): Promise<boolean> {
    return this.#ground.timeline.as(this, async () => {
      try {
        this.#app = await this.#openApp()
        if (this.#ground.vendor)
          this.#workers = startWorkers({ app: this.#app, jobs: videoJobs as unknown as Job<never, App>[] })
      } catch (error) {
        this.#ground.note(this.name, `could not start: ${(error as Error).message}`)
        this.alive = false
        this.end = 'stopped'
        return false
      }
      // The first claim of its workers may be its end.
      this.open = this.alive
      return this.alive
    })
  }

  async #openApp(): Promise<App> {
    const { timeline, random, config, models, metrics, upstream, onDisconnect } = this.#ground
    const db = this.link.db()
    const clock = { nowMs: () => Math.floor(timeline.startMs + timeline.nowMs + this.skewMs) }
    const quiet = { trace() {}, debug() {}, info() {}, fatal() {} }
    const note = (_fields: unknown, what?: string): void => this.#ground.note(this.name, `logs: ${what}`)
    const log = { ...quiet, warn: note, error: note }
    const processes = await joinProcesses({ db, log, timing: config.timing })
    const { thresholdsPercent } = config.budgets
    processes.afterSweep(() => releaseReservations({ db, processes, clock }))
    const ledger = openLedger({ db, clock, log, processes, thresholdsPercent })
    const provider = upstream.providerFor(this)
    const orders = { image: upstream.painterFor(this) }
    const upstreams = new Map<string, Upstream>(
      ['first', 'second'].map((id) => [id, { provider, orders, timeouts, onDisconnect, maxDrains: 2 }]),
    )
    const { vendor } = this.#ground
    const films = vendor && { video: vendor.providerFor(this) }
    for (const id of films ? ['studio', 'theatre'] : [])
      upstreams.set(id, { provider, orders: films!, timeouts, onDisconnect, maxDrains: 2 })
    const inference = openInference({ upstreams, models, clock, metrics, random: () => random.next() })
    const net: App['net'] = {
      fetch: never,
      checkTarget: never,
      checkForwardedTarget: never,
      stream: never,
      keepAliveClient: () => assert.fail('no connections here'),
    }
    const tools: App['tools'] = { find: () => undefined, requireTool: () => assert.fail('no tools here') }
    const disk = openFilmDisk((ms) => timeline.pause(ms, this))
    const idle = { plan: () => assert.fail('no work here'), run: never }
    const services: Services = {
      config,
      db,
      clock,
      log,
      metrics,
      tracing: undefined,
      readiness: new Readiness(),
      installation: {} as App['installation'],
      instance: undefined,
      space: new DiskSpace({ disks: [] }),
      keys: unchangedKeys,
      sessions: {} as App['sessions'],
      processes,
      ledger: this.#watched(ledger),
      jobs,
      models,
      inference,
      tools,
      countPages: async () => undefined,
      reader: { read: never, fetch: never },
      svgs: { provenSvg: never, rasterOfSvg: never },
      recordings: { decode: () => assert.fail('no recordings here'), open: never, hasFfmpeg: never },
      siteChecks: new SiteChecks({ spool: disk.spool, atOnce: 1 }),
      siteCompressor: new SiteCompressor({ atOnce: 1 }),
      ...disk,
      net,
      ...noApps,
      secrets: { seal: never, open: never, signer: never, knownSigner: never, problem: never },
      storage: this.#storage(this.#ground.store, this.#ground.storeFaultShare),
      ...(this.#ground.hasFolders && { waiting: this.#waiting() }),
      pipelines: pipelinesOf(() => idle),
    }
    return { ...services, ...composeSlices(services) }
  }

  /** Writes take their time, and some fail. */
  #storage(files: Map<string, Uint8Array>, faultShare: number): Storage {
    const { timeline, random } = this.#ground
    const put = async (key: string, bytes: Uint8Array): Promise<void> => {
      await timeline.pause(1 + random.next() * 300, this)
      if (!this.survives('before bytes are stored')) await never()
      if (random.chance(faultShare)) throw new Error('the store is away')
      files.set(key, bytes)
      if (!this.survives('after bytes were stored')) await never()
    }
    return {
      requireRoom: () => undefined,
      put,
      putStream: (key, { sha256 }) => put(key, Buffer.from(sha256)),
      putUnsized: never,
      get: never,
      delete: async (keys) => {
        for (const key of keys) files.delete(key)
      },
      endUploads: never,
      [Symbol.asyncDispose]: async () => {},
    }
  }

  #waiting(): NonNullable<App['waiting']> {
    const { folders, storeFaultShare } = this.#ground
    const folder = folders.get(this.name) ?? new Map<string, Uint8Array>()
    folders.set(this.name, folder)
    return {
      place: this.name,
      storage: this.#storage(folder, storeFaultShare / 2),
      // biome-ignore lint/correctness/useYield: nothing here asks for them.
      async *keysBefore() {
        await never()
      },
      [Symbol.asyncDispose]: async () => {},
    }
  }

  /** The same ledger; who settles what, and what is said to be durable, is noted. */
  #watched(ledger: Ledger): Ledger {
    const { onSettle, onUnsettled } = this.#ground
    const watch = async (
      { receiptId }: Hold,
      settlement: Settlement,
      settle: () => Promise<SettlementResult>,
    ): Promise<SettlementResult> => {
      onSettle(receiptId, this, settlement)
      const settled = await settle()
      if (this.survives('after a settlement')) onSettle(receiptId, this, settlement, settled)
      else await never()
      return settled
    }
    const watched = (hold: Hold): Hold => ({
      receiptId: hold.receiptId,
      get microcredits() {
        return hold.microcredits
      },
      change: (...to) => hold.change(...to),
      renew: (lifetimeMs) => hold.renew(lifetimeMs),
      settle: (settlement) => watch(hold, settlement, () => hold.settle(settlement)),
      settleWith: async (settlement, write) => {
        try {
          return await watch(hold, settlement, () => hold.settleWith(settlement, write))
        } catch (error) {
          onUnsettled(hold.receiptId)
          throw error
        }
      },
    })
    return { ...ledger, hold: async (ask) => watched(await ledger.hold(ask)) }
  }

  /** True for one that ended in a way that leaves work to the others. */
  get mayLeaveWork(): boolean {
    return this.end === 'crashed' || this.end === 'stopped'
  }

  survives(point: string): boolean {
    if (this.alive && this.#ground.random.chance(this.#ground.crashShare)) this.crash(point)
    return this.alive
  }

  /** Nothing of it happens any more, and whoever waits for it hears nothing but the end of the connection. */
  crash(point: string): void {
    this.#ground.note(this.name, `crashes ${point}`)
    this.alive = false
    this.open = false
    this.end = 'crashed'
    this.#hangUp()
  }

  pause(forMs: number): void {
    this.#ground.note(this.name, `is paused for ${forMs.toFixed(0)} ms`)
    this.pausedUntilMs = this.#ground.timeline.nowMs + forMs
    this.hasTrouble(forMs)
  }

  /** It may be silent for that long through no fault of the others. */
  hasTrouble(forMs: number): void {
    this.troubledMs = Math.max(this.troubledMs, this.#ground.timeline.nowMs + forMs)
  }

  /** As the server stops: no new requests, the open ones get a while, what is left is cut and settled. */
  async stop(): Promise<void> {
    const { timeline, note, config } = this.#ground
    await timeline.as(this, async () => {
      note(this.name, 'begins to stop')
      this.open = false
      const until = timeline.nowMs + config.timing.drainMs
      const soundMs = timeline.nowMs - latestMs
      const endMs = timeline.nowMs + config.timing.storedDrainMs
      const workers = this.#workers?.[Symbol.asyncDispose]()
      while (this.#inFlight.size > 0 && timeline.nowMs < until) await timeline.pause(100, this)
      this.#leaving.abort()
      this.#hangUp()
      await workers
      await this.#app?.ledger.whenStored(Math.max(0, endMs - timeline.nowMs))
      await this.#app?.inference[Symbol.asyncDispose]()
      const closingMs = timeline.nowMs
      await this.#app?.ledger[Symbol.asyncDispose]()
      const gaveUp = this.link.commitsUnderWay > 0 && timeline.nowMs - closingMs >= ledgerDrainMs
      await this.#app?.processes[Symbol.asyncDispose]()
      note(this.name, 'has stopped')
      this.alive = false
      const wasSound = this.brokenMs < soundMs && this.troubledMs < soundMs && !gaveUp
      this.end = wasSound ? 'cleanly' : 'stopped'
    })
  }

  /** After the end of the world: signals that somebody still listens to are kept by Node until they abort, and all the world with them. */
  forget(): void {
    this.#ground.timeline.as(this, () => this.#leaving.abort())
  }

  #hangUp(): void {
    for (const answer of this.#inFlight) answer({ kind: 'none' })
    this.#inFlight.clear()
  }

  /** What its client gets. */
  request(request: Request): Promise<Answer> {
    if (!this.open) return Promise.resolve({ kind: 'none' })
    return new Promise((resolve) => {
      this.#inFlight.add(resolve)
      this.#ground.timeline.as(this, async () => {
        const answer = await this.#handle(request)
        this.#ground.onAnswer(request.requestId, this)
        if (!this.survives('before an answer')) return
        this.#inFlight.delete(resolve)
        resolve(answer)
      })
    })
  }

  /** A vendor's webhook arrives. */
  nudge(address: string, body: unknown): void {
    if (!this.open) return
    this.#ground.timeline.as(this, () => {
      nudgeFilm(this.#app!, address, body).then(
        (known) => this.#ground.note(this.name, `a webhook is ${known ? 'known' : 'not known'}`),
        () => undefined,
      )
    })
  }

  async #handle(request: Request): Promise<Answer> {
    const { requestId, idempotencyKey: key, body } = request
    const path = 'film' in body ? filmPath : 'n' in body ? picturesPath : textPath
    const claim = key === undefined ? undefined : await claimOf(key, 'POST', path, body)
    const gone = AbortSignal.any([request.gone, this.#leaving.signal])
    const ask = {
      ...request,
      app: this.#app!,
      claim,
      gone,
      ...bareRequest,
      receivedMs: this.#app!.clock.nowMs(),
    }
    try {
      if ('film' in body) {
        const text = await orderFilm(ask.app, { ...ask, endpoint: path }, body)
        return { kind: 'json', text, requestId, replayed: false }
      }
      if ('n' in body) {
        const context = ask as unknown as RequestContext<App>
        const text = await drawPictures(context, { ...ask, endpoint: path }, body)
        this.#ground.onFiles(JSON.parse(text).files, requestId)
        return { kind: 'json', text, requestId, replayed: false }
      }
      if (request.background) return await this.#inBackground(body, request, gone)
      const answer = await (door!.handle as (context: RequestContext<ModelRequestApp>) => Promise<unknown>)(
        ask as unknown as RequestContext<App>,
      )
      const { kind, text } = await this.#read(answer as EventStream, gone)
      return kind === 'json' ? { kind, text, requestId, replayed: false } : { kind, text }
    } catch (error) {
      try {
        if (!(error instanceof ClaimTaken)) throw error
        return await this.#again(ask.app, request, error, claim)
      } catch (last) {
        // As platform/http does it, too.
        const away = !(last instanceof Failure) && isDatabaseAway(last)
        const failure = asFailure(away ? new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, {}) : last)
        if (failure.code === 'INTERNAL') this.#ground.note(this.name, `defect: ${(last as Error).message}`)
        const { executed, receiptId } = failure.more
        if (receiptId !== undefined) this.#ground.onRefusal(failure.code, receiptId)
        return { kind: 'failure', code: failure.code, executed: executed === true }
      }
    }
  }

  /** As a row of a batch is answered. */
  async #inBackground(body: TextBody, { caller, requestId }: Request, gone: AbortSignal): Promise<Answer> {
    const app = this.#app!
    const model = app.models.defaults.text
    const content = [{ type: 'text' as const, text: JSON.stringify(body.messages) }]
    const question = {
      messages: [{ role: 'user' as const, content }],
      maxOutputTokens: body.max_tokens ?? 200,
    }
    const paid = await startPaidTurn(app, {
      caller,
      endpoint: textPath,
      requestId,
      receivedMs: app.clock.nowMs(),
      model,
      turn: { ...questionTurn(question, model), stream: body.stream },
      showsReasoning: false,
      background: true,
    })
    const answer = { add() {}, body: () => ({}) }
    const { failure, text } = await settleInBackground(paid, answer, {
      gone,
      describeFailure: ({ code }) => code,
    })
    if (failure) throw failure
    return { kind: 'json', text, requestId, replayed: false }
  }

  /** As platform/http does it. */
  async #again(
    app: App,
    { caller, requestId }: Request,
    { receiptId }: ClaimTaken,
    claim: Awaited<ReturnType<typeof claimOf>> | undefined,
  ): Promise<Answer> {
    if (receiptId === requestId || !claim) fail('SERVICE_UNAVAILABLE', { why: 'database' })
    const first = await replayedAnswer(app.ledger, caller.accountId, receiptId, claim)
    return { kind: 'json', text: first.text, requestId: first.requestId, replayed: true }
  }

  async #read(
    { answer }: EventStream,
    gone: AbortSignal,
  ): Promise<{ kind: 'json' | 'stream'; text: string }> {
    const { timeline, random } = this.#ground
    const ended = Promise.withResolvers<'json' | 'stream'>()
    let text = ''
    let pending = ''
    let isOpen = false
    const flush = (): boolean => {
      const isSlow = pending !== '' && !gone.aborted && random.chance(0.2)
      text += pending
      pending = ''
      if (isSlow) void timeline.pause(random.next() * 50, this).then(() => answer.drained(), ended.reject)
      return !isSlow
    }
    gone.addEventListener('abort', () => answer.onClientGone(), { once: true })
    if (gone.aborted) answer.onClientGone()
    answer.start({
      get isOpen() {
        return isOpen
      },
      open() {
        isOpen = true
      },
      event(data) {
        pending += `${data}\n`
      },
      flush,
      end() {
        text += pending
        ended.resolve('stream')
      },
      json(body) {
        text = body
        ended.resolve('json')
      },
      fail: ended.reject,
      cut: () => ended.reject(new Error('a stream was cut')),
    })
    return { kind: await ended.promise, text }
  }
}

const bareRequest = {
  ...{ query: {}, params: {}, headers: {}, answerHeaders: {} },
  language: 'en' as const,
  setHeader: () => {},
}
