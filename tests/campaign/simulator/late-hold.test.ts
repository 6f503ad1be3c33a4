/** Found by the simulator: a statement whose connection broke is executed after its retry. */
import { expect, test } from 'vitest'
import type { Timeline } from '../../simulation/timeline.ts'
import { account, askFor, broken, inTime, openBooks, owner } from './in-time.ts'

/** A ledger whose first hold is lost on the way and carried out only when `arrive` is called. */
async function openLateLedger(timeline: Timeline) {
  const { database, open } = openBooks(timeline)
  let late: (() => void) | undefined
  const ledger = await open((text, values) => {
    if (!text.includes('ledger.commit') || late) return
    late = () => void database.execute(text, values)
    throw broken()
  })
  return { ledger, database, arrive: () => late!() }
}

test('a hold that was refused and is taken after all, by a statement that was thought lost, is given back', async () => {
  await inTime(async (timeline) => {
    const { ledger, database, arrive } = await openLateLedger(timeline)
    await expect(ledger.hold(askFor(100n))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
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
    await expect(ledger.hold(askFor(100n))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    database.model.grant(account, 'a grant', 80n)
    const hold = await ledger.hold(askFor(80n))
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
    await expect(ledger.hold(askFor(100n))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    database.model.grant(account, 'a grant', 1_000n)
    arrive()
    await ledger[Symbol.asyncDispose]()
    expect(database.model.balances.get(account)).toEqual({ balance: 1_000n, held: 0n })
    expect(database.model.holds.size).toBe(0)
  })
})

test('what is settled in the moment in which the ledger closes is in the ledger', async () => {
  await inTime(async (timeline) => {
    const { ledger, database, arrive } = await openLateLedger(timeline)
    database.model.grant(account, 'a grant', 1_000n)
    const hold = await ledger.hold(askFor(100n))
    arrive()
    const closing = ledger[Symbol.asyncDispose]()
    await Promise.resolve()
    const settled = await hold.settle({ microcredits: 30n, state: 'completed', statusCode: 200 })
    expect(settled.chargedMicrocredits).toBe(30n)
    await closing
    expect(database.model.balances.get(account)).toEqual({ balance: 970n, held: 0n })
  })
})

test('a hold that is still being asked for when the ledger closes is settled: its caller hears of it first', async () => {
  await inTime(async (timeline) => {
    const { database, open } = openBooks(timeline)
    database.model.grant(account, 'a grant', 1_000n)
    const ledger = await open(async (text) => {
      if (text.includes('ledger.commit')) await timeline.pause(2_000, owner)
    })
    const cut = ledger.hold({ ...askFor(100n), freeIfLost: true }).then(async (hold) => {
      // Room for its result is given back first, as a call that makes files does.
      await timeline.pause(5, owner)
      return hold.settle({ microcredits: 0n, state: 'failed', statusCode: 499 })
    })
    await timeline.pause(100, owner)
    const closing = ledger[Symbol.asyncDispose]()
    await expect(ledger.hold({ ...askFor(1n), receiptId: 'another' })).rejects.toThrow('SERVICE_UNAVAILABLE')
    expect(await cut).toEqual({ chargedMicrocredits: 0n, lossMicrocredits: 0n })
    await closing
    expect(database.model.balances.get(account)).toEqual({ balance: 1_000n, held: 0n })
    expect(database.model.holds.size).toBe(0)
  })
})
