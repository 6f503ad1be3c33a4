/** The samples of the console's page of a new key, run as they stand: by a shell, by the official clients in Node, and by Python where its client is. */
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '#platform/auth'
import {
  type FirstCall,
  firstCallOf,
  maxTokens,
  mostMicrocredits,
  samplesOf,
} from '../../console/pages/keys/first-call.ts'
import { scopeNames } from '../../console/pages/keys/scope-groups.ts'
import { Client } from '../harness/client.ts'
import { newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { startMs } from '../harness/until.ts'
import type { World } from '../harness/world.ts'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const hasProgram = (name: string, words: string[]): boolean => spawnSync(name, words).status === 0
const hasCurl = hasProgram('curl', ['--version'])
const hasPythonClient = hasProgram('python3', ['-c', 'import openai'])

let world: World
let key: { secret: string; scopes: string[]; models: string[] | null }
let calls: Record<'chat' | 'models' | 'balance', FirstCall>
beforeAll(async () => {
  world = await sharedWorld()
  const owner = await newMember(world, 'owner')
  const made = await owner.post('/v1/keys', {
    name: 'first',
    scopes: ['models:read', 'responses:write', 'usage:read'],
    models: ['sandbox/fast'],
  })
  expect(made.status, made.text).toBe(201)
  key = made.body
  const models = (await owner.get('/v1/models')).body.data
  calls = {
    chat: firstCallOf(key, models),
    models: firstCallOf({ ...key, scopes: ['models:read'] }, models),
    balance: firstCallOf({ ...key, scopes: ['usage:read'] }, models),
  }
}, startMs)
afterAll(() => world?.[Symbol.asyncDispose]())

const samples = (name: keyof typeof calls) =>
  samplesOf(calls[name], { origin: world.url, secret: key.secret, message: "سلام! it's me" })
const codeOf = (name: keyof typeof calls, language: string): string =>
  samples(name).find((sample) => sample.language === language)!.code

/** What the sample prints. The environment has no keys of vendors, as on a machine where nothing was set. */
async function printed(language: string, code: string): Promise<string> {
  const [command, words] =
    language === 'curl'
      ? ['sh', ['-c', code.replace('curl ', 'curl -sS --fail-with-body ')]]
      : language === 'Python'
        ? ['python3', ['-c', code]]
        : [process.execPath, ['--input-type=module', '-e', code]]
  const env = { PATH: process.env['PATH'] }
  const { stdout } = await run(command as string, words as string[], { cwd: root, env, timeout: startMs })
  return stdout
}

describe('the first call', () => {
  test('is a chat with the model of the key, in five languages', () => {
    expect(calls.chat).toMatchObject({ name: 'chat', model: { id: 'sandbox/fast' } })
    expect(samples('chat').map(({ language }) => language)).toEqual([
      'curl',
      'OpenAI',
      'Anthropic',
      'AI SDK',
      'Python',
    ])
  })

  test.each(['OpenAI', 'Anthropic', 'AI SDK'])('answers the sample of %s', async (language) => {
    expect(await printed(language, codeOf('chat', language))).toContain("سلام! it's me")
  })

  test('holds at most what the page says before it', async () => {
    const message = "سلام! it's me"
    const { model } = calls.chat as FirstCall & { name: 'chat' }
    const client = new Client(world.url, key.secret, '')
    const body = { model: model.id, max_tokens: maxTokens, messages: [{ role: 'user', content: message }] }
    const answer = await client.post('/v1/chat/completions', body)
    expect(answer.status, answer.text).toBe(200)
    const { body: receipt } = await client.get(`/v1/requests/${answer.headers.get('x-request-id')}`)
    expect(BigInt(receipt.reserved_microcredits)).toBeGreaterThan(0n)
    expect(BigInt(receipt.reserved_microcredits)).toBeLessThanOrEqual(mostMicrocredits(model, message))
  })

  test.skipIf(!hasCurl)('answers the sample of curl', async () => {
    const answer = JSON.parse(await printed('curl', codeOf('chat', 'curl')))
    expect(answer.choices[0].message.content).toContain("سلام! it's me")
    const balance = JSON.parse(await printed('curl', codeOf('balance', 'curl')))
    expect(balance.currency).toBe('service_credits')
  })

  test.runIf(hasPythonClient)('answers the sample of Python', async () => {
    expect(await printed('Python', codeOf('chat', 'Python'))).toContain("سلام! it's me")
    expect(await printed('Python', codeOf('models', 'Python'))).toContain('sandbox/fast')
  })

  test('of a key that writes no text lists the models, by the same clients', async () => {
    for (const language of ['OpenAI', 'Anthropic'])
      expect((await printed(language, codeOf('models', language))).trim().split('\n'), language).toContain(
        'sandbox/fast',
      )
  })

  test('has in Python the address, the key and the model of the others', () => {
    const parts = [`base_url="${world.url}/v1"`, `api_key="${key.secret}"`, 'model="sandbox/fast"']
    for (const part of parts) expect(codeOf('chat', 'Python')).toContain(part)
  })
})

test('the console has words for every scope that a key can have, and for no other', () => {
  expect(scopeNames.toSorted()).toEqual([...scopes].toSorted())
})
