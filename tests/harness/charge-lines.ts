/**
 * Holds every settled charge of a database against the lines that its receipt has: their sum, worked out here in whole numbers, rounded up once for
 * each call of a model, is what was charged. Tables and arithmetic are this file's own.
 */
import type { Db } from '#platform/db'

type Database = Pick<Db, 'query'>

/** How many of each unit its price is for. */
const pers: Readonly<Record<string, bigint>> = {
  ...tokens('input', 'cached_input', 'cache_write', 'cache_write_hour', 'media_input', 'output'),
  ...tokens('text_input', 'audio_input', 'image_input', 'cached_text_input', 'cached_audio_input'),
  ...tokens('text_output', 'audio_output'),
  ...{ characters: 1_000_000n, seconds: 60n, milliseconds: 60_000n },
  ...{ video_seconds: 1n, videos: 1n, pictures: 1n, references: 1n, partials: 1n },
  ...{ searches: 1n, fetches: 1n, uses: 1n, reported_costs: 1n, limits: 1n, steps: 1n },
}

function tokens(...kinds: string[]): Record<string, bigint> {
  return Object.fromEntries(kinds.map((kind) => [`${kind}_tokens`, 1_000_000n]))
}

/** Names under which tests of the ledger, of stored results and of a call's money settle by themselves. */
const ofTests: ReadonlySet<string> = new Set(['/test', '/v1/test', '/v1/pictures', 'realtime'])

export interface StoredPart {
  calls?: number
  sum?: string
  lines: [string, number, string][]
}

export interface SettledCharge {
  receipt_id: string
  endpoint: string
  state: string
  ambiguous: boolean
  held: bigint
  charged: bigint
  lost: bigint | null
  charge: StoredPart[] | null
}

/** Settlements that were written since the transaction `since`, and the transaction at which the next reading begins. */
export async function settledCharges(
  db: Database,
  since = '0',
): Promise<{ charges: SettledCharge[]; next: string }> {
  const [now] = await db.query<{ next: string }>(
    { text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as next' },
    [],
  )
  const charges = await db.query<SettledCharge>(
    {
      // What a correction loses stands in the journal alone.
      text: `select receipt_id, endpoint, state, ambiguous, held, charged, detail -> 'charge' as charge,
          coalesce(lost, (select -sum(j.amount)::bigint from ledger.journal j
            where j.account_id = s.account_id and j.receipt_id = s.receipt_id and j.book = 'loss')) as lost
        from ledger.settlements s where s.xmin::text::bigint >= $1::bigint`,
    },
    [since],
  )
  return { charges, next: now!.next }
}

/** What is wrong with the explanation of this charge; undefined if it is the charge. */
export function wrongExplanation(settled: SettledCharge): string | undefined {
  const { ambiguous, charged, charge, held, lost } = settled
  const where = `${settled.endpoint} ${settled.receipt_id}`
  if (ambiguous) return charge || (charged !== held && charged !== 0n) ? `${where} is ambiguous` : undefined
  if (!charge) return charged > 0n && !ofTests.has(settled.endpoint) ? `${where} has no lines` : undefined
  let total = 0n
  for (const part of charge) {
    const sum = sumOfPart(part)
    if (typeof sum === 'string') return `${where}: ${sum}`
    total += sum
  }
  if (charged > total) return `${where} charged ${charged}, and its lines sum to ${total}`
  const isExplained = charged === total || charged === held || (lost ?? 0n) >= total - charged
  return isExplained ? undefined : `${where} charged ${charged} of ${total}, and nobody bears the rest`
}

function sumOfPart({ calls = 1, sum, lines }: StoredPart): bigint | string {
  const common = 3_000_000n
  let exact = 0n
  for (const [unit, quantity, price] of lines) {
    const per = pers[unit]
    if (per === undefined) return `nobody knows the unit ${unit}`
    if (!Number.isSafeInteger(quantity) || quantity < 1) return `a line of ${quantity} ${unit}`
    exact += (BigInt(quantity) * BigInt(price) * common) / per
  }
  const rounded = (exact + common - 1n) / common
  if (calls === 1) return sum === undefined ? rounded : 'one call with a sum of its own'
  const whole = BigInt(sum!)
  return whole >= rounded && whole * common < exact + BigInt(calls) * common
    ? whole
    : `${calls} calls sum to ${sum}, and their lines to ${rounded}`
}

/** All that is wrong since then, and where to go on. */
export async function wrongCharges(db: Database, since?: string): Promise<{ wrong: string[]; next: string }> {
  const { charges, next } = await settledCharges(db, since)
  return { wrong: charges.flatMap((one) => wrongExplanation(one) ?? []), next }
}
