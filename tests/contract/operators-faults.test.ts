/** Faults that only the operator can fix: callers get no useless advice, and the operator sees the vendor's message. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { kherad } from '../cli/command-line.ts'
import { fakeUpstream, json, type Script } from '../harness/upstream.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { bootWatched } from '../platform/observability/watched.ts'
import { explained, requestIdOf } from '../text/chat-world.ts'

const complaint = (message: string, more: object = {}) => ({ error: { message, ...more } })
const secret = 'upstream-secret'

const faults: [string, Script, string][] = [
  [
    'a wrong key',
    json(401, complaint(`Incorrect API key provided: ${secret}. See sk-abcdefgh12345678.`)),
    'Incorrect API key provided: ***. See sk-***.',
  ],
  [
    'a forbidden region',
    json(403, complaint('Country, region, or territory not supported')),
    'Country, region, or territory not supported',
  ],
  ['no credit', json(402, complaint('Insufficient Balance')), 'Insufficient Balance'],
  [
    'an exhausted quota',
    json(429, complaint('You exceeded your current quota', { code: 'insufficient_quota' }), {
      'retry-after': '20',
    }),
    'You exceeded your current quota',
  ],
  [
    'an empty account told as a bad request',
    json(400, complaint('Your credit balance is too low')),
    'Your credit balance is too low',
  ],
  ['a wrong path', json(404, '<html><h1>Not Found</h1></html>'), 'Not Found'],
  ['a path that takes no POST', json(405, 'Method Not Allowed'), 'Method Not Allowed'],
  [
    'an unknown model',
    json(404, complaint('The model `upstream-model` does not exist', { code: 'model_not_found' })),
    'The model `upstream-model` does not exist',
  ],
]

test.each(faults)(
  '%s is not told as "send again", and the operator sees the vendor’s masked sentence',
  async (_name, script, sentence) => {
    await using at = await bootWatched()
    at.upstream.reply(script)
    at.second.reply(json(403, complaint('no entry here either')))
    const reply = await at.key.chat({ model: 'test/model', max_tokens: 10 })
    expect(reply.status).toBe(502)
    expect(reply.body.error.code).toBe('UPSTREAM_MISCONFIGURED')
    expect(reply.body.error.message).toMatch(/does not help: tell the operator the request_id/)
    expect(reply.headers.get('x-should-retry')).toBe('false')
    for (const name of ['retry-after', 'retry-after-ms']) expect(reply.headers.get(name)).toBeNull()
    // Each deployment was asked, and once.
    expect([at.upstream.calls.length, at.second.calls.length]).toEqual([1, 1])
    const id = requestIdOf(reply)
    const receipt = await at.key.receipt(id)
    expect(receipt.body.credits).toBe(0)

    const logged = at.lines
      .map((line) => JSON.parse(line))
      .filter((line) => line.deployment === 'fake/upstream-model' && line.said)
    expect(logged).toMatchObject([{ level: 40, provider: 'fake' }])
    expect(logged[0].said).toContain(sentence)
    const shown = await kherad(
      { DATABASE_URL: at.databaseUrl, KHERAD_LOCALE: 'en' },
      'receipt',
      'show',
      id,
      '--json',
    )
    expect(shown.json.detail.attempts[0].inside).toContain(sentence)
    const people = await kherad({ DATABASE_URL: at.databaseUrl, KHERAD_LOCALE: 'en' }, 'receipt', 'show', id)
    expect(people.out).toContain(sentence)

    // Callers see nothing of it, and nobody sees the key.
    for (const text of [reply.text, receipt.text]) expect(text).not.toContain(sentence)
    for (const text of [reply.text, receipt.text, at.lines.join(''), shown.out, people.out])
      expect(text).not.toContain(secret)
  },
)

test('another deployment answers, and a fault that may pass is what the caller is told of', async () => {
  await using at = await bootWatched()
  at.upstream.reply(json(401, complaint('bad key')))
  const answered = await at.key.chat({ model: 'test/model', max_tokens: 10 })
  expect(answered.status).toBe(200)
  const { details } = await explained(at.key, requestIdOf(answered))
  expect(details.attempts.map(({ outcome }) => outcome)).toEqual(['authentication', 'answered'])

  at.upstream.reply(json(500, 'oops'))
  at.second.reply(json(401, complaint('bad key')))
  const failed = await at.key.chat({ model: 'test/model', max_tokens: 10 })
  expect(failed.body.error.code).toBe('UPSTREAM_FAILED')
  expect(failed.headers.get('x-should-retry')).toBeNull()
})

test('a deployment that fails on and on is told to the operator once', async () => {
  await using at = await bootWatched()
  at.upstream.reply(json(401, complaint('bad key')))
  for (let nth = 0; nth < 5; nth += 1)
    expect((await at.key.chat({ model: 'test/model', max_tokens: 5 })).status).toBe(200)
  expect(at.lines.filter((line) => line.includes('bad key'))).toHaveLength(1)
})

test('the doctor names the models that the vendor does not have, and suggests the nearest', async () => {
  await using folder = await temporaryFolder('models-')
  await using upstream = await fakeUpstream()
  await using partial = await fakeUpstream()
  const list = [
    'gpt-5.2-mini',
    'gpt-5.2',
    'models/gemini-3-pro',
    'claude-sonnet-5-20260101',
    'llama4:latest',
  ].map((id) => ({ id }))
  upstream.reply(json(200, { object: 'list', data: list }))
  partial.reply(json(200, { data: [{ id: 'other' }], has_more: true }))
  const file = path.join(folder.path, 'kherad.config.yaml')
  const model = (id: string, provider: string, name: string) =>
    `  - { id: house/${id}, deployments: [{ provider: ${provider}, model: "${name}" }], context_length: 1000, max_output_tokens: 100, pricing: { input_per_million: 1, output_per_million: 1 } }`
  await writeFile(
    file,
    `providers:
  - { id: vendor, base_url: "${upstream.url}" }
  - { id: partial, base_url: "${partial.url}" }
models:
${model('a', 'vendor', 'gpt-5.2-mimi')}
${model('b', 'vendor', 'gemini-3-pro')}
${model('c', 'vendor', 'claude-sonnet-5-latest')}
${model('d', 'vendor', 'llama4')}
${model('e', 'vendor', 'something-entirely-else')}
${model('f', 'partial', 'not-in-this-page')}
`,
  )
  const env = {
    KHERAD_CONFIG: file,
    KHERAD_DATA: path.join(folder.path, 'data'),
    KHERAD_PORT: '0',
    KHERAD_LOCALE: 'en',
  }
  const ran = await kherad(env, 'doctor', '--json')
  const check = (name: string) => ran.json.checks.find((one: { name: string }) => one.name === name)
  expect(check('provider vendor')).toMatchObject({ state: 'ok' })
  expect(check('provider_models vendor')).toMatchObject({
    state: 'broken',
    message:
      'Does not have: gpt-5.2-mimi (perhaps gpt-5.2-mini), something-entirely-else: correct the name in deployments.',
  })
  expect(check('provider_models partial')).toBeUndefined()
})

test('the doctor says the vendor’s masked sentence', async () => {
  await using folder = await temporaryFolder('keys-')
  await using upstream = await fakeUpstream()
  upstream.reply(json(401, complaint(`Incorrect API key provided: ${secret}`)))
  const file = path.join(folder.path, 'kherad.config.yaml')
  await writeFile(file, `providers:\n  - { id: vendor, base_url: "${upstream.url}", api_key: ${secret} }\n`)
  const env = {
    KHERAD_CONFIG: file,
    KHERAD_DATA: path.join(folder.path, 'data'),
    KHERAD_PORT: '0',
    KHERAD_LOCALE: 'en',
  }
  const ran = await kherad(env, 'doctor', '--json')
  const check = ran.json.checks.find((one: { name: string }) => one.name === 'provider vendor')
  expect(check.state).toBe('broken')
  expect(check.message).toContain('Incorrect API key provided: ***')
  expect(ran.out + ran.err).not.toContain(secret)
})
