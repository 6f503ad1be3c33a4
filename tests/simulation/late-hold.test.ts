/** Found by the simulator: a statement whose connection broke is carried out after the one that was sent in its place. */
import { expect, test } from 'vitest'
import { type HoldAsk, openLedger } from '#platform/ledger'
import { SimulatedDatabase } from './database.ts'
import { databaseFace } from './face.ts'
import { inTime, owner } from './in-time.ts'
import { idOf } from './people.ts'
import type { Timeline } from './timeline.ts'

const account = idOf('account', 1)
const payer = { accountId: account, projectId: idOf('project', 1), keyId: idOf('key', 1) }
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }

/** A ledger whose first hold is lost on the way and carried out only when `arrive` is called. */
async function openLateLedger(timeline: Timeline) {
  const nowMs = (): number => timeline.startMs + timeline.nowMs
  const database = new SimulatedDatabase(nowMs)
  database.model.openMeter(account, 'account')
  database.model.openMeter(payer.projectId, 'project')
  database.model.openMeter(payer.keyId, 'key')
  let late: (() => void) | undefined
  const db = databaseFace(async (_name, text, values) => {
    if (text.includes('ledger.apply') && !late) {
      late = () => void database.execute(text, values)
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    }
    return database.execute(text, values)
  })
  const ledger = await openLedger({ db, clock: { nowMs }, log: quiet, timing, thresholdsPercent: [] })
  return { ledger, database, arrive: () => late!() }
}

const ask = (microcredits: bigint): HoldAsk => ({
  payer,
  receiptId: idOf('request', 1),
  endpoint: '/test',
  microcredits,
  started: true,
  lifetimeMs: 600_000,
})

test('a hold that was refused and is taken after all, by a statement that was thought lost, is given back', async () => {
  await inTime(async (timeline) => {
    const { ledger, database, arrive } = await openLateLedger(timeline)
    await expect(ledger.hold(ask(100n))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    database.model.grant(account, 'a grant', 1_000n)
    arrive()
    expect(await ledger.balance(account)).toEqual({ balance: 1_000n, held: 100n })
    await timeline.pause(45_000, owner)
    expect(await ledger.balance(account)).toEqual({ balance: 1_000n, held: 0n })
    await ledger[Symbol.asyncDispose]()
  })
})

test('a caller who then gets a smaller hold under the same id keeps it', async () => {
  await inTime(async (timeline) => {
    const { ledger, database } = await openLateLedger(timeline)
    await expect(ledger.hold(ask(100n))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    database.model.grant(account, 'a grant', 80n)
    const hold = await ledger.hold(ask(80n))
    await timeline.pause(45_000, owner)
    expect(await ledger.balance(account)).toEqual({ balance: 80n, held: 80n })
    const settled = await hold.settle({ microcredits: 30n, state: 'completed', statusCode: 200 })
    expect(settled).toEqual({ chargedMicrocredits: 30n, lossMicrocredits: 0n })
    await ledger[Symbol.asyncDispose]()
  })
})

test('a process that stops gives such a hold back before it goes', async () => {
  await inTime(async (timeline) => {
    const { ledger, database, arrive } = await openLateLedger(timeline)
    await expect(ledger.hold(ask(100n))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    database.model.grant(account, 'a grant', 1_000n)
    arrive()
    await ledger[Symbol.asyncDispose]()
    expect(database.model.balances.get(account)).toEqual({ balance: 1_000n, held: 0n })
    expect(database.model.holds.size).toBe(0)
  })
})

test('what is settled in the moment in which the ledger closes is in the books', async () => {
  await inTime(async (timeline) => {
    const { ledger, database, arrive } = await openLateLedger(timeline)
    database.model.grant(account, 'a grant', 1_000n)
    const hold = await ledger.hold(ask(100n))
    arrive()
    const closing = ledger[Symbol.asyncDispose]()
    await Promise.resolve()
    const settled = await hold.settle({ microcredits: 30n, state: 'completed', statusCode: 200 })
    expect(settled.chargedMicrocredits).toBe(30n)
    await closing
    expect(database.model.balances.get(account)).toEqual({ balance: 970n, held: 0n })
  })
})
