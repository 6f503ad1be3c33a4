/**
 * Calls at the ends of days, weeks and months of many zones, and the proof that every report of them has the same sums. What is expected is added up here,
 * call by call, from what was generated and from the receipts, without a statement of the server.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { openSessionKey } from '#platform/auth'
import type { Client } from '../harness/client.ts'
import { openLedgerAlone } from '../harness/ledger.ts'
import { randomFrom } from '../harness/random.ts'
import { type Member, newMember } from '../harness/session.ts'
import { MovableClock, silent, type World } from '../harness/world.ts'

/** A generated call that has ended. */
interface Call {
  at: number
  project: string
  key: string
  person: string
  model: string
  endpoint: string
  customer: string
  isFailed: boolean
  microcredits: bigint
  input: number
  seconds: number
}

const zones = [
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/New_York',
  'UTC',
  'Pacific/Chatham',
  'Asia/Beirut',
  'America/Havana',
]

/** Instants around midnights: leap days and last days of both calendars, and days on which clocks are changed. */
const midnights = [
  '2021-03-21T20:30:00Z', // the clocks of Tehran go forward
  '2021-09-21T19:30:00Z', // and back
  '2024-03-19T20:30:00Z',
  '2025-03-19T20:30:00Z', // 30 Esfand 1403
  '2025-03-20T20:30:00Z', // 1 Farvardin 1404
  '2026-04-04T13:00:00Z', // Lord Howe: half an hour back on the 5th
  '2026-04-04T15:00:00Z',
  '2026-04-05T13:30:00Z',
  '2026-10-03T15:30:00Z',
  '2026-10-31T18:15:00Z', // 1 November in Kathmandu
  '2026-11-01T04:00:00Z', // Havana has two midnights
  '2026-11-01T05:00:00Z',
  '2026-03-28T22:00:00Z', // Beirut has none
  '2026-11-21T20:30:00Z', // 1 Azar 1405
  '2026-11-27T20:30:00Z', // a Saturday in Tehran
  '2026-12-31T00:00:00Z',
  '2026-12-31T20:30:00Z',
  '2027-01-01T00:00:00Z',
  '2028-02-29T00:00:00Z',
  '2028-03-01T05:00:00Z',
  '2030-03-19T20:30:00Z', // 30 Esfand 1408
  '2030-03-20T20:30:00Z', // 1 Farvardin 1409
].map((text) => Date.parse(text))
const offsetsMs = [-86_400_000, -900_000, -900_001, -1, 0, 1, 899_999, 900_000, 1_800_000, 40_000_000]

export const range = { from: '2021-01-01', to: '2030-12-31' }

/** The clock of these calls is years away, so that this process must end no holds of others. */
const timing = { processLeaseMs: 36_000_000, heartbeatMs: 3_600_000, sweepMs: 36_000_000 }

interface Shop {
  world: World
  owner: Member
  calls: Call[]
}

/** Makes about so many calls with the ledger itself, whose clock goes from instant to instant; some fail, some cost nothing, some have no model. */
export async function makeCalls(world: World, many: number, seed: number): Promise<Shop> {
  const random = randomFrom(seed)
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)]!
  const owner = await newMember(world, 'owner')
  const payers = await payersOf(world, owner)
  const clock = new MovableClock(0)
  const { db } = world.app
  await using ledger = await openLedgerAlone({ db, clock, log: silent, thresholdsPercent: [], timing })
  // Two add a part of what was counted to the quarter hours while calls end, as the jobs of two processes may; the rest stays pending.
  const foldSome = () => db.query({ text: 'select ledger.fold_usage(20)' }, [])
  const instants = midnights.flatMap((at) => offsetsMs.map((offset) => at + offset)).sort((a, b) => a - b)
  const calls: Call[] = []
  const atOnce = Math.ceil(many / instants.length)
  for (const at of instants) {
    clock.moveMs(at - clock.nowMs())
    const made = Array.from({ length: atOnce }, () => callOf(at, pick, random, pick(payers)))
    const settle = async (call: Call, index: number): Promise<void> => {
      const hold = await ledger.hold({
        payer: { accountId: world.account, projectId: call.project, keyId: call.key },
        receiptId: randomUUID(),
        endpoint: call.endpoint,
        microcredits: 1_000_000n,
        model: call.model || undefined!,
        customerId: call.customer || undefined,
        referenceId: index % 3 === 0 ? `reference-${index % 7}` : undefined,
        started: true,
        lifetimeMs: 60_000,
      })
      await hold.settle({
        microcredits: call.microcredits,
        state: call.isFailed ? 'failed' : 'completed',
        statusCode: call.isFailed ? 502 : 200,
        tokens: { input: call.input, cachedInput: 1, output: 2, reasoning: 0 },
        ...(call.seconds > 0 && { quantities: { seconds: call.seconds } }),
        detail: {
          charge: call.microcredits > 0n ? [{ lines: [['uses', 1, String(call.microcredits)]] }] : [],
        },
      })
    }
    for (let from = 0; from < made.length; from += 50)
      await Promise.all([...made.slice(from, from + 50).map(settle), foldSome(), foldSome()])
    calls.push(...made)
  }
  return { world, owner, calls }
}

