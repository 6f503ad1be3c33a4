import { expect, test } from 'vitest'
import { openSite } from '../crash/site.ts'
import { until } from '../harness/until.ts'
import { answer } from '../harness/upstream.ts'

test('50 parallel calls with one idempotency key at two processes: one upstream call, one charge, identical bytes for every repeat', async () => {
  await using site = await openSite()
  const servers = await Promise.all([site.start(), site.start()])
  const person = await site.person()
  const clients = servers.map((server) => site.client(server, person))
  const released = Promise.withResolvers<void>()
  site.upstream.reply(() => released.promise.then(() => answer('سلام، this is the one answer')))
  const body = { messages: [{ role: 'user', content: 'hello' }] }
  const send = (index: number) =>
    site.post(clients[index % 2]!, '/v1/chat/completions', body, { 'idempotency-key': 'order-1' })

  let refused = 0
  const parallel = Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const reply = await send(index)
      if (reply.status === 409) refused++
      return reply
    }),
  )
  await until(() => refused === 49)
  released.resolve()
  const replies = await parallel

  const [winner, ...more] = replies.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  for (const reply of replies.filter((one) => one !== winner)) {
    expect(reply.body.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
    expect(reply.headers.get('x-should-retry')).toBe('false')
    expect(reply.body.error.receipt_id).toBe(winner!.headers.get('x-request-id'))
  }

  for (const repeat of await Promise.all(Array.from({ length: 50 }, (_, index) => send(index)))) {
    expect(repeat.status).toBe(200)
    expect(repeat.text).toBe(winner!.text)
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(repeat.headers.get('x-request-id')).toBe(winner!.headers.get('x-request-id'))
    expect(repeat.headers.get('request-id')).toBe(winner!.headers.get('x-request-id'))
    expect(repeat.headers.get('content-type')).toBe(winner!.headers.get('content-type'))
  }
  expect(winner!.headers.get('idempotent-replayed')).toBeNull()
  expect(site.upstream.calls).toHaveLength(1)
  await site.healed()
  const charges = await site.db.query(
    {
      text: `select amount from ledger.entries where account_id = $1 and reason = 'charge' and book = 'credits'`,
    },
    [person.account],
  )
  expect(charges).toHaveLength(1)
  expect(await site.receipts(person)).toHaveLength(1)
})
