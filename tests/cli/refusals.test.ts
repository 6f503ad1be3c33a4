import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '#platform/db'
import { type ClonedDatabase, cloneDatabase, emptyDatabase } from '../harness/postgres.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { asProcess, done, kherad, launcher, refused } from './command-line.ts'

const unknown = '0199a0a0-0000-7000-8000-000000000000'
/** A command that must be refused before any database is asked does not have one. */
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }

describe('a command that is typed wrong ends with 2 and one sentence', () => {
  test.each([
    ['an unknown noun', ['acount', 'list'], /acount list/],
    ['a noun without its verb', ['account'], /create.*list.*grant/],
    ['an unknown option', ['account', 'list', '--bogus'], /--bogus/],
    ['an option of another command', ['account', 'list', '--scopes', 'all'], /--scopes/],
    ['an option without its value', ['account', 'create', '--name'], /--name/],
    ['an option whose value is the next option', ['project', 'create', '--name', '--cap', '5'], /--name/],
    ['a needed option left out', ['key', 'create'], /--name/],
    ['a needed word left out', ['account', 'grant', unknown], /CREDITS/],
    ['a word too many', ['account', 'list', 'all'], /all/],
    ['half an id', ['key', 'revoke', '0199a0a0'], /0199a0a0/],
    ['credits that are no number', ['account', 'grant', unknown, '1e3'], /1e3/],
    ['credits with seven decimals', ['account', 'grant', unknown, '0.0000001'], /0\.0000001/],
    ['no credits at all', ['account', 'grant', unknown, '0'], /CREDITS/],
    ['more credits than there can be', ['account', 'grant', unknown, '1000000000001'], /CREDITS/],
    ['a negative cap', ['account', 'create', '--name', 'a', '--cap', '-1'], /--cap/],
    ['nothing to change', ['account', 'set', unknown], /--plan.*--monthly-cap/],
    ['nothing to change of a key', ['key', 'set', unknown], /--models.*--expires/],
    ['a change of nothing named', ['project', 'set', '--cap', '5'], /PROJECT/],
    ['a cap that is no number', ['project', 'set', unknown, '--cap', 'all'], /--cap.*all/],
    ['a plan without a name', ['account', 'set', unknown, '--plan', ' '], /--plan/],
    ['an end in the past', ['key', 'set', unknown, '--expires', '2020-01-01'], /2020-01-01/],
    ['a list of no models', ['key', 'set', unknown, '--models', ','], /--models.*sandbox\/fast/],
    ['an empty name', ['account', 'create', '--name', ' '], /--name/],
    ['a name of 121 characters', ['account', 'create', '--name', 'ن'.repeat(121)], /۱۲۰/],
    [
      'an unknown scope',
      ['key', 'create', '--name', 'k', '--scopes', 'models:read,root'],
      /root.*models:read/,
    ],
    ['no scope', ['key', 'create', '--name', 'k', '--scopes', ','], /models:read/],
    ['an expiry in the past', ['key', 'create', '--name', 'k', '--expires', '2020-01-01'], /2020-01-01/],
    ['an expiry that is no day', ['key', 'create', '--name', 'k', '--expires', '2027-02-30'], /2027-02-30/],
  ])('%s', async (_what, words, sentence) => {
    const error = await refused(nowhere, ...words)
    expect(error).toMatchObject({ exit: 2, code: 'USAGE' })
    expect(error.message).toMatch(sentence)
  })
})

