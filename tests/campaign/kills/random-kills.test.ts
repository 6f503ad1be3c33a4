/**
 * kill -9 at random moments under load: what docs/decisions/platform/holds.md and docs/decisions/platform/ledger-writes.md promise, call by call.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSite, type Person, type Site } from '../../crash/site.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { randomFrom } from '../../harness/random.ts'
import { testSeed } from '../../harness/seed.ts'
import { answer, chunk, done, type Script, stream, type UpstreamCall } from '../../harness/upstream.ts'

console.log(`seed of the random kills: ${testSeed} (KHERAD_TEST_SEED repeats its moments)`)

const clients = 16
const kills = 6
const credits = 1_000_000_000_000n
/** A word of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits. */
const price = 27_000n
const usage = { prompt_tokens: 1, completion_tokens: 13, total_tokens: 14 }

interface Call {
  name: string
  streamed: boolean
  keyed: boolean
  /** What its client saw; `answered` is a whole answer. */
  saw: 'answered' | 'broken' | 'not now'
  /** Told in the header of an answer that is not streamed. */
  microcredits: string | null
}

interface Row {
  receipt_id: string
  reference_id: string
  state: string
  ambiguous: boolean
  held: bigint
  charged: bigint
}

test('processes are killed at random moments under load: every call is free, charged as it was told, or charged at its hold and said to be ambiguous', {
  timeout: 400_000,
}, async () => {
  await using site = await openSite()
  site.upstream.reply(thinking)
  const person = await site.person({ credits })
  const servers = await Promise.all([site.start(), site.start()])
  const calls: Call[] = []
  const running = { on: true }
  const load = Array.from({ length: clients }, async (_, client) => {
    for (let round = 0; running.on; round++) {
      const server = servers[(client + round) % servers.length]!
      const call = await ask(site, server, person, `call-${client}-${round}`, client, round)
      calls.push(call)
      if (call.saw !== 'answered') await pause(100)
    }
  })
  const random = randomFrom(testSeed)
  for (let kill = 0; kill < kills; kill++) {
    await pause(200 + 800 * random())
    await servers[kill % 2]!.kill()
    servers[kill % 2] = await site.successor()
  }
  running.on = false
  await Promise.all(load)
  await site.healed()

  const rows = await receiptsByName(site, person)
  const asked = namesAsked(site)
  for (const call of calls) expectPromised(call, rows.get(call.name) ?? [], asked.get(call.name) ?? 0)
  const all = [...rows.values()].flat()
  expect(await site.balances(person)).toEqual({
    balance: credits - all.reduce((sum, { charged }) => sum + charged, 0n),
    held: 0n,
  })
  // The kills met calls, and most calls met none; or nothing was tested.
  expect(all.filter(({ ambiguous }) => ambiguous).length).toBeGreaterThan(0)
  expect(calls.filter(({ saw }) => saw === 'answered').length).toBeGreaterThan(calls.length / 4)
  await expectRepeats(site, servers[0]!, person, calls, rows)
})

/** What is promised of one call, whatever became of its process. */
function expectPromised(
  { name, keyed, saw, streamed, microcredits }: Call,
  rows: Row[],
  asked: number,
): void {
  expect(asked, `${name} is asked once`).toBeLessThanOrEqual(1)
  expect(rows.length, `${name} has one receipt at most`).toBeLessThanOrEqual(1)
  const [row] = rows
  if (!row) {
    expect(saw, `${name} was answered without a receipt`).not.toBe('answered')
    expect(asked, `${name} was sent upstream without a hold`).toBe(0)
    return
  }
  if (row.ambiguous) {
    expect(row, name).toMatchObject({ state: 'failed', charged: row.held })
    // Under a key the answer waits for its settlement.
    if (saw === 'answered') expect(keyed && !streamed, `${name} was answered under a key`).toBe(false)
  } else if (row.state === 'completed') {
    expect(row.charged, name).toBe(price)
    expect(asked, name).toBe(1)
  } else expect(row.charged, name).toBe(0n)
  if (saw === 'answered') {
    expect(row.state === 'completed' || row.ambiguous, name).toBe(true)
    if (!streamed) expect(microcredits, name).toBe(String(price))
  }
}

