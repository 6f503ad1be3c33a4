import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { openDb } from '#platform/db'
import { checkDatabase } from '../../../cli/doctor/database.ts'
import { done, kherad } from '../../cli/command-line.ts'
import { packagesText } from '../../cloud/dedicated/packages-text.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import { cloneDatabase, emptyDatabase } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { fakeUpstream, json } from '../../harness/upstream.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'

interface CommandResult {
  name: string
  state: 'ok' | 'warning' | 'broken' | 'skipped'
  message: string
}

/** Runs `kherad doctor` and answers what is not in order, by name. */
async function examine(
  env: Record<string, string>,
): Promise<{ code: number | null; checks: CommandResult[]; broken: Record<string, string> }> {
  const ran = await kherad({ KHERAD_PORT: '0', KHERAD_LOCALE: 'en', ...env }, 'doctor', '--json')
  const checks: CommandResult[] = ran.json.checks
  expect(ran.json.ok).toBe(ran.code === 0)
  const broken = checks.filter(({ state }) => state === 'broken').map(({ name, message }) => [name, message])
  return { code: ran.code, checks, broken: Object.fromEntries(broken) }
}

const everyCheck = [
  'node',
  'settings',
  'data_folder',
  'disk',
  'confinement',
  'ffmpeg',
  'binaries',
  'database',
  'migrations',
  'ledger',
  'durability',
  'clock',
  'config',
  'models',
  'port',
]

test('when everything is broken at once, the doctor still looks at everything and says how to fix each', async () => {
  await using folder = await temporaryFolder('doctor-')
  const file = path.join(folder.path, 'kherad.config.yaml')
  await writeFile(file, 'models: 5\n')
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { code, checks, broken } = await examine({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    KHERAD_CONFIG: file,
    KHERAD_DATA: path.join(file, 'below-a-file'),
    KHERAD_PORT: String((other.address() as AddressInfo).port),
  })
  other.close()
  expect(code).toBe(1)
  expect(broken).toEqual({
    data_folder: expect.stringMatching(/cannot be written.*KHERAD_DATA/),
    database: expect.stringMatching(/127\.0\.0\.1:1\/none does not answer.*DATABASE_URL/),
    config: expect.stringMatching(/kherad\.config\.yaml:1: models/),
    port: expect.stringMatching(/another program.*KHERAD_PORT/),
  })
  expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(everyCheck))
  expect(checks.filter(({ state }) => state === 'skipped').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['disk', 'migrations', 'ledger', 'durability', 'clock', 'models']),
  )
})

test.skipIf(!hasFfmpeg)(
  'an ffmpeg is found by decoding with it; one that is not there, or does not decode, is named and no error',
  async () => {
    await using folder = await temporaryFolder('doctor-')
    await using database = await cloneDatabase()
    const env = { DATABASE_URL: database.url, KHERAD_DATA: folder.path }
    const named = async (more: Record<string, string>) =>
      (await examine({ ...env, ...more })).checks.find(({ name }) => name === 'ffmpeg')
    expect(await named({ PATH: process.env.PATH! })).toMatchObject({ state: 'ok' })
    for (const place of ['off', path.join(folder.path, 'ffmpeg'), '/bin/true'])
      expect(await named({ KHERAD_FFMPEG: place }), place).toMatchObject({
        state: 'skipped',
        message: expect.stringContaining('KHERAD_FFMPEG'),
      })
  },
)

test('a wrong environment is reported, and the rest of the machine is still looked at', async () => {
  const { code, checks, broken } = await examine({ KHERAD_PORT: 'high' })
  expect(code).toBe(1)
  expect(broken).toEqual({ settings: expect.stringContaining('KHERAD_PORT') })
  expect(checks.find(({ name }) => name === 'node')?.state).toBe('ok')
})

