import { expect, test } from 'vitest'
import { openSite } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { answer, type Script } from '../../harness/upstream.ts'

test('a process that was taken for dead and lives: what was charged at the hold is mended to the true cost, its answer arrives', async () => {
  // By the real clock: what is shown is that a lease ends by itself.
  await using site = await openSite({ leaseMs: 1_500 })
  const [server, twin] = await Promise.all([site.start(), site.start()])
  const person = await site.person()
  const { balance: before } = await site.balances(person)
  const released = Promise.withResolvers<Script>()
  site.upstream.reply(() => released.promise)
  const client = site.client(server, person)
  const call = client.chat({ max_tokens: 100 }, { 'idempotency-key': 'order-1', 'x-customer-id': 'customer' })
  await site.upstream.call(0)

  server.child.kill('SIGSTOP')
  await until(async () => (await site.receipts(person))[0]?.ambiguous)
  const [swept] = await site.receipts(person)
  expect(swept).toMatchObject({ state: 'failed', charged: swept!.held })
  const atTwin = site.client(twin, person)
  const early = await atTwin.chat({ max_tokens: 100 }, { 'idempotency-key': 'order-1' })
  expect(early.body.error).toMatchObject({ code: 'REQUEST_ALREADY_ACCEPTED', receipt_id: swept!.receipt_id })

  released.resolve(answer())
  server.child.kill('SIGCONT')
  const reply = await call
  expect(reply.status).toBe(200)
  const [mended] = await site.receipts(person)
  expect(mended).toMatchObject({ state: 'completed', ambiguous: false, status_code: 200, charged: 27_000n })
  expect(await site.balances(person)).toEqual({ balance: before - 27_000n, held: 0n })
  const usage = await atTwin.get('/v1/usage')
  expect(usage.body.data).toHaveLength(1)
  expect(usage.body.data[0]).toMatchObject({
    requests: 1,
    failures: 0,
    microcredits: '27000',
    tokens: { input: 1, output: 13 },
  })
  expect(site.upstream.calls).toHaveLength(1)
  await site.healed()
})
