/** `kherad cloud sql|tables|backup|restore`: the real command against a real database of a dedicated cloud. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setReadOnly } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import { ended, kherad, type Ran, start } from '../../cli/command-line.ts'
import { type DedicatedCloud, dedicatedCloud, dedicatedWorld } from '../../cloud/dedicated/dedicated-world.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'

const canRun = await hasJail()
const check = test.runIf(canRun)
let world: World
let cloud: DedicatedCloud
let secret: string
let folder: string
beforeAll(async () => {
  if (!canRun) return
  world = await dedicatedWorld()
  const key = await world.key()
  secret = key.secret
  cloud = await dedicatedCloud(world, 'نوبت', key)
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-sql-'))
})
afterAll(async () => {
  if (!canRun) return
  await rm(folder, { recursive: true, force: true })
  await world[Symbol.asyncDispose]()
})

/** Indexes that wait for somebody who writes. */
async function indexing(open: OpenDatabase): Promise<number> {
  const { rows } = await open
    .pool('watcher')
    .query(
      `select from pg_catalog.pg_stat_activity where query like 'create index%' and wait_event_type = 'Lock'`,
    )
  return rows.length
}

/** Somebody who writes, until disposed. A transaction that is idle for fifteen seconds would be ended, and commands may take longer to start. */
async function writing(open: OpenDatabase): Promise<AsyncDisposable> {
  const client = await open.pool('postgres').connect()
  await client.query('begin; insert into apart values (1, 1)')
  const pulse = setInterval(() => void client.query('select 1').catch(() => undefined), 2_000).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(pulse)
      await client.query('commit')
      client.release()
    },
  }
}

const env = (locale: 'fa' | 'en') => ({
  KHERAD_KEY: secret,
  KHERAD_LOCALE: locale,
  KHERAD_BASE_URL: world.url,
})
const run = (words: readonly string[], locale: 'fa' | 'en' = 'en'): Promise<Ran> =>
  kherad(env(locale), 'cloud', ...words)

check('a query reads, a write needs --write, and both answer a table', async () => {
  const made = await run(
    ['sql', 'نوبت', 'create table people (id int primary key, نام text)', '--write'],
    'fa',
  )
  expect([made.code, made.out], made.err).toEqual([0, 'CREATE TABLE\n'])
  const unasked = await run(['sql', cloud.ref, "insert into people values (1, 'علی')"])
  expect(unasked.err).toMatch(/read-only transaction .* Nothing was changed\. .* --write/)
  const words = ['cloud', 'sql', cloud.ref, '--write']
  const input = ["insert into people values (1, 'علی'), ", '(10, null)']
  const written = await ended(start(env('en'), words, { input }), words)
  expect([written.code, written.out], written.err).toEqual([0, 'INSERT 2\n'])
  const read = await run(['sql', cloud.ref, 'select * from people order by id'], 'fa')
  expect([read.code, read.out, read.err]).toEqual([0, 'id  نام\n 1  علی\n10  —\n', '۲ ردیف\n'])
  const json = await run(['sql', cloud.ref, 'select id::bigint from people order by 1', '--json'])
  expect(json.json).toMatchObject({ rows: [['1'], ['10']], row_count: 2 })
  const wrong = await run(['sql', cloud.ref, 'select\n nothing'])
  expect([wrong.code, wrong.err]).toEqual([
    1,
    expect.stringContaining('(line 2, column 2): column "nothing"'),
  ])
})

check('tables are listed with how they are guarded', async () => {
  await cloud.write(
    'create schema private; create table private.secrets (id int); create table guarded (id int); alter table guarded enable row level security; create policy p on guarded using (true)',
  )
  const listed = await run(['tables', cloud.ref], 'fa')
  expect(listed.out).toMatch(/guarded\s+جدول\s+۱ سیاست دسترسی\s+—\s+۰/)
  const { out } = await run(['tables', cloud.ref])
  expect(out).toMatch(/people\s+table\s+no RLS/)
  expect(out).toMatch(/private\.secrets\s+table\s+—/)
})

