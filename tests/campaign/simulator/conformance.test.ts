/** The simulator's database against PostgreSQL: the real ledger does the same work on both, with the same answers and the same rows, and so do rooms of stored files. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CreationReservation, type FilesApp, releaseReservations, type StagedCreation } from '#core/files'
import type { Db } from '#platform/db'
import type { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import {
  type Caps,
  ClaimTaken,
  grant,
  type Hold,
  type HoldOptions,
  type Ledger,
  type MeterScope,
  setCaps,
} from '#platform/ledger'
import { openLedgerAlone } from '../../harness/ledger.ts'
import { testSeed } from '../../harness/seed.ts'
import { until } from '../../harness/until.ts'
import { MovableClock } from '../../harness/world.ts'
import { expected, openBooksDatabase, openPeople, type Person, written } from '../../platform/ledger/books.ts'
import { SimulatedDatabase } from '../../simulation/database.ts'
import { databaseFace } from '../../simulation/face.ts'
import { Random } from '../../simulation/random.ts'

console.log(`seed of the conformance of the simulated database: ${testSeed} (KHERAD_TEST_SEED repeats it)`)

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
/** Nothing happens by itself. */
const timing = { processLeaseMs: 2 ** 31 - 1, heartbeatMs: 2 ** 31 - 1, sweepMs: 2 ** 31 - 1 }
const dayMs = 86_400_000
let stack: AsyncDisposableStack
let db: Db

/** A database for each: a sweep settles what any test has left. */
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  db = (await openBooksDatabase(stack)).db
})
afterEach(() => stack.disposeAsync())

/** What came of a piece of work, in a form that both can be held against. */
async function endOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await work }
  } catch (error) {
    if (error instanceof ClaimTaken) return { claimedBy: error.receiptId }
    const { code, detail, more } = error as Failure
    return { code, detail, retryAfterMs: more?.retryAfterMs }
  }
}

/** Real and simulated, side by side. */
class Twins {
  readonly random: Random
  readonly clock = new MovableClock(Date.UTC(2026, 0, 10))
  readonly simulated = new SimulatedDatabase(() => Date.now())
  readonly dbs: readonly Db[]
  readonly holds: { options: HoldOptions; pair: Hold[] }[] = []
  readonly asked: HoldOptions[] = []
  people: Person[] = []

  constructor(random: Random) {
    this.random = random
    this.dbs = [db, databaseFace(async (_name, text, values) => this.simulated.execute(text, values))]
  }

  open(): Promise<Ledger[]> {
    const { clock } = this
    return Promise.all(
      this.dbs.map((one) =>
        openLedgerAlone({ db: one, clock, log: quiet, timing, thresholdsPercent: [50, 80, 100] }),
      ),
    )
  }

  /** Does the same on both and holds the ends against each other; answers that of the simulated one. */
  async both<Value>(work: (side: number) => Promise<Value>): Promise<unknown> {
    const [real, simulated] = await Promise.all([endOf(work(0)), endOf(work(1))])
    expect(simulated).toEqual(real)
    return simulated
  }

  async hold(ledgers: Ledger[]): Promise<void> {
    const { random } = this
    const again = this.asked.length > 0 && random.chance(0.15)
    const ask = again ? random.pick(this.asked) : this.#holdOptions()
    const pair: Hold[] = []
    const end = await this.both(async (side) => {
      pair[side] = await ledgers[side]!.hold(ask)
      return pair[side].microcredits
    })
    // One that was swept by now is refused at once, and what it was charged given back a moment later.
    if ((end as { code?: string }).code === 'SERVICE_UNAVAILABLE') await this.#mended(ledgers, ask)
    this.asked.push(ask)
    if (pair.length === 2) this.holds.push({ options: ask, pair })
  }