/** A key that its call used up repeats the answer or says so; one whose call had no effect works. */
async function expectRepeats(
  site: Site,
  server: ServerProcess,
  person: Person,
  calls: readonly Call[],
  rows: ReadonlyMap<string, Row[]>,
): Promise<void> {
  const keyed = calls.filter((call) => call.keyed && !call.streamed)
  for (const [index, { name, saw }] of keyed.entries()) {
    const [row] = rows.get(name) ?? []
    // All that broke off, and some of the others.
    if (saw === 'answered' && index % 10 !== 0) continue
    const again = await site.post(site.client(server, person), '/v1/chat/completions', bodyOf(name, false), {
      'idempotency-key': name,
    })
    if (row?.ambiguous) expect(again.body.error, name).toMatchObject({ code: 'REQUEST_ALREADY_ACCEPTED' })
    else {
      expect(again.status, `${name}: ${again.text}`).toBe(200)
      expect(again.headers.get('idempotent-replayed'), name).toBe(row?.state === 'completed' ? 'true' : null)
    }
  }
}

const bodyOf = (name: string, streamed: boolean) => ({
  stream: streamed,
  max_tokens: 100,
  messages: [{ role: 'user', content: name }],
})

async function ask(
  site: Site,
  server: ServerProcess,
  person: Person,
  name: string,
  client: number,
  round: number,
): Promise<Call> {
  const call = { name, streamed: (client + round) % 2 === 0, keyed: client % 4 < 2, microcredits: null }
  const headers = { 'x-reference-id': name, ...(call.keyed && { 'idempotency-key': name }) }
  try {
    const response = await site
      .client(server, person)
      .raw('POST', '/v1/chat/completions', JSON.stringify(bodyOf(name, call.streamed)), headers)
    const text = await response.text()
    if (response.status === 503) return { ...call, saw: 'not now' }
    expect(response.status, `${name}: ${text}`).toBe(200)
    const isWhole = call.streamed ? text.endsWith('data: [DONE]\n\n') : text.includes('runs home .')
    return {
      ...call,
      saw: isWhole ? 'answered' : 'broken',
      microcredits: response.headers.get('x-microcredits'),
    }
  } catch (error) {
    // A lost connection; what was expected of an answer is not.
    if ((error as Error).name === 'AssertionError') throw error
    return { ...call, saw: 'broken' }
  }
}

const nameOf = ({ body }: UpstreamCall): string =>
  (body as { messages: [{ content: string }] }).messages[0].content

function namesAsked(site: Site): Map<string, number> {
  const names = new Map<string, number>()
  for (const call of site.upstream.calls) names.set(nameOf(call), (names.get(nameOf(call)) ?? 0) + 1)
  return names
}

async function receiptsByName(site: Site, person: Person): Promise<Map<string, Row[]>> {
  const rows = await site.db.query<Row>(
    {
      text: `select receipt_id, reference_id, state, ambiguous, held, charged from ledger.receipts where account_id = $1`,
    },
    [person.account],
  )
  return Map.groupBy(rows, ({ reference_id }) => reference_id)
}

/** Answers take some time, so that a kill meets them at every point. */
async function thinking(call: UpstreamCall): Promise<Script> {
  const [, client = '0'] = nameOf(call).split('-')
  const ms = 5 * (1 + (Number(client) % 5))
  if (call.body?.['stream'] !== true) {
    await pause(ms)
    return answer()
  }
  const words = Array.from({ length: 13 }, (_, at) => [chunk({ content: ` w${at}` }), () => pause(ms / 13)])
  return stream([...words.flat(), chunk({}, 'stop'), { ...chunk({}), choices: [], usage }, done])
}