check('a cloud whose disk is full is shown so', async () => {
  const key = { accountId: world.account, cloudId: cloud.id }
  await setReadOnly(world.app, key, true)
  try {
    const { out } = await kherad(env('en'), 'cloud', 'show', cloud.ref)
    expect(out).toMatch(/plan\s+dedicated/)
    expect(out).toMatch(/only reads\s+the disk of the package is full/)
  } finally {
    await setReadOnly(world.app, key, false)
  }
  expect((await kherad(env('en'), 'cloud', 'show', cloud.ref)).out).not.toContain('only reads')
})

check('migrations run in their order, each once and whole, and a changed one is refused', async () => {
  const at = path.join(folder, 'migrations')
  await mkdir(at)
  const write = (name: string, text: string) => writeFile(path.join(at, name), text)
  await write('001_اول.sql', 'create table first (n int);\r\ninsert into first values (1);\r\n')
  await write('002_second.sql', 'insert into first values (2); -- the last line has no end')
  await write('notes.txt', 'nothing')
  const first = await run(['sql', cloud.ref, '-f', at, '--json'])
  expect(first.json, first.err).toEqual({ applied: ['001_اول.sql', '002_second.sql'], skipped: 0 })
  expect((await run(['sql', cloud.ref, '-f', at], 'fa')).out).toBe(
    'کاری نماند: هر ۲ مهاجرت پیش از این اجرا شده است.\n',
  )
  // Another system's ends of lines do not change it.
  await write('001_اول.sql', 'create table first (n int);\ninsert into first values (1);\n')
  await write('003_broken.sql', 'insert into first values (3);\n\n  select nothing;')
  const broken = await run(['sql', cloud.ref, '-f', at])
  expect([broken.code, broken.err]).toEqual([
    1,
    expect.stringContaining(
      `${path.join(at, '003_broken.sql')}:3:10: PostgreSQL says (line 3, column 10): column "nothing"`,
    ),
  ])
  await write('003_broken.sql', 'insert into first values (3)')
  await write('004_fourth.sql', 'insert into first values (4)')
  // Two at once: each migration happens once.
  const both = await Promise.all([run(['sql', cloud.ref, '-f', at]), run(['sql', cloud.ref, '-f', at])])
  expect(
    both.map(({ code }) => code),
    both.map(({ err }) => err).join(''),
  ).toEqual([0, 0])
  expect((await cloud.read('select array_agg(n order by n) from first')).body.rows).toEqual([[[1, 2, 3, 4]]])
  await write('0025_between.sql', 'insert into first values (5)')
  expect((await run(['sql', cloud.ref, '-f', at], 'fa')).err).toContain('0025_between.sql هنوز اجرا نشده')
  await rm(path.join(at, '0025_between.sql'))
  await write('002_second.sql', 'insert into first values (22)')
  const changed = await run(['sql', cloud.ref, '--file', path.join(at, '002_second.sql')])
  expect([changed.code, changed.err]).toEqual([
    1,
    expect.stringContaining('002_second.sql has been run and was changed'),
  ])
  expect((await run(['sql', cloud.ref, 'select 1', '-f', at])).code).toBe(2)
  await write('005_long.sql', `select 1 --${'ی'.repeat(39_500)}`)
  expect((await run(['sql', cloud.ref, '-f', path.join(at, '005_long.sql')])).err).toContain('39,500')
})