  #mended(ledgers: Ledger[], { payer, receiptId }: HoldOptions): Promise<unknown> {
    const rows = () =>
      Promise.all(ledgers.map((one) => one.earlierReceipt(payer.accountId, receiptId, 1_000)))
    return until(async () => (await rows()).every((row) => !row?.ambiguous))
  }

  #holdOptions(): HoldOptions {
    const { random } = this
    const { account, project, key } = random.pick(this.people)
    const claim = random.chance(0.5)
      ? { key: `claim-${random.between(1, 3)}`, fingerprint: random.pick(['one', 'other']) }
      : undefined
    return {
      payer: { accountId: account, projectId: project, keyId: key },
      receiptId: randomUUID(),
      endpoint: '/test',
      microcredits: BigInt(random.between(0, 60)),
      started: random.chance(0.7),
      freeIfLost: random.chance(0.3),
      lifetimeMs: random.between(1, 40) * dayMs,
      claim,
    }
  }

  async settle(): Promise<void> {
    const { random } = this
    if (this.holds.length === 0) return
    const { options: ask, pair } = random.pick(this.holds)
    const microcredits = (ask.microcredits * BigInt(random.pick([0, 40, 100, 150, 900]))) / 100n
    const failed = random.chance(0.3)
    const freeClaim = random.chance(0.2)
    const withinHold = random.chance(0.3)
    const reply = random.chance(0.5) ? `{"n":${random.between(1, 9)}}` : undefined
    const end = {
      microcredits,
      ...(random.chance(0.3) && { lostMicrocredits: (microcredits * BigInt(random.pick([30, 100]))) / 100n }),
      state: failed ? ('failed' as const) : ('completed' as const),
      statusCode: failed ? 502 : 200,
      freeClaim,
      withinHold,
      reply,
    }
    const isInTransaction = random.chance(0.4)
    await this.both((side) =>
      isInTransaction ? pair[side]!.settleWith(end, async () => {}) : pair[side]!.settle(end),
    )
  }

  /** A process that ends with open holds. */
  async die(): Promise<void> {
    const ledgers = await this.open()
    for (let times = this.random.between(1, 3); times > 0; times--) await this.hold(ledgers)
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]()
    this.holds.length = 0
  }

  async administer(): Promise<void> {
    const { random } = this
    const { account, project, key } = random.pick(this.people)
    if (random.chance(0.5)) {
      const transferId = random.chance(0.3) ? account : randomUUID()
      await this.grant(account, BigInt(random.between(0, 200)), transferId)
      return
    }
    const [scope, id] = random.pick([
      ['account', account],
      ['project', project],
      ['key', key],
    ] as const)
    const cap = random.chance(0.4) ? null : BigInt(random.between(0, 250))
    const limit = random.chance(0.4) ? null : random.between(1, 5)
    const caps = random.pick([
      { cap },
      { monthCap: cap },
      { cap, monthCap: null },
      { ratePerMinute: limit },
      { concurrency: limit },
      { ratePerMinute: limit, concurrency: null },
    ])
    await this.both((side) => this.dbs[side]!.tx((tx) => setCaps(tx, account, scope, id, caps)))
  }

  async grant(accountId: string, microcredits: bigint, transferId: string = randomUUID()): Promise<void> {
    const ask = { accountId, transferId, microcredits, reason: 'test' }
    const now = new Date(this.clock.nowMs())
    await this.both((side) => this.dbs[side]!.tx((tx) => grant(tx, ask, now)))
  }

  /** Limits of every account, project or key. */
  async limit(scope: MeterScope, caps: Caps): Promise<void> {
    for (const person of this.people)
      await this.both((side) =>
        this.dbs[side]!.tx((tx) => setCaps(tx, person.account, scope, person[scope], caps)),
      )
  }

  async look(ledgers: Ledger[], options: HoldOptions): Promise<void> {
    const { accountId } = options.payer
    await this.both((side) => ledgers[side]!.balance(accountId))
    const replayMs = this.random.pick([1_000, dayMs])
    await this.both(async (side) => {
      const row = await ledgers[side]!.earlierReceipt(accountId, options.receiptId, replayMs)
      if (!row) return row
      const { state, claiming, ambiguous, fingerprint, status_code, held, charged, reply, idempotency_key } =
        row
      return { state, claiming, ambiguous, fingerprint, status_code, held, charged, reply, idempotency_key }
    })
  }
}

test('whatever a ledger is asked, the simulated database answers it as PostgreSQL does, and writes the same books', {
  timeout: 600_000,
}, async () => {
  for (let round = 0; round < 12; round++) {
    const twins = new Twins(new Random(testSeed + round))
    const { random } = twins
    twins.people = await openPeople(db, twins.simulated.model)
    for (let times = 0; times < 4; times++) await twins.administer()
    const ledgers = await twins.open()
    for (let step = 0; step < 80; step++) {
      const lot = random.next()
      if (lot < 0.4) await twins.hold(ledgers)
      else if (lot < 0.65) await twins.settle()
      else if (lot < 0.75) await twins.administer()
      else if (lot < 0.8) await twins.die()
      else if (lot < 0.85) await twins.both((side) => ledgers[side]!.sweep())
      else if (lot < 0.88) twins.clock.moveMs(random.between(1, 30) * (dayMs / 2))
      else if (lot < 0.94) twins.clock.moveMs(random.between(1, 70_000))
      else if (twins.asked.length > 0) await twins.look(ledgers, random.pick(twins.asked))
    }
    for (const ask of twins.asked) await twins.look(ledgers, ask)
    expect(expected(twins.simulated.model)).toEqual(await written(db, twins.people))
    // The next round counts its own holds only.
    twins.clock.moveMs(100 * dayMs)
    await twins.both((side) => ledgers[side]!.sweep())
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]()
  }
})

/** Around the edges of a minute, and back, as a clock that is late. */
const movesMs = [
  0, 1_000, 1_000, 20_000, 29_000, 30_000, 31_000, 58_000, 59_000, 60_000, 61_000, -2_000, -1_000,
]

