/**
 * A world of several processes, one database, one upstream and their clients, all in one event loop, and all that can
 * happen to them decided by one seed: time, the order of what is ready, delays, outages, pauses, crashes at any point
 * where a process touches the world (between two of those it does nothing that anybody could see). The same seed is the
 * same world, step for step.
 */
import { createHash } from 'node:crypto'
import type { Caller } from '#app'
import { grant, setCaps } from '#platform/ledger'
import { SimulatedDatabase } from './database.ts'
import { FilmVendor } from './film-vendor.ts'
import { type Fixed, openFixed } from './fixed.ts'
import { InvariantChecker } from './invariant-checker.ts'
import { Link, type LinkState } from './link.ts'
import { idOf, People } from './people.ts'
import { type Ground, SimulatedProcess } from './process.ts'
import { Random } from './random.ts'
import { bendTime, Timeline } from './timeline.ts'
import { SimulatedUpstream } from './upstream.ts'
import type { Planted } from './videos-database.ts'

export interface Outcome {
  seed: number
  /** Empty in a world that kept its word. */
  violations: string[]
  /** SHA-256 over every line of the trace. */
  hash: string
  /** The last lines of the trace, oldest first. */
  trace: string[]
  steps: number
  /** What happened in it, to see that worlds are as wild as they should be. */
  counts: Record<string, number>
}

let fixed: Fixed | undefined

/** Runs the world of that seed to its end. One at a time. A defect that is planted has to be found. */
export async function simulate(seed: number, planted?: Planted): Promise<Outcome> {
  using _bent = bendTime()
  fixed ??= openFixed()
  return await new World(seed, fixed, planted).run()
}

const traceLines = 5_000
/** The longest that a hold lives on: that of a process that is dead, or of a video. */
const maxHoldMs = 360_000
const maxFilmMs = 50 * 60_000
/** Some begin seconds before the turn of a month in Tehran, since money counts by month. */
const middleMs = Date.UTC(2026, 4, 20)
const turnMs = Date.UTC(2026, 4, 31, 20, 29, 20)

class World {
  readonly #seed: number
  readonly #random: Random
  readonly #timeline: Timeline
  readonly #database: SimulatedDatabase
  readonly #people: People
  readonly #checker: InvariantChecker
  readonly #ground: Ground
  readonly #processes: SimulatedProcess[] = []
  readonly #hash = createHash('sha256')
  readonly #trace: string[] = []
  readonly #counts: Record<string, number> = {}
  readonly #wantedProcesses: number
  readonly #hasFilms: boolean
  readonly #lengthMs: number
  #calm = false
  #outage: LinkState = 'up'

