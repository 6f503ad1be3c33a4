/** Servers of this machine that write recordings down: found by what only they answer, free, and asked as they want to be. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildCatalogue, discover, type TranscriptionModel } from '#core/models'
import { readEnv } from '#platform/config'
import { openOutbound } from '#platform/proxy'
import { sandboxModels } from '#sandbox'
import { loadConfig } from '#settings'
import { connect } from '../../src/connect.ts'
import { freePort } from '../harness/free-port.ts'
import { formIn } from '../harness/transcription-upstream.ts'
import { type FakeUpstream, fakeUpstream, json } from '../harness/upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { patient } from './asking.ts'
import { recorded } from './media-asking.ts'

let server: FakeUpstream
beforeEach(async () => {
  server = await fakeUpstream()
})
afterEach(() => server[Symbol.asyncDispose]())

const nowhere = async () => `127.0.0.1:${await freePort()}`
const host = () => server.url.replace('/v1', '')

/** What is found where the variables say, and nothing else of this machine. */
async function found(variables: Record<string, string>) {
  const env = {
    OLLAMA_HOST: await nowhere(),
    SPEACHES_HOST: await nowhere(),
    LOCALAI_HOST: await nowhere(),
    WHISPER_CPP_HOST: await nowhere(),
    ...variables,
  }
  const config = loadConfig(readEnv(env))
  const outbound = openOutbound(config)
  return { config, outbound, discovered: await discover(config.vendors, outbound) }
}

const transcribers = (models: Awaited<ReturnType<typeof found>>['discovered']['models']) =>
  models.filter((model) => model.kind === 'transcription')

describe('Speaches', () => {
  const models = {
    data: [
      { id: 'Systran/faster-whisper-small', object: 'model', task: 'automatic-speech-recognition' },
      { id: 'speaches-ai/piper-fa', object: 'model', task: 'text-to-speech' },
      { id: 'a b\n', object: 'model', task: 'automatic-speech-recognition' },
    ],
  }

  test('lists its models of transcription at no price, and is asked by OpenAI’s wire', async () => {
    server.reply((call) => json(200, call.method === 'GET' ? models : { text: 'سلام' }))
    const { config, outbound, discovered } = await found({ SPEACHES_HOST: host() })
    expect(server.calls[0]?.path).toBe('/v1/models?task=automatic-speech-recognition')
    const [model, another] = transcribers(discovered.models)
    expect(another).toBeUndefined()
    expect(model).toMatchObject({ id: 'speaches/Systran/faster-whisper-small', ownedBy: 'speaches' })
    expect((model as TranscriptionModel).pricing).toEqual({
      perMinute: 0,
      minimumSeconds: 0,
      inputPerMillion: 0,
      outputPerMillion: 0,
    })
    await using stack = new AsyncDisposableStack()
    const upstreams = connect(buildCatalogue(config, discovered, sandboxModels), guarded({}), outbound, stack)
    const { orders } = upstreams.get('speaches')!
    const call = {
      upstreamModel: 'm',
      signal: new AbortController().signal,
      timeouts: patient,
      attemptId: 'a',
    }
    expect(await orders.transcription!.transcribe({ ...call, order: recorded })).toEqual({ text: 'سلام' })
    expect(server.calls.at(-1)?.path).toBe('/v1/audio/transcriptions')
  })

  test('is not every server that lists models', async () => {
    server.reply(json(200, { data: [{ id: 'qwen', object: 'model' }] }))
    const { discovered } = await found({ SPEACHES_HOST: host() })
    expect(transcribers(discovered.models)).toEqual([])
    expect(discovered.silent).toContain(host())
  })
})

test('LocalAI lists those of its models that transcribe', async () => {
  server.reply(
    json(200, {
      data: [
        { id: 'whisper-base', capabilities: ['transcript'] },
        { id: 'llama', capabilities: ['chat', 'completion'] },
      ],
    }),
  )
  const { discovered } = await found({ LOCALAI_HOST: host() })
  expect(server.calls[0]?.path).toBe('/v1/models/capabilities')
  expect(transcribers(discovered.models).map(({ id }) => id)).toEqual(['localai/whisper-base'])
})

test('whisper.cpp’s server names itself, and is asked where it listens for recordings', async () => {
  server.reply((call) =>
    call.method === 'GET'
      ? json(200, '<html>', { server: 'whisper.cpp', 'content-type': 'text/html' })
      : json(200, { text: ' سلام\n' }),
  )
  const { config, outbound, discovered } = await found({ WHISPER_CPP_HOST: host() })
  expect(transcribers(discovered.models).map(({ id }) => id)).toEqual(['whispercpp/whisper'])
  await using stack = new AsyncDisposableStack()
  const upstreams = connect(buildCatalogue(config, discovered, sandboxModels), guarded({}), outbound, stack)
  const { orders } = upstreams.get('whispercpp')!
  const call = { upstreamModel: 'm', signal: new AbortController().signal, timeouts: patient, attemptId: 'a' }
  expect(await orders.transcription!.transcribe({ ...call, order: recorded })).toEqual({ text: 'سلام' })
  expect(server.calls.at(-1)?.path).toBe('/inference')
  expect(formIn(server.calls.at(-1)!).fields['language']).toEqual(['auto'])
})

test('nobody there, pages, errors and lists without end are no servers; only named ones are reported', async () => {
  const { discovered } = await found({})
  expect(transcribers(discovered.models)).toEqual([])
  expect(discovered.silent).toHaveLength(4)
  for (const answer of [
    json(200, '<!doctype html>'),
    json(500, { error: 'broken' }),
    json(200, { data: 'x'.repeat(5_000_000) }),
    json(200, [1, 2]),
  ]) {
    server.reply(answer)
    const names = { SPEACHES_HOST: host(), LOCALAI_HOST: host(), WHISPER_CPP_HOST: host() }
    expect(transcribers((await found(names)).discovered.models)).toEqual([])
  }
})

test('an entry of the file takes the place of a server of that name', async () => {
  server.reply(json(200, '<html>', { server: 'whisper.cpp' }))
  const { outbound, discovered } = await found({ WHISPER_CPP_HOST: host() })
  const own = loadConfig(
    readEnv({}),
    `providers: [{ id: whispercpp, base_url: http://127.0.0.1:9/v1, dialects: [transcriptions] }]`,
  )
  const catalogue = buildCatalogue(own, discovered, sandboxModels)
  expect(catalogue.find('whispercpp/whisper')).toBeUndefined()
  expect(outbound).toBeDefined()
})
