import { expect, test } from 'vitest'
import { openSite } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { path } from '../../work/work-world.ts'

/** Each word is a step. */
const input = 'first-step second-step third-step'

test('50 parallel requests for work with one idempotency key at two processes: one run, one hold, identical bytes for all', async () => {
  await using site = await openSite()
  const entry = 'tests/harness/work-main.ts'
  const servers = await Promise.all([site.start(undefined, {}, entry), site.start(undefined, {}, entry)])
  const person = await site.person()
  const clients = servers.map((server) => site.client(server, person))
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      site.post(clients[index % 2]!, path, { kind: 'data', input }, { 'idempotency-key': 'order-1' }),
    ),
  )
  const [first] = replies
  for (const reply of replies) {
    expect(reply.status, reply.text).toBe(202)
    expect(idOf(reply.text)).toBe(idOf(first!.text))
  }
  expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  const { id } = first!.body
  await until(async () => (await clients[0]!.get(`${path}/${id}`)).body.status === 'succeeded')
  await site.healed()
  expect((await clients[0]!.get(path)).body.data).toHaveLength(1)
  expect(await site.receipts(person)).toHaveLength(1)
  expect(site.upstream.calls).toHaveLength(input.split(' ').length)
})

/** Each server names itself in the addresses; a repeat gets those of the first answer. */
const idOf = (text: string): string => JSON.parse(text).id