function callOf(
  at: number,
  pick: <Value>(list: readonly Value[]) => Value,
  random: () => number,
  payer: { project: string; key: string; person: string },
): Call {
  return {
    ...payer,
    at,
    model: pick(['vendor/one', 'vendor/two', 'مدل/سه', '']),
    endpoint: pick(['/v1/chat/completions', '/v1/responses']),
    customer: pick(['', '1234567890123456789', 'کتابخانه', '=1+1']),
    isFailed: random() < 0.2,
    microcredits: random() < 0.1 ? 0n : BigInt(Math.floor(random() * 999_999)),
    input: Math.floor(random() * 1_000),
    seconds: random() < 0.2 ? 1 + Math.floor(random() * 60) : 0,
  }
}

/** Keys of two projects, and the key by which the owner pays in a session. */
async function payersOf(world: World, owner: Member) {
  const now = new Date(world.app.clock.nowMs())
  const first = await world.key()
  const { body } = await owner.post('/v1/projects', { name: 'two' })
  owner.project = body.id
  const second = await owner.post('/v1/keys', { name: 'of two', scopes: ['usage:read'] })
  owner.project = world.project
  const paying = await world.app.db.tx((tx) =>
    openSessionKey(tx, world.account, world.project, owner.personId, now),
  )
  return [
    { project: world.project, key: first.keyId, person: '' },
    { project: body.id as string, key: second.body.id as string, person: '' },
    { project: world.project, key: paying, person: owner.personId },
  ]
}

interface Sums {
  requests: number
  failures: number
  microcredits: bigint
  input: number
  seconds: number
}

const nothing = (): Sums => ({ requests: 0, failures: 0, microcredits: 0n, input: 0, seconds: 0 })

function add(sums: Sums, call: Call): void {
  sums.requests++
  sums.failures += call.isFailed ? 1 : 0
  sums.microcredits += call.microcredits
  sums.input += call.input
  sums.seconds += call.seconds
}

// biome-ignore lint/suspicious/noExplicitAny: a row of an answer.
const sumsOf = (row: any): Sums => ({
  requests: row.requests,
  failures: row.failures,
  microcredits: BigInt(row.microcredits),
  input: row.tokens.input,
  seconds: row.quantities?.seconds ?? 0,
})

const groupOf: Record<string, (call: Call) => string> = {
  project: (call) => call.project,
  model: (call) => call.model,
  endpoint: (call) => call.endpoint,
  key: (call) => call.key,
  person: (call) => call.person,
  customer: (call) => call.customer,
}

// biome-ignore lint/suspicious/noExplicitAny: a row of an answer.
const groupInRow: Record<string, (row: any) => string> = {
  project: (row) => row.project_id,
  model: (row) => row.model ?? '',
  endpoint: (row) => row.endpoint,
  key: (row) => row.key_id,
  person: (row) => row.person?.id ?? '',
  customer: (row) => row.customer_id ?? '',
}

/** The name of the period of a call: from the clocks and calendars of the zone, asked for this one instant. */
function namerOf(zone: string, interval: string, calendar: string): (at: number) => string {
  const locale = `en-u-ca-${interval === 'month' && calendar === 'jalali' ? 'persian' : 'gregory'}`
  const day = interval === 'month' ? {} : { day: 'numeric' as const }
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    ...day,
  })
  const weekday = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' })
  const days = ['Sat', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri']
  const known = new Map<number, string>()
  const nameOf = (at: number): string => {
    if (interval === 'total') return ''
    if (interval !== 'week') return format.format(at)
    // Noon of the same day is one on which no clock is changed; so many days before is the Saturday.
    const [month, ofMonth, year] = format.format(at).split('/').map(Number)
    const since = days.indexOf(weekday.format(at))
    return new Date(Date.UTC(year!, month! - 1, ofMonth! - since)).toISOString().slice(0, 10)
  }
  return (at) => {
    if (!known.has(at)) known.set(at, nameOf(at))
    return known.get(at)!
  }
}

