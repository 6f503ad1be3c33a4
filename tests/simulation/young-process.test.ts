/** Found by the simulator: a process that starts after an outage has not seen it, and finds nobody who has beaten of late. */
import { expect, test } from 'vitest'
import { type Ledger, openLedger } from '#platform/ledger'
import { SimulatedDatabase } from './database.ts'
import { databaseFace } from './face.ts'
import { inTime, owner } from './in-time.ts'
import { idOf } from './people.ts'

const account = idOf('account', 1)
const payer = { accountId: account, projectId: idOf('project', 1), keyId: idOf('key', 1) }
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }

test('a process that starts when the database is back gives the others the time to beat before it takes them for dead', async () => {
  await inTime(async (timeline) => {
    const nowMs = (): number => timeline.startMs + timeline.nowMs
    const database = new SimulatedDatabase(nowMs)
    database.model.openMeter(account, 'account')
    database.model.openMeter(payer.projectId, 'project')
    database.model.openMeter(payer.keyId, 'key')
    database.model.grant(account, 'a grant', 1_000n)
    /** A ledger of a process of its own, that reaches the database unless `isCut` says otherwise of a statement. */
    const open = (isCut: (text: string) => boolean): Promise<Ledger> => {
      const db = databaseFace(async (_name, text, values) => {
        if (isCut(text)) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
        return database.execute(text, values)
      })
      return openLedger({ db, clock: { nowMs }, log: quiet, timing, thresholdsPercent: [] })
    }

    let away = false
    let lostBeats = 0
    const elder = await open((text) => away || (text.includes('ledger.processes') && lostBeats-- > 0))
    const hold = await elder.hold({
      payer,
      receiptId: idOf('request', 1),
      endpoint: '/test',
      microcredits: 100n,
      started: true,
      lifetimeMs: 600_000,
    })
    away = true
    await timeline.pause(25_500, owner)
    away = false
    // The first beat after the outage is lost too; the second comes in time.
    lostBeats = 1
    const young = await open(() => false)
    await timeline.pause(60_000, owner)

    expect(await young.balance(account)).toEqual({ balance: 1_000n, held: 100n })
    const settled = await hold.settle({ microcredits: 30n, state: 'completed', statusCode: 200 })
    expect(settled).toEqual({ chargedMicrocredits: 30n, lossMicrocredits: 0n })
    await elder[Symbol.asyncDispose]()
    await young[Symbol.asyncDispose]()
  })
})
