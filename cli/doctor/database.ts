/** The database: reachable, of this program, whole, durable, and of the same time. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Db } from '#platform/db'
import type { Session } from '../command.ts'
import { migrationsFolder } from '../session.ts'
import { broken, type Check, examine, ok, skipped } from './check.ts'
import * as store from './store.ts'
import { type CheckName, checkTitles, doctorWords as words } from './words.ts'

const mostSkewMs = 2_000

/** Opens the database as it is: the doctor looks and changes nothing in it. */
export async function checkDatabase(session: Session): Promise<Check[]> {
  const reached = await examine('database', async () =>
    ok('database', words.database(await store.serverVersion(await session.openedDb()))),
  )
  if (reached.state !== 'ok')
    return [reached, ...stands(['migrations', 'ledger', 'durability', 'clock'], 'database')]
  const db = await session.openedDb()
  const migrations = await examine('migrations', () => checkMigrations(db))
  const rest = await Promise.all([
    examine('ledger', () => checkLedger(db)),
    examine('durability', () => checkDurability(db)),
    examine('clock', () => checkClock(db, session)),
  ])
  return [reached, migrations, ...rest]
}

/** What could not be looked at, because another check is broken. */
export function stands(names: readonly CheckName[], on: CheckName): Check[] {
  return names.map((name) => skipped(name, words.standsOn(checkTitles[on])))
}

async function checkMigrations(db: Db): Promise<Check> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
  const applied = await store.applied(db)
  const newest = applied.at(-1)
  if (newest && applied.length > names.length) return broken('migrations', words.databaseNewer(newest.name))
  for (const [at, row] of applied.entries()) {
    if (row.sha256 !== (await checksum(names[at] ?? '')))
      return broken('migrations', words.migrationChanged(row.name))
  }
  return ok(
    'migrations',
    applied.length === names.length
      ? words.migrated(names.length)
      : words.migrationsToCome(applied.length, names.length),
  )
}

/** As `migrate` counts it: with line ends as LF. */
async function checksum(name: string): Promise<string> {
  const text = await readFile(path.join(migrationsFolder, name), 'utf8')
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}

async function checkLedger(db: Db): Promise<Check> {
  const rows = await store.contradictions(db)
  if (!rows) return skipped('ledger', words.notMigrated())
  const [first] = rows
  return first
    ? broken('ledger', words.ledgerBroken(rows.length, `${first.invariant} (${first.account_id})`))
    : ok('ledger', words.ledger())
}

async function checkDurability(db: Db): Promise<Check> {
  const off = await store.undurable(db)
  if (off.length === 0) return ok('durability', words.durable())
  return broken('durability', words.notDurable(off.map(({ name }) => `${name} = off`).join(', ')))
}

/** The database's clock against the middle of the question. */
async function checkClock(db: Db, { clock }: Session): Promise<Check> {
  const askedMs = clock.nowMs()
  const theirsMs = await store.databaseNowMs(db)
  const skewMs = Math.abs(Math.round(theirsMs - (askedMs + clock.nowMs()) / 2))
  return skewMs < mostSkewMs
    ? ok('clock', words.clock(skewMs))
    : broken('clock', words.clockSkewed(skewMs, mostSkewMs))
}
