import { expect, test } from 'vitest'
import { type Db, openDb } from '#platform/db'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { quietEnvironment } from '../../harness/world.ts'

/** Why a server did not start. */
const refusalOf = (start: Promise<unknown>): Promise<string> =>
  start.then(
    () => 'it started',
    (error: Error) => error.message,
  )

test.each([
  ['while secrets are read', /from secrets\.seal/],
  ['while the process joins the others', /ledger\.processes/],
])(
  'a database that is lost %s is named in a sentence of both languages, not with a stack',
  async (_, statement) => {
    await using database = await cloneDatabase()
    await using proxy = await DatabaseProxy.open(database.url)
    void proxy.loseReply(statement)
    const refusal = await refusalOf(startProcess({ databaseUrl: proxy.url, fromSource: true }))
    expect(refusal).toMatch(/پایگاه داده در 127\.0\.0\.1:\d+\/\w+ پاسخ نمی‌دهد/)
    expect(refusal).toMatch(/The database at 127\.0\.0\.1:\d+\/\w+ does not answer/)
    expect(refusal).not.toMatch(/at process|node:internal/)
  },
)

/** Holds a table, so that whoever reads it waits until the end of the test. */
async function hold(db: Db, table: string): Promise<AsyncDisposable> {
  const client = await db.pool.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return { [Symbol.asyncDispose]: async () => client.release(true) }
}
/** What PostgreSQL does by itself at the statement timeout, after half a minute. */
const cancelWaiting = (db: Db): Promise<unknown> => {
  const text = `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return db.query({ text }, [])
}
function expectTooLate(refusal: string): void {
  expect(refusal).toMatch(/پایگاه داده در \S+ به‌موقع پاسخ نداد/)
  expect(refusal).toMatch(/The database at \S+ did not answer in time \(canceling statement/)
  expect(refusal).not.toMatch(/at process|node:internal|at async/)
}

test.each(['platform.migrations', 'secrets.seal', 'ledger.processes', 'sites.sites', 'clouds.refs'])(
  'a start whose statement is canceled while it waits for %s is refused in a sentence of both languages, not with a stack',
  async (table) => {
    await using database = await cloneDatabase()
    await using db = await openDb({ url: database.url })
    await using _held = await hold(db, table)
    let refusal: string | undefined
    const start = startProcess({ databaseUrl: database.url, env: quietEnvironment })
    void refusalOf(start).then((seen) => {
      refusal = seen
    })
    // A listener may wait for the table too; its warning has a stack.
    await until(async () => {
      await cancelWaiting(db)
      return refusal
    })
    expectTooLate(refusal!)
  },
)

test('a start that gets no lock within the lock_timeout of its database is refused in the same way', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  await db.pool.query(
    `do $$ begin execute format('alter database %I set lock_timeout = 50', current_database()); end $$`,
  )
  await using _held = await hold(db, 'ledger.processes')
  expectTooLate(await refusalOf(startProcess({ databaseUrl: database.url })))
})

test('a host that is no address of this machine is refused in a sentence of both languages, not with a stack', async () => {
  await using database = await cloneDatabase()
  const env = { KHERAD_HOST: 'nowhere.invalid' }
  const refusal = await refusalOf(startProcess({ databaseUrl: database.url, fromSource: true, env }))
  expect(refusal).toMatch(/nowhere\.invalid:\d+ نشانی این دستگاه نیست/)
  expect(refusal).toMatch(/is no address of this machine: set KHERAD_HOST/)
  expect(refusal).not.toMatch(/node:dns|at process/)
})