/** The name of the period of a row, from the day with which it begins. */
function rowNamerOf(interval: string, calendar: string): (from: string) => string {
  const name = namerOf('UTC', interval, calendar)
  return (from) => name(Date.parse(`${from}T12:00:00Z`))
}

/** All rows of a report of usage, a page at a time, and its totals. */
async function readAll(who: Client, query: string) {
  // biome-ignore lint/suspicious/noExplicitAny: rows of an answer.
  const rows: any[] = []
  for (let after = ''; ; ) {
    const { status, body, text } = await who.get(`/v1/account/usage?${query}${after}`)
    expect(status, text).toBe(200)
    rows.push(...body.data)
    if (!body.has_more) return { totals: body.totals, rows }
    after = `&after=${body.next_after}`
  }
}

/** Compares the usage of one zone, interval and grouping with the calls. */
async function expectUsage(
  { owner, calls }: Shop,
  [zone, interval, calendar, groups]: readonly [string, string, string, string],
): Promise<void> {
  const by = groups.split(',').filter((name) => name !== '')
  const name = namerOf(zone, interval, calendar)
  const expected = new Map<string, Sums>()
  const total = nothing()
  for (const call of calls) {
    const place = [name(call.at), ...by.map((one) => groupOf[one]!(call))].join(' | ')
    const sums = expected.get(place) ?? nothing()
    add(sums, call)
    add(total, call)
    expected.set(place, sums)
  }
  const query = `from=${range.from}&to=${range.to}&time_zone=${zone}&interval=${interval}&calendar=${calendar}&limit=400`
  const { totals, rows } = await readAll(owner, groups === '' ? query : `${query}&group_by=${groups}`)
  const rowName = rowNamerOf(interval, calendar)
  const found = new Map(
    rows.map((row) => [
      [rowName(row.from), ...by.map((one) => groupInRow[one]!(row))].join(' | '),
      sumsOf(row),
    ]),
  )
  const what = [zone, interval, calendar, groups]
  expect([...what, rows.length]).toEqual([...what, expected.size])
  expect([...what, sumsOf(totals)]).toEqual([...what, total])
  expect([...what, found]).toEqual([...what, expected])
}

/** Every zone by every interval, each with another grouping. */
export async function expectSameSums(shop: Shop): Promise<void> {
  const groupings = ['', 'key', 'model,customer', 'project,endpoint', 'person', 'customer,key']
  let turn = 0
  for (const zone of zones)
    for (const [interval, calendar] of [
      ['day', 'jalali'],
      ['week', 'jalali'],
      ['month', 'jalali'],
      ['month', 'gregorian'],
      ['total', 'jalali'],
    ] as const)
      await expectUsage(shop, [zone, interval, calendar, groupings[turn++ % groupings.length]!])
  await expectBooks(shop)
}

/** The same total from the ledger's entries, from the receipts, and from the list of requests. */
async function expectBooks({ world, owner, calls }: Shop): Promise<void> {
  const total = nothing()
  for (const call of calls) add(total, call)
  const ask = (text: string) => world.app.db.query<{ n: bigint; sum: string }>({ text }, [world.account])
  const [entries] = await ask(
    `select 0::bigint as n, -sum(amount) as sum from ledger.entries where account_id = $1 and book = 'credits' and reason in ('charge', 'mend')`,
  )
  const [receipts] = await ask(
    'select count(*) as n, sum(charged) as sum from ledger.receipts where account_id = $1',
  )
  expect(BigInt(entries!.sum)).toBe(total.microcredits)
  expect([Number(receipts!.n), BigInt(receipts!.sum)]).toEqual([total.requests, total.microcredits])
  const listed = nothing()
  for (let after = ''; ; ) {
    const { status, body, text } = await owner.get(`/v1/requests?project_id=all&limit=100${after}`)
    expect(status, text).toBe(200)
    for (const row of body.data) {
      listed.requests++
      listed.failures += row.state === 'failed' ? 1 : 0
      listed.microcredits += BigInt(row.microcredits)
    }
    if (!body.has_more) break
    after = `&after=${body.next_after}`
  }
  const { requests, failures, microcredits } = total
  expect(listed).toMatchObject({ requests, failures, microcredits })
}
