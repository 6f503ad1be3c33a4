/** `kherad cloud`: the real command against a real server. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { jailTested } from '../cloud/functions/scene.ts'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'
import { kherad, type Ran } from './command-line.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await boot()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  key = await world.key({ project: await world.newProject() })
})

const run = (words: readonly string[], locale: 'fa' | 'en' = 'en'): Promise<Ran> =>
  kherad(
    {
      KHERAD_KEY: key.secret,
      KHERAD_LOCALE: locale,
      KHERAD_BASE_URL: world.url,
      ...databaseOf(world),
    },
    ...words,
  )

/** For the commands of the operator, which stand on the database. */
const databaseOf = ({ app }: World) => ({
  DATABASE_URL: app.config.databaseUrl!,
  KHERAD_DATA: app.config.dataDir,
})

test('a cloud is created with one command, which prints its address and nothing else; it is shown, connected and deleted by name', async () => {
  const made = await run(['cloud', 'create', 'فروشگاه'], 'fa')
  expect([made.code, made.out, made.err]).toEqual([
    0,
    expect.stringMatching(/^http:\/\/[a-z]{20}\.localhost:\d+\n$/),
    '«فروشگاه» آماده است\n',
  ])
  const url = made.out.trim()
  const listed = await run(['cloud', 'list', '--json'])
  expect(listed.json).toMatchObject([{ name: 'فروشگاه', cloud_url: url, status: 'ready' }])
  const shown = await run(['cloud', 'show', 'فروشگاه'], 'fa')
  expect(shown.out).toMatch(/طرح\s+Starter/)
  expect(shown.out).toMatch(/ردیف‌ها\s+۰\s+۱۰٬۰۰۰/)
  const connection = await run(['cloud', 'connection', listed.json[0].ref])
  expect(connection.out).toMatch(
    new RegExp(`^SERVICE_URL=${url}\nPUBLIC_KEY=khp_\\w{49}\nAUTH_URL=${url}/auth/v1\n`),
  )
  expect((await run(['cloud', 'delete', 'فروشگاه', '--confirm', 'x'])).code).toBe(1)
  const gone = await run(['cloud', 'delete', 'فروشگاه', '--confirm', 'فروشگاه'])
  expect([gone.code, gone.out]).toEqual([0, '"فروشگاه" is deleted.\n'])
  expect((await run(['cloud', 'list', '--json'])).json).toEqual([])
})

test('keys are made, shown once, listed without secrets and ended', async () => {
  await run(['cloud', 'create', 'keys'])
  const made = await run(['cloud', 'keys', 'keys', '--new', 'service'])
  expect(made.out).toMatch(/^khs_\w{49}\n$/)
  const listed = await run(['cloud', 'keys', 'keys', '--json'])
  expect(listed.out).not.toContain(made.out.trim())
  expect(listed.json.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
    'public',
    'service',
    'signing',
  ])
  const { id } = listed.json.find(({ kind }: { kind: string }) => kind === 'service')
  expect((await run(['cloud', 'keys', 'keys', '--end', id])).code).toBe(0)
  expect((await run(['cloud', 'keys', 'keys', '--json'])).json).toHaveLength(2)
  expect((await run(['cloud', 'keys', 'keys', '--new', 'signing'])).out).toBe(
    'The key that signs is rotated.\n',
  )
  for (const wrong of [
    ['--new', 'admin'],
    ['--grace', '5'],
    ['--new', 'public', '--end', 'x'],
    ['--new', 'public', '--grace', '604801'],
  ])
    expect((await run(['cloud', 'keys', 'keys', ...wrong])).code).toBe(2)
})

test('a name that nothing has, and one that several have, are refused in a sentence', async () => {
  const missing = await run(['cloud', 'show', 'missing'], 'fa')
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('kherad cloud list')])
  await run(['cloud', 'create', 'twin'])
  await run(['cloud', 'create', 'twin'])
  expect((await run(['cloud', 'show', 'twin', '--json'])).err).toContain('SEVERAL_CLOUDS')
})

