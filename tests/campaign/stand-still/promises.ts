/** What the product promises of every call, whatever stood still: nothing doubled, nothing lost, every end told, no hold open, books exact. */
import { expect } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { ended as endedBatch, results } from '../../text/batches-world.ts'
import { type Call, contentOf, type Kind, partsOf } from './load.ts'
import { credits, type Person, type Site } from './site.ts'

/** In which everything that was accepted comes to its end once all goes on. */
const settledMs = 60_000
/** A word of the prompt at 1,000 and 13 of the answer at 2,000 micro-credits. */
const priceOfChat = 27_000n
const priceOfPicture = 40_000_000n
const paid = new Set<Kind>(['chat', 'streamed', 'keyed', 'keyed stream', 'picture'])

interface Row {
  receipt_id: string
  reference_id: string | null
  endpoint: string
  state: 'running' | 'completed' | 'failed'
  ambiguous: boolean
  claiming: boolean
  held: bigint
  charged: bigint
  detail: { lost?: unknown } | null
}

export interface Told {
  site: Site
  person: Person
  calls: readonly Call[]
  /** A server that goes on. */
  client: Client
  /** A process stood still for longer than its lease, beside one that went on. */
  isLost?: boolean
}

export async function expectPromises(told: Told): Promise<void> {
  const { site, person, calls } = told
  await settled(site)
  const rows = await receipts(site, person)
  const byName = Map.groupBy(rows, ({ reference_id }) => reference_id ?? '')
  const asked = await site.asked()
  for (const call of calls) {
    expect(call.saw, `${call.name} is told its end in time`).not.toBe('hung')
    expect(call.status, `${call.name} is as it should be: ${call.text}`).not.toBe(400)
    if (!paid.has(call.kind)) continue
    const own = byName.get(call.name) ?? []
    const isLost = told.isLost && call.kind === 'picture' && (await isFree(site, own))
    expectPaid(call, own, asked[call.name] ?? 0, isLost ? 0n : undefined)
  }
  await expectFiles(told)
  await expectDurable(told, asked)
  await expectBooks(told, rows)
}

/** Every hold has ended, nothing waits in the queue, and every webhook was delivered. */
async function settled(site: Site): Promise<void> {
  await until(async () => (await openIn(site)).length === 0, settledMs).catch(() => undefined)
  expect(await openIn(site), 'what is open in the end').toEqual([])
}

const openIn = ({ db }: Site): Promise<{ what: string }[]> =>
  db.query(
    {
      text: `select 'hold ' || r.endpoint as what from ledger.holds h join ledger.receipts r using (account_id, receipt_id)
        union all select 'job ' || name || coalesce(': ' || error, '') from jobs.queue
          where singleton_key is distinct from 'recurring'
        union all select 'webhook' from webhooks.waiting`,
    },
    [],
  )

const receipts = (site: Site, { account }: Person): Promise<Row[]> =>
  site.db.query(
    {
      text: `select receipt_id, reference_id, endpoint, state, ambiguous, claiming, held, charged, detail
        from ledger.receipts where account_id = $1`,
    },
    [account],
  )

/**
 * Whether nothing was charged for it, and the platform bears it: of a picture whose process was taken for dead, also where that process wakes and
 * delivers it after all (docs/decisions/core/stored-results.md).
 */
async function isFree({ db }: Site, rows: readonly Row[]): Promise<boolean> {
  const free = rows.find(
    ({ state, ambiguous, charged }) => charged === 0n && (state === 'completed' || ambiguous),
  )
  if (!free) return false
  const text = `select -sum(amount)::bigint as lost from ledger.entries where receipt_id = $1 and book = 'loss'`
  expect(await db.query({ text }, [free.receipt_id]), free.reference_id!).toEqual([{ lost: priceOfPicture }])
  return true
}

