/** What the operator's commands write into the audit log, and how it is read on the command line. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDb } from '#platform/db'
import { platformAccount } from '#platform/jobs'
import { cloneDatabase } from '../harness/postgres.ts'
import { packagesConfig } from '../harness/world.ts'
import { done, kherad, refused } from './command-line.ts'

const stack = new AsyncDisposableStack()
let env: Record<string, string>
let db: Db

beforeAll(async () => {
  const database = stack.use(await cloneDatabase())
  db = stack.use(await openDb({ url: database.url }))
  env = { DATABASE_URL: database.url, KHERAD_LOCALE: 'en' }
})
afterAll(() => stack.disposeAsync())

/** Everything that was written since the row with this id, oldest first, as the command shows it. */
async function writtenBy(...words: string[]) {
  const [before] = (await done(env, 'audit', 'list', '--limit', '1')).data
  const answer = await done(env, ...words)
  const { data } = await done(env, 'audit', 'list', '--limit', '20')
  const known = data.findIndex(({ id }: { id: string }) => id === before?.id)
  return { answer, rows: (known === -1 ? data : data.slice(0, known)).reverse() }
}

const operator = { kind: 'operator', id: null, name: null, deleted: false }
const noLimits = {
  cap_microcredits: null,
  month_cap_microcredits: null,
  rate_per_minute: null,
  concurrency: null,
}

test('each command that changes access or money writes what it changed, by the operator', async () => {
  const made = await writtenBy('account', 'create', '--name', 'a', '--credits', '2', '--cap', '9')
  const account = made.answer.id
  expect(made.rows).toMatchObject([
    {
      ...{ operation: 'account.create', actor: operator, account_id: account, project_id: null },
      target: { kind: 'account', id: account },
      before: null,
      after: { name: 'a', plan: 'standard', cap_microcredits: '9000000' },
      client: expect.stringMatching(/^kherad\/\d+\.\d+\.\d+ \(.+\)$/),
    },
    { operation: 'credits.grant', after: { microcredits: '2000000', balance_microcredits: '2000000' } },
  ])
  const plan = await writtenBy('account', 'set', account, '--plan', 'free', '--rate', '7')
  expect(plan.rows).toMatchObject([
    { operation: 'account.plan', before: { plan: 'standard' }, after: { plan: 'free' } },
    {
      operation: 'account.caps',
      before: { ...noLimits, cap_microcredits: '9000000' },
      after: { ...noLimits, cap_microcredits: '9000000', rate_per_minute: 7 },
    },
  ])
  const id = randomUUID()
  const grant = ['account', 'grant', account, '3', '--id', id, '--reason', 'invoice 7']
  expect((await writtenBy(...grant)).rows).toMatchObject([
    {
      operation: 'credits.grant',
      target: { kind: 'transfer', id },
      after: { microcredits: '3000000', reason: 'invoice 7', balance_microcredits: '5000000' },
    },
  ])
  expect((await writtenBy(...grant)).rows, 'a repeated grant changes nothing').toEqual([])
  expect((await writtenBy('account', 'suspend', account)).rows).toMatchObject([
    { operation: 'account.suspend', before: { state: 'active' }, after: { state: 'suspended' } },
  ])
  expect((await writtenBy('account', 'resume', account)).rows).toMatchObject([
    { operation: 'account.resume', before: { state: 'suspended' }, after: { state: 'active' } },
  ])
})

test('projects and keys write what they may do, and never a secret or its hash', async () => {
  const { id: account } = await done(env, 'account', 'create', '--name', 'b')
  const made = await writtenBy('project', 'create', '--account', account, '--name', 'p', '--cap', '4')
  const project = made.answer.id
  expect(made.rows).toMatchObject([
    {
      ...{ operation: 'projects.create', account_id: account, project_id: project },
      after: { name: 'p', cap_microcredits: '4000000' },
    },
  ])
  const days = await writtenBy('project', 'set', project, '--keep-days', '3', '--cap', 'none')
  expect(days.rows).toMatchObject([
    {
      operation: 'projects.change',
      before: { keep_days: null, cap_microcredits: '4000000' },
      after: { keep_days: 3, cap_microcredits: null },
    },
  ])
  const scopes = 'responses:write,models:read'
  const key = await writtenBy('key', 'create', '--project', project, '--name', 'k', '--scopes', scopes)
  expect(key.rows).toMatchObject([
    {
      ...{ operation: 'keys.create', project_id: project },
      target: { kind: 'key', id: key.answer.id, name: 'k' },
      after: { name: 'k', scopes: scopes.split(','), models: null, origins: null },
    },
  ])
  expect(JSON.stringify(key.rows)).not.toContain(key.answer.secret.slice(4, 24))
  const set = await writtenBy('key', 'set', key.answer.id, '--origins', 'https://app.example.org')
  expect(set.rows).toMatchObject([
    { operation: 'keys.change', before: { origins: null }, after: { origins: ['https://app.example.org'] } },
  ])
  expect(Object.keys(set.rows[0].after)).toEqual(['origins'])
  const ended = await writtenBy('key', 'revoke', key.answer.id)
  expect(ended.rows).toMatchObject([{ operation: 'keys.revoke', before: { name: 'k' }, after: null }])
  expect((await writtenBy('key', 'revoke', key.answer.id)).rows, 'it was revoked before').toEqual([])
})

