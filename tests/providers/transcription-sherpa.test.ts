/**
 * sherpa-onnx in its process, by a stand-in with the shape of its package (tests/fixtures/sherpa-onnx-node). The library itself:
 * sherpa-library.test.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { buildCatalogue } from '#core/models'
import { encodeWhole } from '#core/sound'
import type { TranscriptionOrder } from '#core/turn'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { sherpaTranscription } from '#providers/sherpa'
import { sandboxModels } from '#sandbox'
import { loadConfig } from '#settings'
import { until } from '../harness/until.ts'
import { patient } from './asking.ts'
import { transcribing } from './media-asking.ts'

const root = mkdtempSync(path.join(tmpdir(), 'sherpa-'))
afterAll(() => rmSync(root, { recursive: true }))
const installed = path.resolve(import.meta.dirname, '../fixtures/sherpa-onnx-node')

function modelFolder(name: string, ...files: string[]): string {
  const folder = path.join(root, name)
  mkdirSync(folder, { recursive: true })
  for (const file of files) writeFileSync(path.join(folder, file), '{}')
  return folder
}
const transducer = modelFolder('shenava', 'encoder.int8.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt')
const whisper = modelFolder('whisper-fa', 'fa-encoder.onnx', 'fa-decoder.onnx', 'fa-tokens.txt')
const room = (folder = transducer, from = installed) => sherpaTranscription({ folder, package: from })

/** A second of sound, whose first sample says what becomes of it. */
async function recording(first = 0): Promise<TranscriptionOrder['recording']> {
  const samples = new Float32Array(16_000)
  samples[0] = first
  const { bytes } = await encodeWhole([{ rate: 16_000, samples }], { format: 'wav', maxBytes: 1 << 20 })
  return { bytes, mediaType: 'audio/wav', name: 'a.wav', seconds: 1 }
}
const asked = async (first: number, provider = room(), more = {}, options = {}) =>
  transcribing(provider, { recording: await recording(first), ...more }, options)

/** For several recordings of one process. */
const kept = (provider: ReturnType<typeof room>) => ({
  transcribe: provider.transcribe,
  [Symbol.asyncDispose]: async () => undefined,
})

describe('a recording', () => {
  test('is text, with words of their tokens and when they begin', async () => {
    const { heard, error } = await asked(0, room(), { timestamps: 'word' })
    expect(error).toBeUndefined()
    expect(heard).toEqual({
      text: 'سلام دنیا transducer 1',
      language: 'fa',
      words: [
        { start: 0.2, end: 0.9, word: 'سلام' },
        { start: 0.9, end: 1, word: 'دنیا' },
      ],
      segments: [{ start: 0.2, end: 1, text: 'سلام دنیا' }],
      usage: { seconds: 1 },
    })
  })

  test('tells a model of whisper its language, and needs none elsewhere', async () => {
    expect((await asked(0, room(whisper), { language: 'fa' })).heard?.text).toBe('سلام دنیا whisperfa 1')
    expect((await asked(0, room(whisper))).heard?.text).toBe('سلام دنیا whisper 1')
  })

  test.each([
    ['sense-voice-small', ['model.int8.onnx', 'tokens.txt'], 'senseVoice'],
    ['paraformer-zh', ['model.onnx', 'tokens.txt'], 'paraformer'],
    ['zipformer-ctc', ['model.onnx', 'tokens.txt'], 'zipformerCtc'],
    ['fastconformer', ['model.onnx', 'tokens.txt'], 'nemoCtc'],
  ])('a folder %s is known by its files', async (name, files, kind) => {
    expect((await asked(0, room(modelFolder(name, ...files)))).heard?.text).toBe(`سلام دنیا ${kind} 1`)
  })

  test('takes a configuration of its own where the folder has one', async () => {
    const folder = modelFolder('own', 'moon.onnx', 'tokens.txt')
    writeFileSync(
      path.join(folder, 'sherpa.json'),
      JSON.stringify({ modelConfig: { moonshine: { encoder: 'moon.onnx' }, tokens: 'tokens.txt' } }),
    )
    expect((await asked(0, room(folder))).heard?.text).toBe('سلام دنیا moonshine 1')
  })

  test('is given on whole to whoever waits for pieces', async () => {
    expect((await asked(0, room(), {}, { streams: true })).pieces).toEqual(['سلام دنیا transducer 1'])
  })
})