test('a database that may lose commits, books that do not agree and clocks that differ are broken', async () => {
  await using folder = await temporaryFolder('doctor-')
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url, KHERAD_DATA: folder.path }
  const { id } = await done(env, 'account', 'create', '--name', 'a', '--credits', '5')
  // The harness runs its PostgreSQL with fsync off, and an operator's own may be durable: this one is off for sure.
  await using db = await openDb({ url: database.url })
  const { pathname } = new URL(database.url)
  await db.query({ text: `alter database ${pathname.slice(1)} set synchronous_commit = off` }, [])
  expect((await examine(env)).broken).toEqual({
    durability: expect.stringContaining('synchronous_commit = off'),
  })
  await db.query({ text: 'update ledger.balances set balance = balance + 1' }, [])
  const { broken } = await examine(env)
  expect(broken.ledger).toContain(`balance is the sum of its entries (${id})`)

  const session = {
    env: readEnv({}),
    language: 'en' as const,
    notify: () => undefined,
    status: () => undefined,
    stopping: new AbortController().signal,
    whenStopped: () => undefined,
    db: async () => db,
    openedDb: async () => db,
  }
  const clockOf = async (nowMs: () => number) =>
    (await checkDatabase({ ...session, clock: { nowMs } })).find(({ name }) => name === 'clock')
  const behind = await clockOf(() => Date.now() - 3_600_000)
  expect(behind).toMatchObject({ state: 'broken' })
  expect(behind?.message.en).toMatch(/differ by (359|360)\d{4} ms.*NTP/)
  // An answer that takes an hour says nothing about either clock.
  let askedMs = 0
  const slow = await clockOf(() => Date.now() - 1_800_000 + 3_600_000 * askedMs++)
  expect(slow).toMatchObject({ state: 'ok' })
})

test('the doctor changes nothing in the database: it migrates neither an empty nor a newer one', async () => {
  await using folder = await temporaryFolder('doctor-')
  await using database = await emptyDatabase()
  const env = { DATABASE_URL: database.url, KHERAD_DATA: folder.path }
  const empty = await examine(env)
  expect(empty.checks.find(({ name }) => name === 'migrations')?.message).toMatch(/^0 of \d+ migrations/)
  await using db = await openDb({ url: database.url })
  expect(await db.query({ text: `select to_regclass('platform.migrations') as there` }, [])).toEqual([
    { there: null },
  ])

  await done(env, 'account', 'list')
  await db.query(
    {
      text: `insert into platform.migrations (number, name, sha256) select max(number) + 1, '9999-later.sql', '' from platform.migrations`,
    },
    [],
  )
  expect((await examine(env)).broken.migrations).toContain('newer than this program (9999-later.sql)')
})

test('each provider is asked live, and one that refuses our key, is away or is something else is distinguished', async () => {
  await using folder = await temporaryFolder('doctor-')
  await using database = await cloneDatabase()
  await using good = await fakeUpstream()
  await using strict = await fakeUpstream()
  await using strange = await fakeUpstream()
  strict.reply(() => json(401, { error: { message: 'Incorrect API key', type: 'invalid_request_error' } }))
  strange.reply(() => json(404, { detail: 'Not Found' }))
  const entry = (id: string, url: string) =>
    `  - { id: ${id}, base_url: "${url}", api_key: secret-of-${id}, dialects: [chat] }\n`
  const file = path.join(folder.path, 'kherad.config.yaml')
  const providers =
    entry('good', good.url) +
    entry('strict', strict.url) +
    entry('strange', strange.url) +
    entry('away', 'http://127.0.0.1:1/v1')
  await writeFile(file, `providers:\n${providers}`)

  const { code, checks, broken } = await examine({
    DATABASE_URL: database.url,
    KHERAD_DATA: folder.path,
    KHERAD_CONFIG: file,
  })
  expect(code).toBe(1)
  expect(broken).toMatchObject({
    'provider strict': expect.stringMatching(/Refused our key.*correct the key/),
    'provider strange': expect.stringMatching(/check base_url/),
    'provider away': expect.stringMatching(
      /Cannot be reached at http:\/\/127\.0\.0\.1:1\/v1.*check the address/,
    ),
  })
  const state = Object.fromEntries(checks.map((check) => [check.name, check.state]))
  expect(state).toMatchObject({ config: 'ok', 'provider good': 'ok', 'provider sandbox': 'ok' })
  expect(good.calls).toMatchObject([{ method: 'GET', path: '/v1/models' }])
  expect(JSON.stringify(checks)).not.toContain('secret-of')
})