test('a refused command writes nothing', async () => {
  const { id: account } = await done(env, 'account', 'create', '--name', 'c', '--credits', '1')
  const count = async () => {
    const [row] = await db.query<{ all: bigint }>({ text: 'select count(*) as all from audit.entries' }, [])
    return row!.all
  }
  const before = await count()
  const nobody = randomUUID()
  expect(await refused(env, 'account', 'grant', account, '-2')).toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
  })
  expect(await refused(env, 'account', 'set', nobody, '--plan', 'x', '--cap', '1')).toMatchObject({
    code: 'ACCOUNT_NOT_FOUND',
  })
  expect(await refused(env, 'account', 'suspend', nobody)).toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
  expect(await refused(env, 'key', 'set', nobody, '--cap', '1')).toMatchObject({ code: 'KEY_NOT_FOUND' })
  expect(await refused(env, 'key', 'revoke', nobody)).toMatchObject({ code: 'KEY_NOT_FOUND' })
  expect(await count()).toBe(before)
})

test('the log is read by account, time and operation, for people in their language and calendar', async () => {
  const { id: account } = await done(env, 'account', 'create', '--name', 'd', '--credits', '1')
  const of = ['audit', 'list', '--account', account]
  const { data, has_more } = await done(env, ...of)
  expect(data.map(({ operation }: { operation: string }) => operation)).toEqual([
    'credits.grant',
    'account.create',
  ])
  expect(has_more).toBe(false)
  const limited = await done(env, ...of, '--limit', '1')
  expect(limited).toMatchObject({ data: [{ operation: 'credits.grant' }], has_more: true })
  expect((await done(env, ...of, '--operation', 'credits.')).data).toHaveLength(1)
  expect((await done(env, ...of, '--since', '1h')).data).toHaveLength(2)
  expect((await done(env, ...of, '--since', '2999-01-01')).data).toEqual([])
  expect((await done(env, 'audit', 'list', '--installation')).data).toEqual([])
  const english = await kherad(env, ...of)
  expect(english.out).toMatch(/^time\s+who\s+operation/)
  expect(english.out).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\dZ +operator +credits\.grant/)
  const persian = await kherad({ ...env, KHERAD_LOCALE: 'fa' }, ...of, '--limit', '1')
  expect(persian.out).toMatch(/^زمان\s+چه کسی\s+عملیات/)
  expect(persian.out).toMatch(/۱[۴۵][۰-۹]{2}\/[۰-۹]{2}\/[۰-۹]{2} [۰-۹]{2}:[۰-۹]{2} +گرداننده +credits\.grant/)
  expect(persian.out).toContain('تنها ۱ تغییر تازه‌تر')
  expect(await refused(env, ...of, '--since', 'yesterday')).toMatchObject({ exit: 2, code: 'USAGE' })
  expect(await refused(env, ...of, '--installation')).toMatchObject({ exit: 2, code: 'USAGE' })
})

test('the changes of the whole installation stand apart from those of accounts', async () => {
  await db.query(
    {
      text: `insert into audit.entries (account_id, entry_id, at, actor_kind, operation)
        values ('${platformAccount}', '00000000-0000-7000-8000-000000000001', '2026-01-01', 'system', 'installation.adopt')`,
    },
    [],
  )
  const { data } = await done(env, 'audit', 'list', '--installation')
  expect(data).toMatchObject([
    { operation: 'installation.adopt', account_id: null, actor: { kind: 'system' } },
  ])
})

test('a package that is given, renewed and ended writes a row each, and one that is given twice one', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-audit-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'config.yaml')
  await writeFile(file, packagesConfig)
  const { id: account } = await done(env, 'account', 'create', '--name', 'e')
  const own = { ...env, KHERAD_CONFIG: file }
  const id = randomUUID()
  const of = ['audit', 'list', '--account', account, '--operation', 'cloud.package.']
  for (let times = 0; times < 2; times++)
    await done(own, 'cloud', 'package', 'give', account, 'small', '--id', id)
  expect((await done(env, ...of)).data).toHaveLength(1)
  await done(own, 'cloud', 'package', 'renew', id, '--until', '2099-01-01T00:00:00Z')
  await done(own, 'cloud', 'package', 'end', id)
  const { data } = await done(env, ...of)
  expect(data).toMatchObject([
    { operation: 'cloud.package.end', before: { ended_at: null }, after: { ended_at: expect.any(String) } },
    {
      operation: 'cloud.package.renew',
      before: { paid_until: null },
      after: { paid_until: '2099-01-01T00:00:00.000Z' },
    },
    { operation: 'cloud.package.give', target: { kind: 'package', id }, after: { package: 'small' } },
  ])
})