  constructor(seed: number, fixture: Fixed, planted: Planted | undefined) {
    this.#seed = seed
    const random = new Random(seed)
    this.#random = random
    this.#timeline = new Timeline(random, random.chance(0.2) ? turnMs : middleMs)
    this.#wantedProcesses = random.between(1, 3)
    this.#lengthMs = random.between(20_000, 90_000)
    const timeline = this.#timeline
    const wallMs = (): number => timeline.startMs + timeline.nowMs
    const note = (who: string, what: string): void => this.#note(who, what)
    this.#database = new SimulatedDatabase(wallMs)
    this.#database.videos.planted = planted
    this.#hasFilms = random.chance(0.2) || planted !== undefined
    const upstream = new SimulatedUpstream(timeline, random)
    upstream.faultShare = random.pick([0, 0.1, 0.4])
    const vendor = this.#hasFilms ? new FilmVendor({ timeline, random, notify: this.#notify }) : undefined
    if (vendor) vendor.faultShare = upstream.faultShare
    const stormy = random.chance(0.7)
    this.#ground = {
      ...fixture,
      timeline,
      random,
      database: this.#database,
      upstream,
      vendor,
      faults: {
        lostBefore: stormy ? random.next() * 0.06 : 0,
        lostAfter: stormy ? random.next() * 0.1 : 0,
        late: stormy ? random.next() * 0.06 : 0,
        slow: stormy ? random.next() * 0.05 : 0,
      },
      crashShare: random.pick([0, 0, 0.002, 0.006, 0.015]),
      onDisconnect: random.pick(['cancel', 'drain']),
      note,
      isAway: () => this.#outage !== 'up',
      onRefusal: (...told) => this.#checker.onRefusal(...told),
      onSettle: (...said) => this.#checker.onSettle(...said),
      onUnsettled: (id) => this.#checker.onUnsettled(id),
      onAnswer: (...told) => this.#checker.onAnswer(...told),
      onFiles: (...told) => this.#checker.onFiles(...told),
      store: new Map(),
      folders: new Map(),
      storeFaultShare: random.pick([0, 0.1, 0.4]),
      hasFolders: random.chance(0.5),
    }
    this.#people = new People({
      timeline,
      random,
      note,
      callers: this.#openBooks(),
      hasFilms: this.#hasFilms,
      processes: () => this.#processes.filter(({ open }) => open),
    })
    this.#checker = new InvariantChecker({
      ...fixture,
      timeline,
      database: this.#database,
      upstream,
      vendor,
      people: this.#people,
      processes: this.#processes,
      store: this.#ground.store,
      folders: this.#ground.folders,
    })
  }

  async run(): Promise<Outcome> {
    const random = this.#random
    for (let process = 0; process < this.#wantedProcesses; process++) this.#startOne(random.next() * 2_000)
    const wishes = random.between(8, 40)
    for (let wish = 0; wish < wishes; wish++)
      this.#timeline.after(2_000 + random.next() * this.#lengthMs, undefined, () => this.#people.wish())
    this.#plan()
    let steps = await this.#advance(2_000 + this.#lengthMs, () => false)
    this.#heal()
    // Late statements arrive and swallowed ones are given up; then the longest that a hold, or reserved room, can live on.
    steps += await this.#advance(this.#timeline.nowMs + 50_000, () => false)
    steps += await this.#advance(this.#timeline.nowMs + (this.#hasFilms ? maxFilmMs : maxHoldMs), () =>
      this.#isOver(),
    )
    steps += await this.#advance(this.#timeline.nowMs + 15_000, () => false)
    this.#checker.atTheEnd()
    const { violations } = this.#checker
    const hash = this.#hash.copy().digest('hex')
    const outcome = { seed: this.#seed, violations: [...violations], hash, trace: [...this.#trace], steps }
    for (const process of this.#processes) process.forget()
    for (const [what, times] of Object.entries(this.#films())) this.#counts[what] = times
    return { ...outcome, counts: this.#counts }
  }

  /** A vendor's webhook goes to whichever process takes requests; where there is none, it is lost. */
  readonly #notify = (address: string, body: unknown): void => this.#someProcess()?.nudge(address, body)

  /** How many videos came to which end, and how many waited for a webhook. */
  #films(): Record<string, number> {
    const rows = [...this.#database.videos.rows.values()]
    const ends = Map.groupBy(rows, ({ status, error_code: code }) => `video ${code ?? status}`)
    return Object.fromEntries([...ends].map(([end, ended]) => [end, ended.length]))
  }

  async #advance(untilMs: number, isEnough: () => boolean): Promise<number> {
    let steps = 0
    while (this.#checker.violations.length === 0 && !isEnough() && (await this.#timeline.step(untilMs))) {
      this.#checker.afterStep()
      steps++
    }
    return steps
  }

  #isOver(): boolean {
    const { model, reservations } = this.#database
    return (
      this.#people.busy === 0 && model.holds.size === 0 && reservations.size === 0 && !this.#checker.waits
    )
  }

  #note(who: string, what: string): void {
    const line = `${(this.#timeline.nowMs / 1000).toFixed(4)} ${who}: ${what}`
    this.#hash.update(line)
    this.#trace.push(line)
    if (this.#trace.length > traceLines * 2) this.#trace.splice(0, traceLines)
    const kind =
      /crashes|is paused|begins to stop|reply lost|lost before|late|refused|no word|leaves|replay|IDEMPOTENCY_\w+|[A-Z]+_[A-Z_]+|ledger\.sweep carried out:/.exec(
        what,
      )?.[0]
    if (kind) this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
  }

  /** Two accounts, three projects, four keys; some poor, some under limits of speed. */
  #openBooks(): Caller[] {
    const { model } = this.#database
    const ids = [
      [1, 1, 1],
      [1, 1, 2],
      [1, 2, 3],
      [2, 3, 4],
    ] as const
    const callers = ids.map(([account, project, key]) => ({
      kind: 'key' as const,
      accountId: idOf('account', account),
      projectId: idOf('project', project),
      keyId: idOf('key', key),
      plan: 'standard',
      scopes: new Set<string>(),
      models: undefined,
    }))
    for (const { accountId, projectId, keyId } of callers) {
      if (!model.meters.has(accountId)) model.openMeter(accountId, 'account')
      if (!model.meters.has(projectId)) model.openMeter(projectId, 'project')
      model.openMeter(keyId, 'key')
    }
    // The referee of speed counts a hold when it is taken, and those of videos may be undone with their transaction.
    if (!this.#hasFilms && this.#random.chance(0.35)) {
      for (const id of model.meters.keys()) {
        if (this.#random.chance(0.4)) model.setCaps(id, { ratePerMinute: this.#random.between(2, 8) })
        if (this.#random.chance(0.4)) model.setCaps(id, { concurrency: this.#random.between(1, 3) })
      }
    }
    const rich = this.#random.chance(0.6)
    for (const id of [callers[0]!.accountId, callers[3]!.accountId])
      model.grant(id, `${id} start`, BigInt(rich ? 500_000_000 : this.#random.between(0, 4_000_000)))
    return callers
  }

  #startOne(afterMs: number): void {
    this.#timeline.after(afterMs, undefined, () => {
      const process = new SimulatedProcess(`process-${this.#processes.length + 1}`, this.#ground)
      process.link.state = this.#outage
      this.#processes.push(process)
      void process.start().then(() => this.#note(process.name, process.open ? 'is open' : 'did not open'))
    })
  }

  /** What befalls the world, and who starts a process where one has ended. */
  #plan(): void {
    const random = this.#random
    const later = (what: () => void): unknown =>
      this.#timeline.after(2_000 + random.next() * this.#lengthMs, undefined, () => {
        if (!this.#calm) what()
      })
    if (random.chance(0.35)) later(() => this.#breakDatabase(random.pick([3_000, 15_000, 25_000])))
    for (let times = random.between(0, 2); times > 0; times--) later(() => this.#breakLink())
    for (let times = random.between(0, 3); times > 0; times--) later(() => this.#shakeLink())
    for (let times = random.between(0, 2); times > 0; times--)
      later(() => this.#someProcess()?.pause(random.pick([300, 6_000, 26_000, 45_000]) * random.next()))
    for (let times = random.between(0, 2); times > 0; times--) later(() => void this.#someProcess()?.stop())
    for (let times = random.between(0, 4); times > 0; times--) later(() => void this.#administer(times))
    this.#supervise()
  }

  #someProcess(): SimulatedProcess | undefined {
    const open = this.#processes.filter((process) => process.open)
    return open.length > 0 ? this.#random.pick(open) : undefined
  }

  #supervise(): void {
    this.#timeline.after(1_000, undefined, () => {
      const here = this.#processes.filter(({ alive }) => alive).length
      for (let missing = here; missing < this.#wantedProcesses; missing++)
        this.#startOne(this.#random.next() * 900)
      this.#supervise()
    })
  }

  #breakDatabase(forMs: number): void {
    this.#note('world', `the database is away for ${forMs} ms`)
    this.#outage = 'refusing'
    for (const { link } of this.#processes) link.state = 'refusing'
    this.#timeline.after(forMs, undefined, () => {
      this.#note('world', 'the database is back')
      this.#outage = 'up'
      for (const { link } of this.#processes) link.state = 'up'
    })
  }

  #breakLink(): void {
    const process = this.#someProcess()
    if (!process) return
    const state = this.#random.pick(['refusing', 'swallowing'] as const)
    const forMs = this.#random.next() * 30_000
    this.#note(process.name, `its link is ${state} for ${forMs.toFixed(0)} ms`)
    process.link.state = state
    // What was swallowed is missed only when the client's own patience ends.
    process.hasTrouble(forMs + (state === 'swallowing' ? 40_000 : 0))
    this.#timeline.after(forMs, undefined, () => {
      process.link.state = this.#outage
    })
  }

  /** Seconds in which hardly anything arrives as it should. */
  #shakeLink(): void {
    const link = this.#someProcess()?.link
    if (!link) return
    link.faults = { lostBefore: 0.2, lostAfter: 0.3, late: 0.3, slow: 0.2 }
    this.#timeline.after(this.#random.next() * 10_000, undefined, () => {
      link.faults = this.#ground.faults
    })
  }

  /** Grants, caps and limits by an operator, through the same code; one whose end is not known is done again. */
  async #administer(number: number): Promise<void> {
    const { timeline } = this.#ground
    const random = this.#random
    const sender = { alive: true, pausedUntilMs: 0, skewMs: 0, survives: () => true }
    const tell = (what: string): void => this.#note('operator', what)
    const link = new Link({ ...this.#ground, sender, tell })
    const account = idOf('account', random.between(1, 2))
    const transferId = idOf('transfer', number)
    const microcredits = BigInt(random.between(-500_000, 5_000_000))
    const cap = random.chance(0.3) ? null : BigInt(random.between(0, 20_000_000))
    const limit = random.chance(0.3) ? null : random.between(1, 10)
    const limits = this.#hasFilms ? [] : [{ ratePerMinute: limit }, { concurrency: limit }]
    const caps = random.pick([{ cap }, ...limits])
    await timeline.as(sender, async () => {
      for (let tries = 0; tries < 20; tries++) {
        link.state = this.#outage
        try {
          const db = link.db()
          if (number % 2 === 0)
            await db.tx((tx) =>
              grant(tx, { accountId: account, transferId, microcredits, reason: 'test' }, new Date()),
            )
          else await db.tx((tx) => setCaps(tx, account, 'account', account, caps))
          return
        } catch (error) {
          if ((error as { code?: string }).code === '23514') return
          await timeline.pause(500, sender)
        }
      }
    })
  }

  /** From here on nothing goes wrong any more, so that everything can come to its end. */
  #heal(): void {
    this.#note('world', 'all faults end')
    this.#calm = true
    this.#ground.crashShare = 0
    this.#ground.storeFaultShare = 0
    this.#ground.upstream.faultShare = 0
    if (this.#ground.vendor) this.#ground.vendor.faultShare = 0
    this.#outage = 'up'
    Object.assign(this.#ground.faults, { lostBefore: 0, lostAfter: 0, late: 0, slow: 0 })
    for (const process of this.#processes) {
      process.link.state = 'up'
      process.link.faults = this.#ground.faults
      process.pausedUntilMs = Math.min(process.pausedUntilMs, this.#timeline.nowMs)
    }
  }
}