check(
  'statements that cannot run in a transaction run once from files of their own, and one whose end nobody knows is not run again',
  async () => {
    const at = path.join(folder, 'apart')
    await mkdir(at)
    const write = (name: string, text: string) => writeFile(path.join(at, name), text)
    const words = ['sql', cloud.ref, '-f', at]
    await write('010_table.sql', 'create table apart (n int, m int)')
    await write(
      '011_index.sql',
      '-- while the app goes on\ncreate index concurrently by_n on apart (n);\ncreate index concurrently by_m on apart (m);\n',
    )
    await write('012_vacuum.sql', 'vacuum apart')
    const ran = await run([...words, '--json'])
    expect(ran.json, ran.err).toEqual({
      applied: ['010_table.sql', '011_index.sql', '012_vacuum.sql'],
      skipped: 0,
    })
    expect((await run([...words, '--json'])).json).toEqual({ applied: [], skipped: 3 })
    await write('013_mixed.sql', 'insert into apart values (1); vacuum apart')
    const mixed = await run(words)
    expect([mixed.code, mixed.err]).toEqual([1, expect.stringContaining('file of its own')])
    // What PostgreSQL refuses may be corrected.
    await rm(path.join(at, '013_mixed.sql'))
    await write('013_index.sql', '\n\nvacuum  7')
    expect((await run(words)).err).toContain(`${path.join(at, '013_index.sql')}:3:9:`)
    await write('013_index.sql', 'create index concurrently by_sum on apart ((n + m))')
    const key = { accountId: world.account, cloudId: cloud.id }
    await world.app.databases.use(key, async (open) => {
      const holder = await writing(open)
      const child = start(env('en'), ['cloud', ...words])
      const first = ended(child, words)
      await until(async () => (await indexing(open)) > 0)
      const second = start(env('en'), ['cloud', ...words])
      const other = ended(second, words)
      let said = ''
      second.stderr.on('data', (part: Buffer) => (said += String(part)))
      await until(() => said.includes('013_index.sql is being run elsewhere'))
      await holder[Symbol.asyncDispose]()
      expect([(await first).code, (await other).code], said).toEqual([0, 0])
    })
    await write('014_index.sql', 'create index concurrently by_difference on apart ((n - m))')
    await world.app.databases.use(key, async (open) => {
      const holder = await writing(open)
      const child = start(env('en'), ['cloud', ...words])
      await until(async () => (await indexing(open)) > 0)
      child.kill('SIGKILL')
      await holder[Symbol.asyncDispose]()
    })
    // Until the time of a statement is over it may still be under way.
    await world.app.databases.use(key, (open) =>
      open
        .pool('postgres')
        .query(
          `update kherad_migrations.applied set begun_at = now() - interval '91 s' where applied_at is null`,
        ),
    )
    const doubted = await run(words)
    expect([doubted.code, doubted.err]).toEqual([1, expect.stringContaining("where name = '014_index.sql'")])
    await run([
      'sql',
      cloud.ref,
      "update kherad_migrations.applied set applied_at = now() where name = '014_index.sql'",
      '--write',
    ])
    expect((await run([...words, '--json'])).json).toEqual({ applied: [], skipped: 5 })
  },
)

check('a backup is made, listed, restored by whoever says the name, and deleted', async () => {
  await run(['sql', cloud.ref, 'create table kept as select 1 as n', '--write'])
  const made = await run(['backup', cloud.ref, '--json'])
  expect([made.code, made.json?.status], made.err).toEqual([0, 'ready'])
  const { id } = made.json
  await run(['sql', cloud.ref, 'update kept set n = 2', '--write'])
  expect((await run(['backups', 'list', cloud.ref], 'fa')).out).toContain('درخواستی')
  const refused = await run(['restore', cloud.ref, id, '--confirm', 'other'])
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('exactly the name')])
  const restored = await run(['restore', cloud.ref, id, '--confirm', 'نوبت'], 'fa')
  expect([restored.code, restored.out], restored.err).toEqual([0, 'پایگاه دادهٔ نوبت بازگردانده شد.\n'])
  const rows = await run(['sql', cloud.ref, 'select n from kept', '--json'])
  expect(rows.json).toMatchObject({ rows: [[1]] })
  expect((await run(['backups', 'delete', cloud.ref, id])).code).toBe(0)
  expect((await run(['backups', 'list', cloud.ref, '--json'])).json).toEqual([])
})
