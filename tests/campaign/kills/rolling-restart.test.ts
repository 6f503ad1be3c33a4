/** Two processes on one database are restarted in turn under load, as in an upgrade. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { answer, chunk, done, type Script, stream, type UpstreamCall } from '../../harness/upstream.ts'

const clients = 12
const credits = 1_000_000_000_000n
/** A word of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits. */
const charge = 27_000n
const usage = { prompt_tokens: 1, completion_tokens: 13, total_tokens: 14 }

/** A paid call of one of the clients, which may take several attempts. */
interface Call {
  name: string
  streamed: boolean
  keyed: boolean
}

/** What a client saw of one attempt; only the first two may be tried again. */
type Attempt = 'answered' | 'no connection' | 'not now' | { broken: string }

test('a rolling restart under load: every call is answered whole and paid once, and each failure before is one that may be tried again', {
  timeout: 400_000,
}, async () => {
  await using site = await openSite()
  site.upstream.reply(thinking)
  const person = await site.person({ credits })
  // The second is a parent with two workers: both ways to run are restarted.
  const starts = [() => site.start(), () => site.start(site.databaseUrl, { KHERAD_WORKERS: '2' })]
  const servers = await Promise.all(starts.map((start) => start()))
  const calls: Call[] = []
  const attempts: Attempt[] = []
  const running = { on: true }

  const load = Array.from({ length: clients }, async (_, client) => {
    for (let round = 0; running.on; round++) {
      const call = callOf(client, round)
      calls.push(call)
      attempts.push(...(await askUntilAnswered(site, servers, person, call, client + round)))
    }
  })
  for (const place of [0, 1, 0, 1]) {
    // Long enough under load for both to have their share of it.
    const before = calls.length
    await until(() => calls.length > before + 10 * clients)
    expect(await servers[place]!.stop()).toBe(0)
    servers[place] = await starts[place]!()
  }
  running.on = false
  await Promise.all(load)

  expect(attempts.filter((attempt) => typeof attempt === 'object')).toEqual([])
  expect(attempts.filter((attempt) => attempt === 'answered')).toHaveLength(calls.length)
  // The restarts were felt, or nothing was tested.
  expect(attempts.length).toBeGreaterThan(calls.length)
  await site.healed()
  await expectPaidOnce(site, person, calls)
})

const callOf = (client: number, round: number): Call => ({
  name: `call-${client}-${round}`,
  streamed: (client + round) % 2 === 0,
  keyed: client % 4 < 2,
})

const promptOf = ({ body }: UpstreamCall): string =>
  (body as { messages: [{ content: string }] }).messages[0].content

/** Answers take some time, so that a stop meets them at every point; a few take long. */
async function thinking(call: UpstreamCall): Promise<Script> {
  const [, client = '0', round = '0'] = promptOf(call).split('-')
  const ms = Number(round) % 5 === 0 ? 1_500 : 20 * (1 + (Number(client) % 5))
  if (call.body?.['stream'] !== true) {
    await pause(ms)
    return answer()
  }
  const words = Array.from({ length: 13 }, (_, at) => [chunk({ content: ` w${at}` }), () => pause(ms / 13)])
  return stream([...words.flat(), chunk({}, 'stop'), { ...chunk({}), choices: [], usage }, done])
}

/** As the official clients do it: the next process is asked after a lost connection or a 503. */
async function askUntilAnswered(
  site: Site,
  servers: readonly ServerProcess[],
  person: Person,
  call: Call,
  start: number,
): Promise<Attempt[]> {
  const attempts: Attempt[] = []
  for (let at = start; ; at++) {
    const attempt = await ask(site, servers[at % servers.length]!, person, call)
    attempts.push(attempt)
    if (attempt !== 'no connection' && attempt !== 'not now') return attempts
    if (attempts.length > 100) return [...attempts, { broken: `${call.name} is never answered` }]
    await pause(25)
  }
}

async function ask(site: Site, server: ServerProcess, person: Person, call: Call): Promise<Attempt> {
  const { name, streamed, keyed } = call
  const response = await site
    .client(server, person)
    .raw(
      'POST',
      '/v1/chat/completions',
      JSON.stringify({ stream: streamed, max_tokens: 100, messages: [{ role: 'user', content: name }] }),
      { 'x-reference-id': name, ...(keyed && { 'idempotency-key': name }) },
    )
    .catch(() => undefined)
  if (!response) return 'no connection'
  const text = await response.text().catch((error: Error) => `torn: ${error.message}`)
  if (response.status === 503 && Number(response.headers.get('retry-after')) > 0) return 'not now'
  const whole = streamed
    ? text.endsWith('data: [DONE]\n\n') && text.includes(' w12') && !text.includes('"error"')
    : text.includes('runs home .')
  return response.status === 200 && whole ? 'answered' : { broken: `${name}: ${response.status} ${text}` }
}

/** The upstream saw every call once, and each has one receipt, charged with what it cost. */
async function expectPaidOnce(site: Site, person: Person, calls: Call[]): Promise<void> {
  const names = calls.map(({ name }) => name).sort()
  expect(site.upstream.calls.map(promptOf).sort()).toEqual(names)
  const receipts = await site.db.query<{
    reference_id: string
    idempotency_key: string | null
    state: string
    charged: bigint
  }>(
    {
      text: `select reference_id, idempotency_key, state, charged from ledger.receipts where account_id = $1`,
    },
    [person.account],
  )
  const byName = (one: { reference_id: string }, other: { reference_id: string }): number =>
    one.reference_id < other.reference_id ? -1 : 1
  expect(receipts.sort(byName)).toEqual(
    calls
      .map(({ name, keyed }) => ({
        reference_id: name,
        idempotency_key: keyed ? name : null,
        state: 'completed',
        charged: charge,
      }))
      .sort(byName),
  )
  expect(await site.balances(person)).toEqual({ balance: credits - charge * BigInt(calls.length), held: 0n })
}