test('the operator sees all clouds, suspends and resumes one, and sets its limits', async () => {
  const { json: made } = await run(['cloud', 'create', 'operated', '--json'])
  const all = await run(['cloud', 'all', '--json'])
  expect(all.json.data.map(({ ref }: { ref: string }) => ref)).toContain(made.ref)
  const suspended = await run(['cloud', 'suspend', made.ref, '--reason', 'گزارش شد'], 'fa')
  expect([suspended.code, suspended.out], suspended.err).toEqual([0, expect.stringContaining('معلق')])
  expect((await key.get(`/v1/cloud/${made.id}`)).body).toMatchObject({
    status: 'suspended',
    suspended_reason: 'گزارش شد',
  })
  expect((await run(['cloud', 'resume', made.id])).code).toBe(0)
  expect((await key.get(`/v1/cloud/${made.id}`)).body).toMatchObject({
    status: 'ready',
    suspended_reason: null,
  })
  const limited = await run(['cloud', 'limits', made.ref, '--rows', '5', '--daily-mails', '0', '--json'])
  expect(limited.json.limits).toEqual({ rows: 5, daily_mails: 0 })
  expect((await key.get(`/v1/cloud/${made.id}`)).body.limits).toMatchObject({ rows: 5, daily_mails: 0 })
  const back = await run(['cloud', 'limits', made.ref, '--rows', 'none', '--json'])
  expect(back.json.limits).toEqual({ daily_mails: 0 })
  for (const wrong of [[], ['--rows', '-1'], ['--file-bytes', '0'], ['--rows', '10000001']])
    expect((await run(['cloud', 'limits', made.ref, ...wrong])).code).not.toBe(0)
  expect((await run(['cloud', 'limits', 'operated', '--daily-mails', 'none', '--json'])).json.limits).toEqual(
    {},
  )
  const namesake = await world.key({ project: await world.newProject() })
  await world.cloud('operated', namesake)
  const several = await run(['cloud', 'suspend', 'operated'])
  expect([several.code, several.err]).toEqual([1, expect.stringContaining('Several app back-ends')])
  const unknown = await run(['cloud', 'suspend', 'nobody'])
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('kherad cloud all')])
})

test('a cloud is exported to a file and imported into an empty one; what is refused leaves no file', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-cloud-'))
  try {
    const file = path.join(folder, 'shop.jsonl')
    const { json: one } = await run(['cloud', 'create', 'one', '--json'])
    const made = { action: 'create_collection', name: 'todos' }
    expect((await key.post(`/v1/cloud/${one.id}/database`, made)).status).toBe(200)
    expect((await run(['cloud', 'export', 'one', file], 'fa')).out).toBe(`«one» در ${file} نوشته شد.\n`)
    await run(['cloud', 'create', 'two'])
    const imported = await run(['cloud', 'import', 'two', file], 'fa')
    expect([imported.code, imported.out], imported.err).toEqual([
      0,
      'وارد شد: ۰ کاربر، ۱ مجموعه، ۰ ردیف، ۰ فایل، ۰ تابع\n',
    ])
    const again = await run(['cloud', 'import', 'two', file, '--json'])
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('CLOUD_NOT_EMPTY')])
    const missing = path.join(folder, 'missing')
    expect((await run(['cloud', 'export', 'nothing', missing])).code).toBe(1)
    expect((await run(['cloud', 'import', 'two', missing])).code).toBe(1)
    expect(await readdir(folder)).toEqual(['shop.jsonl'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const sqlOf = (text: string, values: unknown[]) => world.app.db.query({ text }, values)

test('what the end of a package has suspended is not resumed but by renewing it: until then it would be suspended again', async () => {
  const { id, ref } = (await key.post('/v1/cloud', { name: 'ended', plan: 'starter' })).body
  const status = async () => (await key.get(`/v1/cloud/${id}`)).body.status
  await sqlOf('update clouds.clouds set suspended_at = now() where cloud_id = $1', [id])
  const packageId = randomUUID()
  await sqlOf(
    `insert into clouds.packages (account_id, package_id, offer, cloud_id, ended_at, created_at, updated_at)
      values ($1, $2, 'small', $3, now() - interval '7 days 1 minute', now(), now())`,
    [world.account, packageId, id],
  )
  const refused = await run(['cloud', 'resume', ref])
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining(`cloud package renew ${packageId}`),
  ])
  expect(await status()).toBe('suspended')
  // Within the seven days it only reads, and stands until they are over.
  await sqlOf(
    `update clouds.packages set ended_at = now() - interval '6 days 23 hours' where package_id = $1`,
    [packageId],
  )
  expect((await run(['cloud', 'resume', ref])).code).toBe(0)
  expect(await status()).toBe('ready')
})

