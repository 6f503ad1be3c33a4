/** Found by the simulator: a process that starts after an outage has not seen it, and finds no recent heartbeats. */
import { expect, test } from 'vitest'
import { account, askFor, broken, inTime, openBooks, owner } from './in-time.ts'

test('a process that starts when the database is back gives the others the time for a heartbeat before it treats them as dead', async () => {
  await inTime(async (timeline) => {
    const { database, open } = openBooks(timeline)
    database.model.grant(account, 'a grant', 1_000n)
    let away = false
    let lostBeats = 0
    const elder = await open((text) => {
      if (away || (text.includes('ledger.processes') && lostBeats-- > 0)) throw broken()
    })
    const hold = await elder.hold(askFor(100n))
    away = true
    await timeline.pause(25_500, owner)
    away = false
    // The first beat after the outage is lost too; the second comes in time.
    lostBeats = 1
    const young = await open(() => {})
    await timeline.pause(60_000, owner)

    expect(await young.balance(account)).toEqual({ balance: 1_000n, held: 100n })
    const settled = await hold.settle({ microcredits: 30n, state: 'completed', statusCode: 200 })
    expect(settled).toEqual({ chargedMicrocredits: 30n, lossMicrocredits: 0n })
    await elder[Symbol.asyncDispose]()
    await young[Symbol.asyncDispose]()
  })
})
