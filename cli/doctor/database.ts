/** Checks that the database is reachable, of this program, whole and durable, and that its clock is right. */
import { type Db, migrationState } from '#platform/db'
import { sampleViolations } from '#platform/ledger'
import type { Session } from '../command.ts'
import { migrationsFolder } from '../database.ts'
import { broken, type DoctorCheck, ok, runCheck, skipped } from './check.ts'
import { databasePhrases as words } from './database-phrases.ts'
import { type CheckName, checkTitles, doctorPhrases } from './phrases.ts'
import * as store from './store.ts'

const maxSkewMs = 2_000

/** Opens the database as it is: the doctor reads and changes nothing in it. */
export async function checkDatabase(session: Session): Promise<DoctorCheck[]> {
  const reached = await runCheck('database', async () =>
    ok('database', words.database(await store.serverVersion(await session.openedDb()))),
  )
  if (reached.state !== 'ok')
    return [reached, ...skipBecauseOf(['migrations', 'ledger', 'durability', 'clock'], 'database')]
  const db = await session.openedDb()
  const migrations = await runCheck('migrations', () => checkMigrations(db))
  const rest = await Promise.all([
    runCheck('ledger', () => checkLedger(db)),
    runCheck('durability', () => checkDurability(db)),
    runCheck('clock', () => checkClock(db, session)),
  ])
  return [reached, migrations, ...rest]
}

/** Skips the checks that cannot be made because another one is broken. */
export function skipBecauseOf(names: readonly CheckName[], on: CheckName): DoctorCheck[] {
  return names.map((name) => skipped(name, doctorPhrases.standsOn(checkTitles[on])))
}

async function checkMigrations(db: Db): Promise<DoctorCheck> {
  const { files, applied, missing, changed, newer } = await migrationState(db, migrationsFolder)
  const newest = newer.at(-1)
  if (newest !== undefined) return broken('migrations', words.databaseNewer(newest))
  if (missing[0] !== undefined) return broken('migrations', words.migrationMissing(missing[0]))
  if (changed[0] !== undefined) return broken('migrations', words.migrationChanged(changed[0]))
  return ok(
    'migrations',
    applied.length === files.length
      ? words.migrated(files.length)
      : words.migrationsToCome(applied.length, files.length),
  )
}

async function checkLedger(db: Db): Promise<DoctorCheck> {
  const rows = await sampleViolations(db)
  if (!rows) return skipped('ledger', words.notMigrated())
  const [first] = rows
  return first
    ? broken('ledger', words.ledgerBroken(rows.length, `${first.invariant} (${first.account_id})`))
    : ok('ledger', words.ledger())
}

async function checkDurability(db: Db): Promise<DoctorCheck> {
  const off = await store.nonDurableSettings(db)
  if (off.length === 0) return ok('durability', words.durable())
  return broken('durability', words.notDurable(off.map(({ name }) => `${name} = off`).join(', ')))
}

/** Measures the skew as what the database's clock lies before the query or after its answer: how long that took, on a busy machine, is no skew. */
async function checkClock(db: Db, { clock }: Session): Promise<DoctorCheck> {
  const askedMs = clock.nowMs()
  const theirsMs = await store.databaseNowMs(db)
  const skewMs = Math.round(Math.max(0, askedMs - theirsMs, theirsMs - clock.nowMs()))
  return skewMs < maxSkewMs
    ? ok('clock', words.clock(skewMs))
    : broken('clock', words.clockSkewed(skewMs, maxSkewMs))
}