test('what waiting does not change ends a command at once, and no limit is set with which a database would never wake', async () => {
  const { id, ref } = (await key.post('/v1/cloud', { name: 'elsewhere', plan: 'starter' })).body
  await sqlOf(`update clouds.clouds set plan = 'dedicated' where cloud_id = $1`, [id])
  const [here, away] = [randomUUID(), randomUUID()]
  const folder = path.join(world.app.config.dataDir, 'databases')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'id'), `${here}\n`)
  await sqlOf(
    `insert into databases.databases (account_id, cloud_id, ref, provider, place, created_at)
      values ($1, $2, $3, 'local', $4, now())`,
    [world.account, id, ref, away],
  )
  await jailTested(world)
  // Were it tried again for two minutes, this would be late.
  const asked = await run(['cloud', 'sql', ref, 'select 1', '--json'])
  expect([asked.code, asked.err]).toEqual([
    1,
    expect.stringMatching(/DATABASE_ELSEWHERE|DATABASES_UNAVAILABLE/),
  ])
  expect(asked.err).not.toContain('again')
  const limited = (bytes: number) => run(['cloud', 'limits', ref, '--memory-bytes', String(bytes), '--json'])
  const beyondAny = 2 ** 40
  expect((await limited(beyondAny)).code).toBe(0)
  await sqlOf('update databases.databases set place = $2 where cloud_id = $1', [id, here])
  const [, named] = /leaves (\d+) bytes/.exec((await limited(beyondAny)).err)!
  const most = Number(named)
  const refused = await limited(most + 1)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('TOO_MUCH_MEMORY')])
  expect((await limited(most)).json.limits).toEqual({ memory_bytes: most })
  await sqlOf('delete from databases.databases where cloud_id = $1', [id])
  await sqlOf(`update clouds.clouds set plan = 'starter' where cloud_id = $1`, [id])
})

test('an app back-end whose machine is lost is deleted without it, by whoever says its name, who learns what would be left there', async () => {
  const { id, ref } = (await key.post('/v1/cloud', { name: 'lost', plan: 'starter' })).body
  const none = await run(['cloud', 'forget-database', ref, '--confirm', 'lost'])
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('kherad cloud delete')])
  await sqlOf(`update clouds.clouds set plan = 'dedicated' where cloud_id = $1`, [id])
  const place = randomUUID()
  await sqlOf(
    `insert into databases.databases (account_id, cloud_id, ref, provider, place, os_user, created_at)
      values ($1, $2, $3, 'local', $4, 900000007, now())`,
    [world.account, id, ref, place],
  )
  await sqlOf(
    `insert into databases.restores (account_id, cloud_id, restore_id, from_cloud_id, backup_id, state, created_at)
      values ($1, $2, $2, $2, $2, 'queued', now())`,
    [world.account, id],
  )
  // Its owner cannot delete it: nobody can say whether anything of it is left.
  expect((await key.request('DELETE', `/v1/cloud/${id}`, JSON.stringify({ confirm: 'lost' }))).status).toBe(
    200,
  )
  const wrong = await run(['cloud', 'forget-database', ref, '--confirm', 'other'])
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('"lost"')])
  const forgotten = await run(['cloud', 'forget-database', ref, '--confirm', 'lost'])
  expect(forgotten.code, forgotten.err).toBe(0)
  for (const word of [`databases/${ref}`, place, '900000007']) expect(forgotten.out).toContain(word)
  await until(async () => {
    await sqlOf(
      `update jobs.queue set run_at = now() where name = 'clouds.delete' and process_id is null`,
      [],
    )
    await sqlOf(`select pg_notify('jobs', 'clouds.delete')`, [])
    return (await key.get(`/v1/cloud/${id}`)).status === 404
  })
})