/** One effect at the upstream, and one receipt that says of it what its client was told. `due`: where it is not the price. */
function expectPaid(call: Call, all: readonly Row[], asked: number, due?: bigint): void {
  const { name, kind, saw, charged } = call
  expect(asked, `${name} is asked once`).toBeLessThanOrEqual(1)
  // A try that was refused before anything was sent leaves a receipt without a charge, and its key free.
  const rows = all.filter(
    (row) => row.claiming || row.ambiguous || row.charged > 0n || row.state === 'completed',
  )
  expect(rows.length, `${name} has one receipt at most`).toBeLessThanOrEqual(1)
  const [row] = rows
  if (!row) {
    expect(saw, `${name} was answered without a receipt`).not.toBe('answered')
    expect(asked, `${name} was sent upstream without a receipt`).toBe(0)
    return
  }
  expect(row.state, name).not.toBe('running')
  const price = due ?? (kind === 'picture' ? priceOfPicture : priceOfChat)
  if (row.ambiguous) expect(row, name).toMatchObject({ state: 'failed', charged: due ?? row.held })
  else if (row.state === 'completed') expect([row.charged, asked], name).toEqual([price, 1])
  if (saw !== 'answered') return
  expect(row.state === 'completed' || row.ambiguous, `${name} was answered, and its receipt says so`).toBe(
    true,
  )
  if (charged != null) expect(charged, name).toBe(String(row.charged))
}

/** A file that was accepted is there once, whole; one that was not is not. */
async function expectFiles({ client, calls, site, person }: Told): Promise<void> {
  const rows = await site.db.query<{ file_id: string; name: string }>(
    { text: 'select file_id, name from files.files where account_id = $1 and name is not null' },
    [person.account],
  )
  const byName = Map.groupBy(rows, ({ name }) => name)
  for (const { name, saw } of calls.filter(({ kind }) => kind === 'file')) {
    const found = byName.get(name) ?? []
    expect(
      found.length,
      `${name} is stored ${saw === 'answered' ? 'once' : 'once at most'}`,
    ).toBeLessThanOrEqual(1)
    if (saw !== 'answered') continue
    expect(found.length, `${name} is stored`).toBe(1)
    expect((await client.get(`/v1/files/${found[0]!.file_id}`)).text).toBe(contentOf(name))
  }
}

/** What was accepted has ended, its parts were asked once, and a webhook told so. */
async function expectDurable({ client, calls, site }: Told, asked: Record<string, number>): Promise<void> {
  const delivered = site.receiver.got('').map(({ body }) => body)
  for (const { name, kind, saw, id } of calls) {
    if (kind !== 'batch' && kind !== 'work') continue
    for (const part of partsOf(name)) expect(asked[part] ?? 0, `${part} is asked once`).toBeLessThanOrEqual(1)
    if (saw !== 'answered') continue
    expect(id, name).toBeDefined()
    if (kind === 'work') await expectRun(client, id!, name, asked)
    else {
      await endedBatch(client, id!)
      const told = await results(client, id!)
      expect(told.map(({ custom_id }) => custom_id).sort(), name).toEqual(partsOf(name))
      for (const { custom_id, result } of told)
        if (result.type === 'succeeded') expect(asked[custom_id], custom_id).toBe(1)
        else expect(result.type, custom_id).toBe('errored')
      expect(
        delivered.filter((body) => body.includes(id!)).length,
        `${name} is told to its webhook`,
      ).toBeGreaterThan(0)
    }
  }
}

async function expectRun(
  client: Client,
  id: string,
  name: string,
  asked: Record<string, number>,
): Promise<void> {
  const { body: run } = await client.get(`/v1/work/${id}`)
  expect(['succeeded', 'failed'], name).toContain(run.status)
  if (run.status !== 'succeeded') return
  const { text } = await client.get(`/v1/work/${id}/files?path=said.txt`)
  for (const [at, line] of text.split('\n').entries()) {
    const part = partsOf(name)[at]!
    expect([`answer to ${part}`, '(lost)'], part).toContain(line.replace(/ w0 .*/, ''))
    if (line !== '(lost)') expect(asked[part], part).toBe(1)
  }
}

/** Summed up here, not as the ledger sums: what was granted less what every receipt charges is what is left. */
async function expectBooks({ site, person }: Told, rows: readonly Row[]): Promise<void> {
  const charged = rows.reduce((sum, row) => sum + row.charged, 0n)
  const [balance] = await site.db.query(
    { text: 'select balance, held from ledger.balances where account_id = $1' },
    [person.account],
  )
  expect(balance).toEqual({ balance: credits - charged, held: 0n })
  expect(await site.db.query({ text: 'select * from ledger.violations' }, [])).toEqual([])
  const reservations = 'select from files.reservations where account_id = $1'
  expect(await site.db.query({ text: reservations }, [person.account])).toEqual([])
}

/** How the calls ended, for whoever reads the run. */
export function countsOf(calls: readonly Call[]): string {
  const counts = new Map<string, number>()
  for (const { saw, status, code } of calls) {
    const what = saw === 'refused' ? `${saw} ${status} ${code}` : saw
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${count} ${what}`).join(', ')
}