describe('what fails', () => {
  test('a package that is not there says how to install it; nothing was done', async () => {
    const { error } = await asked(0, room(transducer, path.join(root, 'nowhere')))
    expect(error).toMatchObject({ fault: 'not_found', executed: false })
    expect(error?.detail).toContain('npm install sherpa-onnx-node')
    await using doctor = room(transducer, path.join(root, 'nowhere'))
    await expect(doctor.ping(new AbortController().signal)).rejects.toThrow('npm install sherpa-onnx-node')
  })

  test('a folder that is not there, or has no model, is named', async () => {
    const missing = path.join(root, 'missing')
    expect((await asked(0, room(missing))).error?.detail).toBe(`there is no folder ${missing}`)
    const empty = modelFolder('empty', 'readme.md')
    expect((await asked(0, room(empty))).error?.detail).toContain(`${empty} has no file like`)
  })

  test('a process that dies takes only its recording with it: the next one has another', async () => {
    await using provider = room()
    const dead = await asked(0.9, kept(provider) as never)
    expect(dead.error).toMatchObject({ fault: 'unavailable', executed: false })
    expect((await asked(0, kept(provider) as never)).heard?.text).toBe('سلام دنیا transducer 1')
  })

  test('an error of the library, an answer without text and babble are told apart', async () => {
    await using provider = room()
    expect((await asked(0.7, kept(provider) as never)).error).toMatchObject({
      fault: 'unavailable',
      detail: 'onnxruntime: bad model',
    })
    expect((await asked(0.6, kept(provider) as never)).error?.fault).toBe('malformed')
    expect((await asked(0.5, kept(provider) as never)).error?.fault).toBe('malformed')
  })

  test('one that never ends is killed by the time that is left, and by a caller who leaves', async () => {
    await using provider = room()
    await provider.ping(new AbortController().signal)
    const late = await asked(0.8, kept(provider) as never, {}, { timeouts: { ...patient, totalMs: 200 } })
    expect(late.error).toMatchObject({ fault: 'timeout', executed: false })
    const caller = new AbortController()
    const left = asked(0.8, kept(provider) as never, {}, { signal: caller.signal })
    caller.abort()
    expect((await left).error).toMatchObject({ fault: 'aborted', executed: false })
    expect((await asked(0, kept(provider) as never)).heard?.text).toBe('سلام دنیا transducer 1')
  })

  test('recordings wait in turn, and more than sixteen are told to come later', async () => {
    await using provider = room()
    // All of them come at once, before the process has begun: none is over while others are still made.
    const order = { recording: await recording() }
    const all = await Promise.all(
      Array.from({ length: 20 }, () => transcribing(kept(provider) as never, order)),
    )
    const full = all.filter(({ error }) => error !== undefined)
    expect(full).toHaveLength(4)
    for (const { error } of full) expect(error).toMatchObject({ fault: 'overloaded', executed: false })
  })

  test('no sound is no work for it', async () => {
    const { error } = await transcribing(room(), {
      recording: { bytes: Buffer.from('nothing'.repeat(500)), mediaType: 'audio/wav', name: 'a', seconds: 1 },
    })
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
  })
})

/** The next child process, as Node tells of it. */
function nextChild(): Promise<ChildProcess> {
  const { promise, resolve } = Promise.withResolvers<ChildProcess>()
  const born = (message: unknown): void => {
    unsubscribe('child_process', born)
    resolve((message as { process: ChildProcess }).process)
  }
  subscribe('child_process', born)
  return promise
}

/** A model that is not open before `release`. */
function heldModel(name: string): { folder: string; release: () => void } {
  const folder = modelFolder(name, 'model.onnx', 'tokens.txt', 'hold')
  return { folder, release: () => rmSync(path.join(folder, 'hold')) }
}

describe('while a model opens', () => {
  test('a caller who leaves ends there: the recording is never begun, and the next one has its turn', async () => {
    const { folder, release } = heldModel('paraformer-left')
    await using provider = room(folder)
    const child = nextChild()
    const caller = new AbortController()
    const left = asked(0.8, kept(provider) as never, {}, { signal: caller.signal })
    await child
    caller.abort()
    expect((await left).error).toMatchObject({ fault: 'aborted', executed: false })
    const next = asked(0, kept(provider) as never)
    release()
    expect((await next).heard?.text).toBe('سلام دنیا paraformer 1')
    expect((await child).exitCode).toBeNull()
  })

  test('a recording that waits for another ends when its caller leaves or its time is over, and leaves its place', async () => {
    const { folder, release } = heldModel('paraformer-queue')
    await using provider = room(folder)
    const child = nextChild()
    const first = asked(0, kept(provider) as never)
    await child
    const late = await asked(0, kept(provider) as never, {}, { timeouts: { ...patient, totalMs: 50 } })
    expect(late.error).toMatchObject({ fault: 'timeout', executed: false })
    const caller = new AbortController()
    const waiting = Array.from({ length: 15 }, () =>
      asked(0, kept(provider) as never, {}, { signal: caller.signal }),
    )
    caller.abort()
    for (const { error } of await Promise.all(waiting))
      expect(error).toMatchObject({ fault: 'aborted', executed: false })
    const last = Array.from({ length: 15 }, () => asked(0, kept(provider) as never))
    release()
    for (const { heard } of await Promise.all([first, ...last]))
      expect(heard?.text).toBe('سلام دنیا paraformer 1')
  })

  test('a call has it opened ahead, for its first recording; what is missing is told by a recording alone', async () => {
    await using provider = room()
    const child = nextChild()
    await provider.warm!()
    const opened = await child
    const others: unknown[] = []
    const born = (message: unknown): void => void others.push(message)
    subscribe('child_process', born)
    expect((await asked(0, kept(provider) as never)).heard?.text).toBe('سلام دنیا transducer 1')
    unsubscribe('child_process', born)
    expect([opened.exitCode, others]).toEqual([null, []])
    await using away = room(path.join(root, 'away'))
    await away.warm!()
    expect((await asked(0, kept(away) as never)).error).toMatchObject({ executed: false })
  })

  test('a server that stops kills it, and waits for no model', async () => {
    const { folder } = heldModel('paraformer-stop')
    const provider = room(folder)
    const child = nextChild()
    const waiting = asked(0, kept(provider) as never)
    await child
    await provider[Symbol.asyncDispose]()
    expect((await child).signalCode).toBe('SIGKILL')
    expect((await waiting).error).toMatchObject({ fault: 'unavailable', detail: 'the server stops' })
  })

  test('a process that cannot be started is a failure, and stops as one that can', async () => {
    const { execPath } = process
    const provider = room(modelFolder('paraformer-none', 'model.onnx', 'tokens.txt'))
    process.execPath = path.join(root, 'no-node')
    try {
      expect((await asked(0, kept(provider) as never)).error).toMatchObject({ fault: 'not_found' })
    } finally {
      process.execPath = execPath
    }
    expect((await asked(0, kept(provider) as never)).heard?.text).toBe('سلام دنیا paraformer 1')
    await provider[Symbol.asyncDispose]()
  })
})

