import { expect, test } from 'vitest'
import { done, kherad, refused } from '../../cli/command-line.ts'
import { Client } from '../../harness/client.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

/** A running server with one account of 1,000 credits, one project, and a key of it. */
async function site() {
  await using making = new AsyncDisposableStack()
  const database = making.use(await cloneDatabase())
  const env = { DATABASE_URL: database.url }
  const set = (...words: string[]) => done(env, ...words)
  const account: string = (await set('account', 'create', '--name', 'a', '--credits', '1000')).id
  const project: string = (await set('project', 'create', '--name', 'p')).id
  const key = await set('key', 'create', '--name', 'k', '--expires', '30d', '--scopes', 'responses:write')
  // A server that finds accounts makes none of its own.
  const server = making.use(await startProcess({ databaseUrl: database.url }))
  const client = new Client(server.url, key.secret, key.id)
  const owned = making.move()
  return {
    env,
    set,
    account,
    project,
    key: key.id as string,
    client,
    /** The status of a chat, and the code where it was refused. */
    async chat(model = 'sandbox/fast'): Promise<string> {
      const { status, body } = await client.chat({ model })
      return status === 200 ? '200' : `${status} ${body.error.code}`
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

test.concurrent('a cap set on account, project or key binds the very next call of a running server, and none lifts it', async () => {
  await using at = await site()
  for (const [noun, id] of [
    ['account', at.account],
    ['project', at.project],
    ['key', at.key],
  ] as const) {
    expect(await at.chat()).toBe('200')
    for (const cap of ['--cap', '--monthly-cap']) {
      await at.set(noun, 'set', id, cap, '0.000001')
      expect(await at.chat(), `${noun} ${cap}`).toBe('402 BUDGET_EXCEEDED')
      await at.set(noun, 'set', id, cap, 'none')
      expect(await at.chat(), `${noun} ${cap} none`).toBe('200')
    }
  }
})

test.concurrent('what is left out stays as it is', async () => {
  await using at = await site()
  const caps = { cap_microcredits: '5000000', month_cap_microcredits: '2500000' }
  const both = ['--cap', '5', '--monthly-cap', '۲٫۵']
  expect(await at.set('account', 'set', at.account, ...both)).toMatchObject({ id: at.account, ...caps })
  expect(await at.set('account', 'set', at.account, '--plan', 'gold')).toMatchObject({
    plan: 'gold',
    ...caps,
  })
  const less = { cap_microcredits: null, month_cap_microcredits: '2500000' }
  expect(await at.set('account', 'set', at.account, '--cap', 'none')).toMatchObject({ plan: 'gold', ...less })

  expect(await at.set('project', 'set', at.project, ...both)).toMatchObject({ id: at.project, ...caps })
  expect(await at.set('project', 'set', at.project, '--cap', 'none')).toMatchObject({ name: 'p', ...less })

  const before = (await at.set('key', 'list')).data[0]
  const narrow = await at.set('key', 'set', at.key, '--models', 'sandbox/fast')
  expect(narrow).toEqual({ ...before, models: ['sandbox/fast'] })
  expect(await at.set('key', 'set', at.key, ...both)).toEqual({ ...narrow, ...caps })
  const endless = await at.set('key', 'set', at.key, '--expires', 'never')
  expect(endless).toEqual({ ...narrow, ...caps, expires_at: null })
  expect((await at.set('key', 'list')).data).toEqual([endless])
})

test.concurrent('a running server knows the models, the end and the plan it is told within a second', async () => {
  await using at = await site()
  const answers = (expected: string, model: string) => until(async () => (await at.chat(model)) === expected)

  expect(await at.chat('sandbox/omni')).toBe('200')
  await at.set('key', 'set', at.key, '--models', 'sandbox/fast')
  await answers('403 MODEL_NOT_ALLOWED', 'sandbox/omni')
  expect(await at.chat('sandbox/fast')).toBe('200')
  await at.set('key', 'set', at.key, '--models', 'all')
  await answers('200', 'sandbox/omni')

  // Far enough ahead for the command, which runs in this process; the server believed in thirty days until then.
  const end = new Date(Date.now() + 10_000)
  await at.set('key', 'set', at.key, '--expires', end.toISOString())
  await until(() => Date.now() > end.getTime() - 500)
  await answers('401 INVALID_API_KEY', 'sandbox/fast')
  expect(Date.now()).toBeGreaterThanOrEqual(end.getTime())
  await at.set('key', 'set', at.key, '--expires', 'never')
  await answers('200', 'sandbox/fast')

  await at.set('account', 'set', at.account, '--plan', 'none')
  await answers('403 PLAN_REQUIRED', 'sandbox/fast')
  await at.set('account', 'set', at.account, '--plan', 'standard')
  await answers('200', 'sandbox/fast')
})

test.concurrent('what a key’s answers of Responses may have unasked is set within its bounds, reported, and known to a running server within a second', async () => {
  await using at = await site()
  const applied = async () =>
    (await at.client.post('/v1/responses', { input: 'hello' })).headers.get('x-max-output-tokens')
  const option = '--responses-max-output-tokens'
  expect(await applied()).toBe('2048')
  for (const typed of ['1', '32768', '۸۱۹۲']) {
    const tokens = typed === '۸۱۹۲' ? 8192 : Number(typed)
    expect(await at.set('key', 'set', at.key, option, typed)).toMatchObject({
      id: at.key,
      responses_max_output_tokens: tokens,
    })
    // What the sandbox can write at most.
    await until(async () => (await applied()) === String(Math.min(tokens, 16_384)))
  }
  expect((await at.set('key', 'list')).data).toMatchObject([{ responses_max_output_tokens: 8192 }])
  expect(await at.set('key', 'set', at.key, '--rate', '60')).toMatchObject({
    responses_max_output_tokens: 8192,
  })
  for (const typed of ['0', '32769', '1.5', '-1', 'all'])
    expect(await refused(at.env, 'key', 'set', at.key, option, typed)).toMatchObject({
      exit: 2,
      code: 'USAGE',
    })
  await at.set('key', 'set', at.key, option, 'none')
  await until(async () => (await applied()) === '2048')
  const made = await at.set('key', 'create', '--name', 'long', option, '4096')
  expect(made).toMatchObject({ responses_max_output_tokens: 4096 })
  const shown = await kherad({ ...at.env, KHERAD_LOCALE: 'en' }, 'key', 'list')
  expect(shown.out).toMatch(/responses output/)
  expect(shown.out).toMatch(/4,096/)
})

test.concurrent('a revoked key is not changed, and people are shown what became of a key', async () => {
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url, KHERAD_LOCALE: 'en' }
  await done(env, 'account', 'create', '--name', 'a', '--cap', 'none')
  await done(env, 'project', 'create', '--name', 'p')
  const { id } = await done(env, 'key', 'create', '--name', 'k', '--models', 'all', '--expires', 'never')
  const shown = await kherad(env, 'key', 'set', id, '--cap', '1234.5')
  expect(shown).toMatchObject({ code: 0, err: '' })
  expect(shown.out).toMatch(/every server knows within a second:\n.*cap +1,234\.5\n/s)

  await done(env, 'key', 'revoke', id)
  const [before] = (await done(env, 'key', 'list')).data
  const error = await refused(env, 'key', 'set', id, '--cap', '5', '--models', 'sandbox/fast')
  expect(error).toMatchObject({ exit: 1, code: 'KEY_REVOKED' })
  expect((await done(env, 'key', 'list')).data).toEqual([before])
})

test.concurrent('the pages of a key are set, reported, and lifted, and what is no origin is refused with the form of one', async () => {
  await using at = await site()
  const typed = 'https://App.example.com/,http://localhost:5173'
  const origins = ['https://app.example.com', 'http://localhost:5173']
  expect(await at.set('key', 'set', at.key, '--origins', typed)).toMatchObject({ id: at.key, origins })
  const page = { origin: 'https://evil.example' }
  await until(async () => (await at.client.chat({}, page)).status === 403)
  expect(await at.set('key', 'set', at.key, '--rate', '60')).toMatchObject({ origins })
  for (const wrong of ['*', 'app.example.com', 'https://a.example/path', ''])
    expect(await refused(at.env, 'key', 'set', at.key, '--origins', wrong)).toMatchObject({
      exit: 2,
      code: 'USAGE',
    })
  expect(await at.set('key', 'set', at.key, '--origins', 'none')).toMatchObject({ origins: null })
  await until(async () => (await at.client.chat({}, page)).status === 200)
  const made = await at.set('key', 'create', '--name', 'page', '--origins', 'https://a.example')
  expect(made).toMatchObject({ origins: ['https://a.example'] })
})
