import { expect, test } from 'vitest'
import { uuidv7 } from '#platform/ids'
import { holdInTx } from '#platform/ledger'
import { extendElsewhere } from '../harness/extender.ts'
import { until } from '../harness/until.ts'
import { openSite } from './site.ts'

test('killed before and after the commit of a step that extends a hold, whoever takes the work over asks for every step again, and each counts once', async () => {
  await using site = await openSite()
  const person = await site.person({ credits: 1_000n })
  const receiptId = uuidv7()
  const payer = { accountId: person.account, projectId: person.project, keyId: person.keyId }
  const accepted = { statusCode: 202, reply: '{}' }
  const hold = { payer, receiptId, endpoint: '/v1/test', microcredits: 10n, accepted }
  await site.db.tx((tx) => holdInTx(tx, hold, new Date()))
  const steps = [100, 101, 102, 103].map((microcredits, at) => ({
    receiptId,
    step: `step-${at}`,
    microcredits,
  }))
  const job = { databaseUrl: site.databaseUrl, accountId: person.account, steps, parallel: false }
  const expectHeld = async (held: bigint): Promise<void> => {
    // The server notices a while later that its client is gone, and undoes what was under way.
    await until(async () => {
      const open = `select from pg_stat_activity where datname = current_database() and query like '%ledger.extend_in%' and state <> 'idle' and pid <> pg_backend_pid()`
      return (await site.db.query({ text: open }, [])).length === 0
    })
    expect(await site.balances(person)).toEqual({ balance: 1_000n, held })
    expect(await site.db.query({ text: 'select * from ledger.violations' }, [])).toEqual([])
  }

  const lock = await site.lock(person)
  const waits = until(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and query like '%ledger.extend_in%' and wait_event_type = 'Lock'`
    return (await site.db.query({ text: waiting }, [])).length > 0
  })
  expect(await extendElsewhere(job, { when: waits })).toEqual([])
  await lock[Symbol.asyncDispose]()
  await expectHeld(10n)

  await extendElsewhere({ ...job, cutAt: 'step-1' }, { at: 'step-1 asked' })
  await expectHeld(110n)
  await extendElsewhere({ ...job, cutAt: 'step-3' }, { at: 'step-2 held' })
  await expectHeld(313n)
  await extendElsewhere(job)
  await expectHeld(416n)
})