describe('what is not there, or not possible, ends with 1 and one sentence', () => {
  let database: ClonedDatabase
  beforeAll(async () => {
    database = await cloneDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test.each([
    ['an unknown account', ['account', 'grant', unknown, '5'], 'ACCOUNT_NOT_FOUND'],
    ['an unknown account to suspend', ['account', 'suspend', unknown], 'ACCOUNT_NOT_FOUND'],
    ['an unknown account to change', ['account', 'set', unknown, '--cap', '5'], 'ACCOUNT_NOT_FOUND'],
    ['an unknown account to plan for', ['account', 'set', unknown, '--plan', 'gold'], 'ACCOUNT_NOT_FOUND'],
    ['an unknown project to change', ['project', 'set', unknown, '--cap', '5'], 'PROJECT_NOT_FOUND'],
    ['an unknown key to change', ['key', 'set', unknown, '--cap', '5'], 'KEY_NOT_FOUND'],
    ['an unknown model of a key', ['key', 'set', unknown, '--models', 'no/such'], 'MODEL_NOT_FOUND'],
    [
      'an unknown account of a project',
      ['project', 'create', '--account', unknown, '--name', 'p'],
      'ACCOUNT_NOT_FOUND',
    ],
    ['no account at all', ['project', 'create', '--name', 'p'], 'ACCOUNT_NOT_FOUND'],
    ['an unknown project', ['key', 'create', '--project', unknown, '--name', 'k'], 'PROJECT_NOT_FOUND'],
    ['no project at all', ['key', 'create', '--name', 'k'], 'PROJECT_NOT_FOUND'],
    ['an unknown key', ['key', 'revoke', unknown], 'KEY_NOT_FOUND'],
    [
      'an unknown model',
      ['key', 'create', '--name', 'k', '--models', 'sandbox/fast,no/such'],
      'MODEL_NOT_FOUND',
    ],
  ])('%s', async (_what, words, code) => {
    expect(await refused({ DATABASE_URL: database.url }, ...words)).toMatchObject({ exit: 1, code })
  })

  test('an account of two, or a project of two, has to be named', async () => {
    await using other = await cloneDatabase()
    const env = { DATABASE_URL: other.url }
    const { id } = await done(env, 'account', 'create', '--name', 'a')
    for (const name of ['p', 'q']) await done(env, 'project', 'create', '--name', name)
    expect(await refused(env, 'key', 'create', '--name', 'k')).toMatchObject({ exit: 2, code: 'USAGE' })
    await done(env, 'account', 'create', '--name', 'b')
    expect(await refused(env, 'project', 'create', '--name', 'p')).toMatchObject({ exit: 2, code: 'USAGE' })
    expect(await done(env, 'project', 'create', '--account', id, '--name', 'p')).toMatchObject({
      account_id: id,
    })
  })

  test('a balance never passes what is exact', async () => {
    await using other = await cloneDatabase()
    const env = { DATABASE_URL: other.url }
    const { id } = await done(env, 'account', 'create', '--name', 'rich', '--credits', '1000000000000')
    expect(await refused(env, 'account', 'grant', id, '0.000001')).toMatchObject({
      exit: 1,
      code: 'BALANCE_TOO_BIG',
    })
  })
})

test('a process that is typed wrong ends with 2', async () => {
  expect(await asProcess.refused(nowhere, 'account')).toMatchObject({ exit: 2, code: 'USAGE' })
})

test('people are refused in both languages, and nothing is printed on standard output', async () => {
  const ran = await asProcess.kherad(nowhere, 'account', 'list')
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toMatch(
    /^[^\n]*پایگاه داده[^\n]*\nThe database at 127\.0\.0\.1:1\/none does not answer[^\n]*\n$/,
  )
})

test('the JSON of a refusal is in the language of KHERAD_LOCALE', async () => {
  expect((await asProcess.refused(nowhere, 'account', 'list')).message).toMatch(/پاسخ نمی‌دهد/)
  expect((await refused({ ...nowhere, KHERAD_LOCALE: 'en' }, 'account', 'list')).message).toMatch(
    /does not answer/,
  )
})

test('an empty database is migrated, and one that is newer than the program is left alone', async () => {
  await using database = await emptyDatabase()
  const env = { DATABASE_URL: database.url }
  expect((await done(env, 'account', 'list')).data).toEqual([])
  await using db = await openDb({ url: database.url })
  await db.query(
    {
      text: `insert into platform.migrations (number, name, sha256) select max(number) + 1, '9999-later.sql', '' from platform.migrations`,
    },
    [],
  )
  const error = await refused({ ...env, KHERAD_LOCALE: 'en' }, 'account', 'create', '--name', 'a')
  expect(error).toMatchObject({ exit: 1, code: 'START_REFUSED' })
  expect(error.message).toContain('newer than this program')
  expect(await db.query({ text: 'select 1 from auth.accounts' }, [])).toEqual([])
})

test('models lists pictures by tokens with their prices, as a table and for programs', async () => {
  await using folder = await temporaryFolder('kherad-cli-')
  const file = path.join(folder.path, 'kherad.config.yaml')
  await writeFile(
    file,
    `
providers: [{ id: acme, base_url: "http://127.0.0.1:1/v1", api_key: x, dialects: [images] }]
models:
  - id: acme/painter
    kind: image
    deployments: [{ provider: acme, model: p }]
    image: { sizes: [64x64] }
    pricing: { unit: tokens, input_per_million: 5.25, output_per_million: 30, output_tokens: [{ tokens: 196 }] }
`,
  )
  const env = { KHERAD_CONFIG: file }
  const { data } = await done(env, 'models')
  expect(data.find(({ id }: { id: string }) => id === 'acme/painter').pricing).toEqual({
    unit: 'tokens',
    input_per_million: 5.25,
    media_input_per_million: 5.25,
    output_per_million: 30,
    output_tokens: [{ tokens: 196 }],
    reference_tokens: 4_096,
    partial_tokens: 0,
    margin: 1.5,
  })
  expect((await kherad(env, 'models')).out).toMatch(/acme\/painter .*۵٫۲۵ .*۳۰ .*64x64/)
})

test('models lists what the configuration file offers, and refuses a faulty one', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-'))
  try {
    const file = path.join(folder, 'kherad.config.yaml')
    const env = { KHERAD_CONFIG: file }
    const entry = (price: string) => `
providers: [{ id: acme, base_url: "http://127.0.0.1:1/v1", api_key: x, dialects: [chat] }]
models:
  - { id: acme/own, kind: text, deployments: [{ provider: acme, model: m }], context_length: 8000, max_output_tokens: 800, input_modalities: [text]${price} }
defaults: { text_model: acme/own }
`
    await writeFile(file, entry(', pricing: { input_per_million: 1.5, output_per_million: 2 }'))
    const { data } = await done(env, 'models')
    expect(data[0]).toMatchObject({
      id: 'acme/own',
      default: true,
      sandbox: false,
      pricing: { input_per_million: 1.5 },
    })
    expect(data.map(({ id }: { id: string }) => id)).toContain('sandbox/fast')
    expect((await kherad(env, 'models')).out).toMatch(/acme\/own .*۱٫۵ .*پیش‌فرض/)
    await writeFile(file, entry(''))
    expect(await refused(env, 'models')).toMatchObject({ exit: 1, code: 'START_REFUSED' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the variables of the environment are listed with default and meaning, in both languages and without a database', async () => {
  const english = await kherad({ ...nowhere, KHERAD_LOCALE: 'en' }, 'config', 'variables')
  expect(english).toMatchObject({ code: 0, err: '' })
  expect(english.out).toMatch(/^KHERAD_PORT +8080 +The port to listen on/m)
  expect((await kherad(nowhere, 'config', 'variables')).out).toMatch(/^KHERAD_PORT +8080 +درگاهی/m)
  const { data } = await done({ ...nowhere, KHERAD_LOCALE: 'en' }, 'config', 'variables')
  expect(data).toContainEqual({
    name: 'KHERAD_HOST',
    default: '127.0.0.1',
    secret: false,
    about: 'The address to listen on; 0.0.0.0 for every interface.',
  })
  expect(data).toContainEqual(
    expect.objectContaining({ name: 'OPENAI_API_KEY', default: null, secret: true }),
  )
})

test('help and version need no database and end with 0', async () => {
  const { version } = (await import('../../package.json', { with: { type: 'json' } })).default
  expect(await asProcess.kherad(nowhere, '--version')).toMatchObject({ code: 0, out: `${version}\n` })
  const whole = await kherad({ ...nowhere, KHERAD_LOCALE: 'en' }, 'help')
  for (const name of ['account grant', 'project create', 'key revoke', 'models', 'doctor'])
    expect(whole.out).toContain(`kherad ${name}`)
  expect(await kherad(nowhere, '--help')).toMatchObject({ code: 0 })
  const noun = await kherad({ ...nowhere, KHERAD_LOCALE: 'en' }, 'key', '--help')
  expect(noun.out).toContain('--expires')
  expect(noun.out).not.toContain('kherad account')
  expect((await done(nowhere, 'help', 'key', 'create')).commands).toHaveLength(1)
})

test('a Node older than 24 with no newer one at hand is told so in one sentence of each language', async () => {
  const older =
    'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})'
  // That of the checkout, which the launcher would take if it were not the one that runs.
  const own = path.resolve(path.dirname(launcher), '../node_modules/node/bin/node')
  const child = spawn(own, ['--import', older, launcher, '--version'], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ out, code }).toEqual({ out: '', code: 1 })
  expect(err).toMatch(
    /^[^\n]*Node ۲۴[^\n]*\nKherad runs on Node 24 or newer and this is Node 20\.1\.0: [^\n]*\n$/,
  )
})

test('a server that answers "not now" is quoted while the command tries again', async () => {
  const answers = [503, 503, 200]
  const server = createServer((_request, reply) => {
    const status = answers.shift()!
    reply.writeHead(status, { 'content-type': 'application/json' })
    const error = { code: 'DATABASE_NO_ROOM', message: 'No memory is free.' }
    reply.end(JSON.stringify(status === 503 ? { error } : { data: [], has_more: false }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { KHERAD_KEY: 'khr_a', KHERAD_LOCALE: 'en', KHERAD_BASE_URL: url }
  const { code, err } = await kherad(env, 'cloud', 'list')
  server.close()
  expect([code, err]).toEqual([0, 'No memory is free. It is tried again for about two minutes.\n'])
})