test('models that their vendors switch off are named: those of soon as a warning, those of the past as broken', async () => {
  await using folder = await temporaryFolder('doctor-shutdown-')
  const file = path.join(folder.path, 'kherad.config.yaml')
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const entry = (id: string, day: string) =>
    `  - { id: old/${id}, kind: text, shutdown_date: ${day}, deployments: [{ provider: sandbox, model: fast }], context_length: 1000, max_output_tokens: 100, pricing: { input_per_million: 0, output_per_million: 0 } }`
  await writeFile(
    file,
    [
      'models:',
      ...[entry('soon', inDays(30)), entry('late', inDays(300)), entry('gone', inDays(-1))],
      '  - { id: by/tokens, kind: image, deployments: [{ provider: sandbox, model: image }], image: { sizes: [512x512] }, pricing: { unit: tokens, input_per_million: 5, output_per_million: 30, output_tokens: [{ tokens: 196 }] } }',
    ].join('\n'),
  )
  const { code, checks, broken } = await examine({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    KHERAD_CONFIG: file,
    KHERAD_DATA: folder.path,
  })
  expect(code).toBe(1)
  expect(broken['shutdown']).toMatch(/^Switched off by their vendors: old\/gone \(/)
  const warning = checks.find(({ state }) => state === 'warning')
  expect(warning).toMatchObject({ name: 'shutdown', message: expect.stringContaining('old/soon') })
  expect(JSON.stringify(checks)).not.toContain('old/late')
  expect(checks).toContainEqual(expect.objectContaining({ name: 'models', state: 'ok' }))
})

test('databases of apps have lines of their own: what this machine has for them, and each server that is not fit for them', async () => {
  await using folder = await temporaryFolder('doctor-dedicated-')
  await using database = await cloneDatabase()
  const file = path.join(folder.path, 'kherad.config.yaml')
  const servers = { weak: database.url, away: 'postgres://root:hidden@127.0.0.1:1/postgres' }
  const withServers = (more: string) => `${packagesText}
databases:
  ${more}
  servers:
${Object.entries(servers)
  .map(([name, url]) => `    - { name: ${name}, url: "${url}" }`)
  .join('\n')}
`
  const env = { DATABASE_URL: database.url, KHERAD_CONFIG: file, KHERAD_DATA: folder.path }
  const examined = async (text: string) => {
    await writeFile(file, text)
    const { checks } = await examine(env)
    expect(JSON.stringify(checks)).not.toContain('hidden')
    const own = checks.filter(({ name }) => name.startsWith('cloud_'))
    return Object.fromEntries(own.map(({ name, state, message }) => [name, `${state}: ${message}`]))
  }
  const lines = await until(async () => {
    const seen = await examined(withServers('free_disk_percent: 1'))
    // A machine that was too busy to test its jail says so, and does it again.
    return seen['cloud_databases']?.includes('the test of the jail did not end as it should')
      ? undefined
      : seen
  })
  expect(lines).toMatchObject({
    // Of a PostgreSQL that the tests are given it may be one.
    'cloud_server weak': expect.stringMatching(
      /^(broken: The role of its url is no superuser|warning: Its max_notify_queue_pages)/,
    ),
    'cloud_server away': expect.stringMatching(/^broken: Cannot be connected to \(.*ECONNREFUSED/),
  })
  if (!(await hasJail())) expect(lines['cloud_databases']).toMatch(/^broken: Cannot be made on this machine/)
  else
    expect(lines).toMatchObject({
      cloud_databases: expect.stringMatching(/^ok: PostgreSQL \d+ runs in a jail/),
      cloud_disk: expect.stringMatching(/^(ok|broken): /),
      cloud_memory: expect.stringMatching(/^ok: 0 awake, with 0 of \d+ MiB/),
    })
  expect(Object.keys(await examined(withServers('local: false')))).toEqual(
    Object.keys(servers).map((name) => `cloud_server ${name}`),
  )
  expect(await examined('databases: {}\n')).toEqual({})
})
