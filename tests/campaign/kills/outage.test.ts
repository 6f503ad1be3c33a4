/**
 * A long database outage: longer than any lease and any client's timeout. Either its connections break, or they stay open and lose all
 * data, as behind a firewall that forgot them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import { readUntil } from '../../harness/read-until.ts'
import { until } from '../../harness/until.ts'
import { answer, chunk, done, type Script, stream } from '../../harness/upstream.ts'

const outageMs = 20_000
/** Shorter than the outage, and long enough that nobody is taken for dead by the first who is back. */
const leaseMs = 10_000
/** A connection that hears nothing is given up after 35 s. */
const recoveryMs = 60_000
const credits = 1_000_000_000n
/** A word of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits. */
const charge = 27_000n
const usage = { prompt_tokens: 1, completion_tokens: 13, total_tokens: 14 }
const body = { max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }

test.concurrent.for(['away', 'swallow'] as const)(
  'a database gone for 20 seconds (%s): new calls get 503, open answers end, the same processes serve again, all is paid once',
  {
    timeout: 400_000,
  },
  async (way) => {
    await using site = await openSite({ leaseMs })
    await using proxy = await DatabaseProxy.open(site.databaseUrl)
    const servers = [await site.start(proxy.url), await site.start(proxy.url)]
    const person = await site.person({ credits })
    const clients = servers.map((server) => site.client(server, person))
    const middle = Promise.withResolvers<void>()
    site.upstream.reply(async (call): Promise<Script> => {
      const first = chunk({ content: 'first' })
      const rest = [
        chunk({ content: ' last' }),
        chunk({}, 'stop'),
        { ...chunk({}), choices: [], usage },
        done,
      ]
      if (call.body?.['stream'] === true) return stream([first, middle.promise, ...rest])
      await middle.promise
      return answer()
    })
    // Streams of which the callers have read the beginning, and calls whose answer is not there yet.
    const streams = await Promise.all(clients.flatMap((client) => [begin(client), begin(client, 'stream')]))
    const whole = clients.map((client) => client.chat(body))
    const claimed = clients.map((client, at) => client.chat(body, { 'idempotency-key': `whole-${at}` }))
    await until(() => site.upstream.calls.length === 8)

    proxy[way]()
    const over = pause(outageMs)
    // As many as the pool has connections, so that whatever else needs one waits behind them.
    const reports = clients.flatMap((client) => Array.from({ length: 10 }, () => client.get('/v1/usage')))
    const refused = await refusals(clients, 'early')
    middle.resolve()
    const texts = await Promise.all(streams.map((rest) => rest()))
    for (const text of texts) expect(text).toMatch(/ last[\s\S]*data: \[DONE\]\n\n$/)
    const answered = await Promise.all(whole)
    refused.push(...(await refusals(clients, 'late')))
    await over
    refused.push(...(await refusals(clients, 'last')))
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    proxy.back()

    answered.push(...(await Promise.all(claimed)))
    for (const [at, client] of clients.entries()) {
      // What was refused is not claimed: its key works, and on the process that had refused it.
      for (const when of ['early', 'late', 'last']) {
        const seen: number[] = []
        await until(async () => {
          const reply = await client.chat(body, { 'idempotency-key': `${when}-${at}` })
          seen.push(reply.status)
          if (reply.status === 200) answered.push(reply)
          return reply.status === 200
        }, recoveryMs)
        expect(seen.filter((status) => status !== 200 && status !== 503)).toEqual([])
      }
      expect((await client.get('/health/ready')).status).toBe(200)
    }
    for (const { status } of await Promise.all(reports)) expect(status).toBe(503)
    expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 200))
    expect(servers.map(({ child }) => child.exitCode)).toEqual([null, null])

    await site.healed()
    const paid = BigInt(texts.length + answered.length)
    expect(site.upstream.calls).toHaveLength(Number(paid))
    const completed = (await site.receipts(person)).filter(({ charged }) => charged > 0n)
    expect(completed.map(({ state, ambiguous, charged }) => [state, ambiguous, charged])).toEqual(
      Array.from({ length: Number(paid) }, () => ['completed', false, charge]),
    )
    expect(await site.balances(person)).toEqual({ balance: credits - charge * paid, held: 0n })
    // Nobody took a process that lived for dead.
    expect(await site.db.query({ text: `select from ledger.entries where reason = 'mend'` }, [])).toEqual([])
  },
)

/** Opens a stream and reads its first words; answers the way to read the rest. */
async function begin(client: Client, key?: string): Promise<() => Promise<string>> {
  const response = await client.raw(
    'POST',
    '/v1/chat/completions',
    JSON.stringify({ ...body, stream: true }),
    key === undefined ? {} : { 'idempotency-key': `${key}-${client.url}` },
  )
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = await readUntil(reader, 'first')
  return async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    return text
  }
}

/** New calls, with a key and without, and a balancer's question. */
async function refusals(clients: Client[], when: string) {
  const asked = clients.map((client, at) => [
    client.chat(body, { 'idempotency-key': `${when}-${at}` }),
    client.chat(body),
    client.get('/health/ready'),
  ])
  return Promise.all(asked.flat())
}