test('errors of a process that runs end neither the server nor the process', async () => {
  await using provider = room()
  const child = nextChild()
  await provider.ping(new AbortController().signal)
  for (const _ of [1, 2]) (await child).emit('error', new Error('kill EPERM'))
  expect((await asked(0, kept(provider) as never)).heard?.text).toBe('سلام دنیا transducer 1')
  expect((await child).exitCode).toBeNull()
})

test.skipIf(process.platform !== 'linux')('the process ends with a server that is killed', async () => {
  const program = `
    const { sherpaTranscription } = await import(${JSON.stringify(path.resolve(import.meta.dirname, '../../src/providers/sherpa/sherpa.ts'))})
    const room = sherpaTranscription(${JSON.stringify({ folder: transducer, package: installed })})
    await room.ping(new AbortController().signal)
    console.log('ready')`
  const root = path.resolve(import.meta.dirname, '../..')
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root })
  await once(server.stdout, 'data')
  const pid = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')[0]!
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  server.kill('SIGKILL')
  await until(() => !existsSync(`/proc/${pid}`) || /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
})

describe('in the file', () => {
  const start = (provider: string, settings = 'transcription: {}') =>
    buildCatalogue(
      loadConfig(
        readEnv({}),
        `providers:\n  - ${provider}\nmodels:\n  - id: house/fa\n    kind: transcription\n    deployments: [{ provider: local, model: shenava }]\n    ${settings}\n    pricing: { per_minute: 0 }\n`,
      ),
      { providers: [], models: [], silent: [] },
      sandboxModels,
    )

  test('a provider of sherpa has a folder in place of an address', () => {
    const catalogue = start(
      '{ id: local, dialects: [sherpa], folder: /models/shenava, package: /opt/sherpa }',
    )
    expect(catalogue.find('house/fa')).toMatchObject({ kind: 'transcription' })
    expect(catalogue.provider('local').sherpa).toEqual({ folder: '/models/shenava', package: '/opt/sherpa' })
  })

  test.each([
    ['{ id: local, dialects: [sherpa] }', /providers\[0\]\.folder is missing/],
    ['{ id: local, dialects: [transcriptions] }', /providers\[0\]\.base_url is missing/],
    ['{ id: local, dialects: [sherpa, chat], folder: /m }', /has sherpa beside others/],
    [
      '{ id: local, dialects: [sherpa], folder: /m, base_url: http://127.0.0.1:9/v1 }',
      /has sherpa beside others/,
    ],
    [
      '{ id: local, dialects: [transcriptions], base_url: http://127.0.0.1:9/v1, folder: /m }',
      /belongs to the dialect sherpa alone/,
    ],
  ])('%s is refused', (provider, sentence) => {
    expect(() => start(provider)).toThrow(sentence)
    expect(() => start(provider)).toThrow(StartRefused)
  })

  test.each([
    ['[sherpa]', 'diarize: true', /no place for telling speakers apart: leave transcription\.diarize out/],
    ['[sherpa]', 'formats: [mp3]', /which takes wav and not mp3/],
    ['[deepgram]', 'prompt: true', /no place for a prompt/],
    ['[openrouter]', 'keywords: true', /no place for keywords/],
    ['[elevenlabs]', 'stream: true', /comes piece by piece: leave transcription\.stream out/],
    ['[transcriptions]', 'diarize: true, timestamps: word', /write timestamps: segment beside diarize: true/],
  ])('a model that promises what the wire %s cannot do (%s) is refused', (dialects, setting, sentence) => {
    const place = dialects === '[sherpa]' ? 'folder: /m' : 'base_url: http://127.0.0.1:9/v1'
    const refused = () =>
      start(`{ id: local, dialects: ${dialects}, ${place} }`, `transcription: { ${setting} }`)
    expect(refused).toThrow(sentence)
    expect(refused).toThrow(StartRefused)
  })
})
