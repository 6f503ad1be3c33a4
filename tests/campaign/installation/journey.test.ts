import { expect, test } from 'vitest'
import { asProcess } from '../../cli/command-line.ts'
import { Client } from '../../harness/client.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { boot } from '../../harness/world.ts'

const { done, kherad } = asProcess

test('what the CLI makes works at a running server, and what it revokes or suspends is refused within a second', async () => {
  await using database = await cloneDatabase()
  await using server = await startProcess({ databaseUrl: database.url })
  const env = { DATABASE_URL: database.url }
  const { account, project, key } = await makeKey(env)

  const client = new Client(server.url, key.secret, key.id)
  const reply = await client.chat({ model: 'sandbox/fast' })
  expect(reply.status).toBe(200)
  expect((await client.chat({ model: 'sandbox/omni' })).status).toBe(403)

  const receipt = await until(async () => {
    const { body } = await client.receipt(reply.headers.get('x-request-id') ?? '')
    return body.pending === false && body
  })
  const keys = await done(env, 'key', 'list', '--project', project.id)
  expect(keys.data).toHaveLength(1)
  expect(keys.data[0]).toMatchObject({
    id: key.id,
    spent_microcredits: receipt.microcredits,
    month_spent_microcredits: receipt.microcredits,
  })
  expect(JSON.stringify(keys)).not.toContain(key.secret)
  const projects = await done(env, 'project', 'list', '--account', account.id)
  expect(projects.data).toMatchObject([
    { id: project.id, cap_microcredits: '10000000', spent_microcredits: receipt.microcredits },
  ])
  const accounts = await done(env, 'account', 'list')
  const left = 12_500_000n - BigInt(receipt.microcredits)
  expect(accounts.data.find(({ id }: { id: string }) => id === account.id)).toMatchObject({
    balance_microcredits: String(left),
    balance_credits: 12,
  })

  const answers = (status: number) => until(async () => (await client.get('/v1/models')).status === status)
  await done(env, 'account', 'suspend', account.id)
  await answers(403)
  await done(env, 'account', 'resume', account.id)
  await answers(200)
  const revoked = await done(env, 'key', 'revoke', key.id)
  await answers(401)
  expect(await done(env, 'key', 'revoke', key.id)).toEqual(revoked)
})

/** `name value …` as `--name value …`. */
const given = (options: Record<string, string>): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])

/** An account with 12.5 credits, its project and a key of it, each checked as it is made. */
async function makeKey(env: Record<string, string>) {
  const account = await done(
    env,
    'account',
    'create',
    ...given({ name: 'شرکت', plan: 'gold', 'monthly-cap': '500' }),
  )
  expect(account).toMatchObject({
    name: 'شرکت',
    plan: 'gold',
    state: 'active',
    balance_microcredits: '0',
    month_cap_microcredits: '500000000',
    cap_microcredits: null,
  })
  const granted = await done(env, 'account', 'grant', account.id, '12.5', '--reason', 'سفارش ۱')
  expect(granted).toMatchObject({
    account_id: account.id,
    microcredits: '12500000',
    balance_microcredits: '12500000',
    repeated: false,
  })
  const ofAccount = given({ account: account.id, name: 'web', cap: '10' })
  const project = await done(env, 'project', 'create', ...ofAccount)
  const ofProject = given({
    project: project.id,
    name: 'one',
    models: 'sandbox/fast',
    expires: '30d',
    cap: '5',
  })
  const key = await done(env, 'key', 'create', ...ofProject)
  expect(key).toMatchObject({
    project_id: project.id,
    state: 'active',
    models: ['sandbox/fast'],
    cap_microcredits: '5000000',
  })
  return { account, project, key }
}

test('people read aligned Persian tables with Jalali dates, or English ones', async () => {
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url }
  expect((await kherad(env, 'account', 'list')).out).toContain('هنوز حسابی نیست')
  await done(env, 'account', 'create', '--name', 'می‌نا', '--credits', '1234567.25')
  await done(env, 'account', 'create', '--name', 'b', '--credits', '1')

  const persian = await kherad(env, 'account', 'list')
  expect(persian).toMatchObject({ code: 0, err: '' })
  expect(persian.out).toContain('۱٬۲۳۴٬۵۶۷٫۲۵')
  expect(persian.out).toMatch(/۱[۴-۵][۰-۹]{2}\/[۰۱][۰-۹]\/[۰-۳][۰-۹] [۰-۲][۰-۹]:[۰-۵][۰-۹]/)
  // The joiner of «می‌نا» takes no cell, so its line is one character longer up to the next column.
  const starts = persian.out
    .split('\n')
    .slice(1, 3)
    .map((line) => line.indexOf('standard'))
  const [joined = 0, plain = 0] = starts
  expect(joined - plain).toBe(1)

  const english = await kherad({ ...env, KHERAD_LOCALE: 'en' }, 'account', 'list')
  expect(english.out).toContain('1,234,567.25')
  expect(english.out).toMatch(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}Z/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every character of the Latin block.
  expect(english.out.replace('می‌نا', '').replaceAll('—', '')).toMatch(/^[\x00-\x7f]*$/)
})

test('the secret of a key is shown to people once, and the only account and project need no name', async () => {
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url }
  const account = await done(env, 'account', 'create', '--name', 'a')
  const project = await done(env, 'project', 'create', '--name', 'p')
  expect(project.account_id).toBe(account.id)
  const made = await kherad(env, 'key', 'create', '--name', 'k', '--scopes', 'models:read, usage:read')
  expect(made.code).toBe(0)
  expect(made.out).toMatch(/^ {2}khr_[0-9A-Za-z]{49}$/m)
  const { data } = await done(env, 'key', 'list')
  expect(data).toMatchObject([
    { project_id: project.id, scopes: ['models:read', 'usage:read'], models: null, expires_at: null },
  ])
  expect((await kherad(env, 'key', 'list')).out).not.toMatch(/khr_/)
})

test('commands of a server, of its database and of neither end by themselves, as processes', async () => {
  await using world = await boot()
  const cloud = await world.cloud('shop')
  const env = {
    ...{ KHERAD_KEY: cloud.client.secret, KHERAD_BASE_URL: world.url, KHERAD_LOCALE: 'en' },
    DATABASE_URL: world.app.config.databaseUrl!,
  }
  const commands = [
    ['models'],
    ['config', 'variables'],
    ['site', 'list'],
    ['site', 'all'],
    ['cloud', 'list'],
    ['cloud', 'all'],
    ['cloud', 'functions', 'list', 'shop'],
    ['cloud', 'users', 'list', 'shop'],
    ['account', 'set', world.account, '--cap', '5'],
  ]
  for (const words of commands) await done(env, ...words)
})