test('limits of speed bind at the same second, by the same meter and with the same wait', {
  timeout: 600_000,
}, async () => {
  for (let round = 0; round < 10; round++) {
    const twins = new Twins(new Random(testSeed + round))
    const { random, clock } = twins
    twins.people = await openPeople(db, twins.simulated.model)
    for (const { account } of twins.people) await twins.grant(account, 100_000n)
    for (const scope of ['account', 'project', 'key'] as const)
      await twins.limit(scope, { ratePerMinute: random.between(1, 4), concurrency: random.between(1, 3) })
    const ledgers = await twins.open()
    for (let step = 0; step < 80; step++) {
      const lot = random.next()
      if (lot < 0.5) await twins.hold(ledgers)
      else if (lot < 0.7) await twins.settle()
      else if (lot < 0.97) clock.moveMs(random.pick(movesMs))
      else await twins.limit('key', { ratePerMinute: random.pick([null, 1, 3]) })
      if (step % 8 === 0) expect(expected(twins.simulated.model)).toEqual(await written(db, twins.people))
    }
    expect(expected(twins.simulated.model)).toEqual(await written(db, twins.people))
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]()
  }
})

/** What stands in the tables of rooms and files, in a form that both can be held against. */
async function realRooms() {
  const ask = (text: string) => db.query<Record<string, unknown>>({ text }, [])
  const [usage, reservations, files, pending] = await Promise.all([
    ask('select account_id, project_id, creations, creation_bytes as bytes from files.usage'),
    ask('select receipt_id, creations, bytes from files.reservations'),
    ask('select receipt_id, bytes, spooled_on from files.files'),
    ask('select count(*) as n from storage.pending_blobs'),
  ])
  return {
    usage: usage.sort(byText),
    reservations: reservations.sort(byText),
    files: files.sort(byText),
    pending,
  }
}

const byText = (one: object, other: object): number => (text(one) < text(other) ? -1 : 1)
const text = (row: object): string => Object.values(row).join(' ')

function simulatedRooms({ usage, reservations, files, pending }: SimulatedDatabase) {
  return {
    usage: [...usage]
      .map(([owner, used]) => {
        const [account_id, project_id] = owner.split(' ')
        return { account_id, project_id, ...used }
      })
      .sort(byText),
    reservations: [...reservations]
      .map(([receipt_id, { creations, bytes }]) => ({ receipt_id, creations, bytes }))
      .sort(byText),
    files: [...files.values()]
      .map(({ receiptId, bytes, spooledOn }) => ({ receipt_id: receiptId, bytes, spooled_on: spooledOn }))
      .sort(byText),
    pending: [{ n: BigInt(pending.size) }],
  }
}

test('room is reserved, exchanged for files, given back and swept alike', async () => {
  const twins = new Twins(new Random(testSeed))
  const { random, clock, simulated } = twins
  twins.people = await openPeople(db, simulated.model)
  const processId = randomUUID()
  const apps = twins.dbs.map(
    (one) =>
      ({
        db: one,
        clock,
        log: quiet,
        config: { studio: { quotaBytes: 2_000 } },
        processes: { id: processId, leaseMs: dayMs, beatAt: new Date() },
        storage: { put: async () => {} },
      }) as unknown as FilesApp,
  )
  for (const one of twins.dbs)
    await one.query({ text: 'insert into ledger.processes (process_id, beat_at) values ($1, now())' }, [
      processId,
    ])
  const open: CreationReservation[][] = []
  for (let step = 0; step < 150; step++) {
    const { account, project, key } = random.pick(twins.people)
    const lot = random.next()
    if (lot < 0.5) {
      const call = { accountId: account, projectId: project, keyId: key, source: 'image', keepDays: 30 }
      const wanted = { creations: random.between(1, 3), bytes: random.between(0, 700) }
      const receiptId = uuidv7(clock.nowMs())
      const rooms: CreationReservation[] = []
      await twins.both(async (side) => {
        rooms[side] = await CreationReservation.reserve(apps[side]!, { ...call, receiptId }, wanted)
      })
      if (rooms.length === 2) open.push(rooms)
    } else if (lot < 0.95 && open.length > 0) {
      const [rooms] = open.splice(random.between(0, open.length - 1), 1)
      const sizes = Array.from({ length: random.between(0, 3) }, () => random.between(1, 400))
      await twins.both(async (side) => {
        const room = rooms![side]!
        const staged: StagedCreation[] = []
        for (const size of sizes)
          staged.push(await room.stage({ bytes: Buffer.alloc(size), mediaType: 'image/png' }))
        if (staged.length === 0) return room.release()
        await twins.dbs[side]!.tx((tx) => room.commit(tx, staged))
        room.markCommitted()
      })
    } else if (lot >= 0.95) {
      clock.moveMs(random.between(0, 400_000))
      await twins.both((side) => releaseReservations(apps[side]!))
    }
    expect(simulatedRooms(simulated)).toEqual(await realRooms())
  }
})
