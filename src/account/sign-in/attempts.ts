/**
 * Limits how often somebody may try. The counts are durable, so that neither a restart nor a second process begins anew. They stand in a table of the
 * caller with the columns `subject_hash`, `attempts` and `window_ends_at`.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables, Tx } from '#platform/db'

/** A table of attempts, and the columns that lead its key with their values here. */
export interface AttemptTable {
  name: `${string}.attempts`
  owner: Readonly<Record<string, string>>
}

/** Who tries, as a hash, and how often that is allowed in a window of time, which begins with the first attempt. */
export interface AttemptSubject {
  hash: Buffer
  max: number
  windowMs: number
  /**
   * What is counted in its place while the subject before it has tried at most `upTo` times: subjects that try seldom have a count of their own, which
   * those that try often cannot use up. Neither count is taken back.
   */
  quiet?: { hash: Buffer; max: number; upTo: number } | undefined
}

const maxCount = 1_000_000

/**
 * Counts an attempt before it is made, so that parallel attempts are bounded like successive ones. Counting ends with the first subject that has
 * tried too often; later ones are not counted. All who count several subjects name them in one order of their kinds, so that no two wait for each
 * other. Returns in how many milliseconds that subject may try again; undefined if the attempt may be made.
 */
export async function countAttempt(
  tx: Tx,
  table: AttemptTable,
  subjects: readonly AttemptSubject[],
  nowMs: number,
): Promise<number | undefined> {
  let before = 0
  for (const subject of subjects) {
    const { quiet, windowMs } = subject
    const { hash, max } = quiet && before <= quiet.upTo ? quiet : subject
    const { attempts, window_ends_at: ends } = await count(tx, table, { hash, windowMs }, nowMs)
    if (attempts > max) return ends.getTime() - nowMs
    before = attempts
  }
  return undefined
}

async function count(
  tx: Tx,
  { name, owner }: AttemptTable,
  { hash, windowMs }: Pick<AttemptSubject, 'hash' | 'windowMs'>,
  nowMs: number,
): Promise<{ attempts: number; window_ends_at: Date }> {
  const now = new Date(nowMs)
  const ends = new Date(nowMs + windowMs)
  const key = sql.join([...Object.keys(owner), 'subject_hash'].map((column) => sql.ref(column)))
  const values = sql.join([...Object.values(owner), hash])
  const { rows } = await sql<{ attempts: number; window_ends_at: Date }>`
    insert into ${sql.table(name)} as a (${key}, attempts, window_ends_at)
    values (${values}, 1, ${ends})
    on conflict (${key}) do update set
      attempts = case when a.window_ends_at <= ${now} then 1 else least(a.attempts + 1, ${maxCount}) end,
      window_ends_at = case when a.window_ends_at <= ${now} then ${ends} else a.window_ends_at end
    returning attempts, window_ends_at`.execute(tx)
  return rows[0]!
}

/** Takes back a successful attempt. The count of the last subject, which identifies the person, begins anew. */
export async function uncountAttempt(
  db: Kysely<Tables>,
  table: AttemptTable,
  subjects: readonly AttemptSubject[],
): Promise<void> {
  const name = sql.table(table.name)
  for (const one of subjects.slice(0, -1).filter(({ quiet }) => !quiet))
    await sql`update ${name} set attempts = greatest(attempts - 1, 0) where ${ofSubject(table, one)}`.execute(
      db,
    )
  const last = subjects.at(-1)
  if (last) await sql`delete from ${name} where ${ofSubject(table, last)}`.execute(db)
}

function ofSubject({ owner }: AttemptTable, { hash }: AttemptSubject): RawBuilder<unknown> {
  const owned = Object.entries(owner).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  return sql.join([...owned, sql`subject_hash = ${hash}`], sql` and `)
}

/** Returns an IPv4 address as it is, and of an IPv6 address the /64, which one customer has. */
export const networkOf = (address: string): string => groupsOf(address, 4)

/** Returns of an IPv6 address the /48, which one site has with its 65,536 networks, and an IPv4 address as it is. */
export const siteOf = (address: string): string => groupsOf(address, 3)

function groupsOf(address: string, count: number): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  return [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ?? '').split(':')]
    .slice(0, count)
    .join(':')
}
