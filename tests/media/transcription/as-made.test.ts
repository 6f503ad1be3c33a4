/** Recordings as people make them: types as browsers say them, files that break off, and sound in which nobody speaks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { speechLike } from '../../core/sound/samples.ts'
import type { Seen } from '../../harness/client.ts'
import type { HeardForm } from '../../harness/transcription-upstream.ts'
import { requestIdOf } from '../../text/chat-world.ts'
import {
  bodyOf,
  path,
  sendForm,
  shareOnEars,
  type TranscriptionsWorld,
  wavOf,
} from '../transcriptions-world.ts'

let at: TranscriptionsWorld
beforeAll(async () => {
  at = await shareOnEars()
})
afterAll(() => at[Symbol.asyncDispose]())
/** The calls that came before a test. */
let calls = 0
beforeEach(() => {
  at.upstream.reset()
  calls = at.upstream.forms().length
})
const forms = (): HeardForm[] => at.upstream.forms().slice(calls)

const send = (bytes: Uint8Array, more: Record<string, unknown> = {}, headers = {}): Promise<Seen> =>
  at.key.post(path, bodyOf(bytes, { model: 'test/words', ...more }), headers)

/** What a call takes from the account, once all is settled. */
async function chargedFor(act: () => Promise<Seen>): Promise<{ reply: Seen; charged: bigint }> {
  await at.world.settled()
  const before = await at.world.balance()
  const reply = await act()
  await at.world.settled()
  const after = await at.world.balance()
  return { reply, charged: before.available - after.available }
}

const microcredits = 1_000_000n
const encoded = async (format: 'mp3' | 'opus' | 'flac' | 'wav', seconds: number): Promise<Buffer> =>
  Buffer.from((await encodeWhole([speechLike(24_000, seconds)], { format, maxBytes: 1 << 24 })).bytes)

describe('a type', () => {
  test('is taken as browsers, recorders and forms say it', async () => {
    const wav = await wavOf(0.5)
    const browsers = ['audio/webm;codecs=opus', 'audio/webm; codecs="opus"', 'audio/x-m4a', 'audio/mp3', 'AUDIO/WAV', 'audio/x-wav', 'video/webm', 'audio/aiff']
    const pickers = ['video/3gpp', 'audio/mp2', 'audio/vnd.dlna.adts', 'audio/x-opus+ogg', 'video/ogg', 'video/x-matroska', 'application/octet-stream', '', undefined]
    const names = [...browsers, ...pickers]
    for (const mediaType of names) {
      const reply = await send(wav, { mediaType })
      expect([mediaType, reply.status], reply.text).toEqual([mediaType, 200])
    }
    for (const format of ['WAV', 'audio/webm;codecs=opus', 'application/octet-stream']) {
      const body = { model: 'test/words', input_audio: { data: wav.toString('base64'), format } }
      const reply = await at.key.post(path, body)
      expect([format, reply.status], reply.text).toEqual([format, 200])
    }
    for (const type of ['audio/webm;codecs=opus', 'application/octet-stream', 'AUDIO/WEBM', 'image/jpg'])
      for (const name of ['گفتگو.WEBM', 'blob']) {
        const reply = await sendForm(at.key, { bytes: wav, type, name }, { model: 'test/words' })
        expect([type, name, reply.status], reply.text).toEqual([type, name, 200])
      }
  })

  test('that is none of sound is refused', async () => {
    for (const mediaType of ['audio/midi', 'text/plain', 'audio/']) {
      const { status, body } = await send(await wavOf(0.5), { mediaType })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'mediaType'])
    }
  })

  test('that says nothing leaves it to the bytes, which a refusal names', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    for (const mediaType of ['application/octet-stream', '', 'audio/wav']) {
      const { status, body } = await send(png, { mediaType })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_MEDIA', 'audioBase64'])
      expect(body.error.message).toContain('the bytes are image/png')
    }
  })
}) // biome-ignore format: a row of names

describe('a recording that breaks off', () => {
  test.each(['wav', 'mp3', 'opus', 'flac'] as const)(
    '%s is heard up to there, which the header says; it is converted, and charged by what was heard',
    async (format) => {
      const bytes = await encoded(format, 4)
      const cut = bytes.subarray(0, Math.floor(bytes.length * 0.7))
      for (const act of [
        () => send(cut, { mediaType: 'audio/webm;codecs=opus' }),
        () =>
          sendForm(
            at.key,
            { bytes: cut, name: `talk.${format}` },
            { model: 'test/words', response_format: 'verbose_json' },
          ),
      ]) {
        const { reply, charged } = await chargedFor(act)
        expect(reply.status, reply.text).toBe(200)
        const seconds = Number(reply.headers.get('x-truncated-audio'))
        expect(seconds).toBeGreaterThan(2)
        expect(seconds).toBeLessThan(3.2)
        expect(reply.body.duration).toBeCloseTo(seconds, 2)
        expect(charged).toBe(BigInt(Math.ceil(seconds)) * microcredits)
        const { file } = at.upstream.forms().at(-1)!
        expect(file.name).toBe('recording.wav')
        expect((file.bytes.length - 44) / 32_000).toBeCloseTo(seconds, 2)
        const receipt = (await at.key.receipt(requestIdOf(reply))).body
        expect(receipt.details.recording.truncated).toBe(true)
      }
    },
  )

  test('a FLAC that begins inside a frame is heard from its first whole one on, and stored as FLAC', async () => {
    const whole = await encoded('flac', 4)
    const bytes = whole.subarray(Math.floor(0.4 * whole.length))
    for (const act of [
      () => send(bytes, { mediaType: 'application/octet-stream' }),
      () => sendForm(at.key, { bytes, name: 'talk.flac' }, { model: 'test/words' }),
    ]) {
      const { reply, charged } = await chargedFor(act)
      expect(reply.status, reply.text).toBe(200)
      const seconds = Number(reply.headers.get('x-truncated-audio'))
      expect(seconds).toBeGreaterThan(1)
      expect(seconds).toBeLessThan(4)
      expect(charged).toBe(BigInt(Math.ceil(seconds)) * microcredits)
      const { file } = at.upstream.forms().at(-1)!
      expect(file.name).toBe('recording.wav')
      expect((file.bytes.length - 44) / 32_000).toBeCloseTo(seconds, 2)
    }
    const stored = await at.key.post('/v1/files', { data: bytes.toString('base64') })
    expect(stored.body, stored.text).toMatchObject({ media_type: 'audio/flac' })
  })

  test('is told by the repeat of its answer too, with what had no effect', async () => {
    const cut = (await wavOf(2)).subarray(0, 40_000)
    const act = () => send(cut, { vad_filter: true }, { 'idempotency-key': 'cut-1' })
    const [first, again] = [await act(), await act()]
    expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', first.text])
    for (const name of ['x-truncated-audio', 'x-ignored-fields']) {
      expect(first.headers.get(name)).toBeTruthy()
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
  })

  test('that is whole has no such header', async () => {
    expect((await send(await encoded('mp3', 1))).headers.get('x-truncated-audio')).toBeNull()
  })

  test('a WAV whose head claims hours is held and charged by what is there', async () => {
    const wav = await wavOf(1.5)
    wav.writeUInt32LE(0x7000_0000, 40)
    const { reply, charged } = await chargedFor(() => send(wav))
    expect([reply.status, reply.headers.get('x-truncated-audio'), charged]).toEqual([
      200,
      '1.5',
      2n * microcredits,
    ])
  })

  test('of which nothing can be heard is refused, and costs nothing', async () => {
    const flac = await encoded('flac', 1)
    const nothing = [
      flac.subarray(0, 60),
      (await encoded('opus', 1)).subarray(0, 90),
      Buffer.alloc(4_000, 'talk'),
    ]
    for (const bytes of nothing) {
      const { reply, charged } = await chargedFor(() => send(bytes))
      expect([reply.status, reply.body.error.code, charged]).toEqual([400, 'INVALID_MEDIA', 0n])
    }
    expect(forms()).toHaveLength(0)
  })
})

const sampleRate = 16_000
const spoken = (seconds: number): Float32Array => speechLike(sampleRate, seconds).samples
const joined = async (...parts: Float32Array[]): Promise<Buffer> => {
  const pieces = parts.map((samples) => ({ rate: sampleRate, samples }))
  return Buffer.from((await encodeWhole(pieces, { format: 'wav', maxBytes: 1 << 24 })).bytes)
}
const silent = (seconds: number): Float32Array => new Float32Array(seconds * sampleRate)

describe('sound in which nobody speaks', () => {
  test('is not sent to a model that makes up words for it: the text is empty, and nothing is charged', async () => {
    const bytes = await joined(silent(5))
    const headers = { 'idempotency-key': 'silence-1' }
    const { reply, charged } = await chargedFor(() => send(bytes, { model: 'test/whisper' }, headers))
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({ text: '', duration: 5, segments: [], usage: { microcredits: '0' } })
    expect([charged, forms().length]).toEqual([0n, 0])
    const receipt = (await at.key.receipt(requestIdOf(reply))).body
    expect(receipt).toMatchObject({
      microcredits: '0',
      details: { recording: { pieces: 0, billed_seconds: 0 } },
    })
    const again = await send(bytes, { model: 'test/whisper' }, headers)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([reply.text, 'true'])
    for (const format of ['text', 'srt', 'vtt', 'json']) {
      const fields = { model: 'test/whisper', response_format: format }
      const formatted = await sendForm(at.key, { bytes }, fields)
      expect([format, formatted.status], formatted.text).toEqual([format, 200])
    }
    const streamed = await sendForm(at.key, { bytes }, { model: 'test/whisper', stream: 'true' })
    expect(streamed.text).toContain('transcript.text.done')
    expect(forms()).toHaveLength(0)
  })

  test('is sent where the entry says so, or the model invents nothing', async () => {
    const bytes = await joined(silent(5))
    for (const model of ['test/whisper-all', 'test/words']) {
      const { reply, charged } = await chargedFor(() => send(bytes, { model }))
      expect([reply.body.text, charged], reply.text).toEqual(['سلام دنیا', 5n * microcredits])
    }
    const card = async (model: string) => (await at.key.get(`/v1/models/${encodeURIComponent(model)}`)).body
    expect((await card('test/whisper')).studio_settings.vad).toBe(true)
    expect((await card('test/whisper-all')).studio_settings.vad).toBe(false)
  })

  test('speech is sent, also where it is quiet, short, or begins after minutes', async () => {
    const quiet = spoken(2).map((sample) => sample / 100)
    for (const bytes of [
      await joined(quiet),
      await joined(spoken(0.6)),
      await joined(silent(8), spoken(1.5)),
    ]) {
      const { reply } = await chargedFor(() => send(bytes, { model: 'test/whisper' }))
      expect(reply.body.text, reply.text).toBe('سلام دنیا')
    }
  })

  test('of a long recording the pieces without speech are left out, and only the others are charged', async () => {
    const bytes = await joined(spoken(8), silent(24), spoken(6))
    const { reply, charged } = await chargedFor(() => send(bytes, { model: 'test/whisper' }))
    expect([reply.status, reply.body.duration], reply.text).toEqual([200, 38])
    const sent = forms().map(({ file }) => Math.ceil((file.bytes.length - 44) / 32_000))
    expect(sent.length).toBeGreaterThan(1)
    expect(sent.length).toBeLessThan(4)
    const billed = sent.reduce((sum, seconds) => sum + Math.max(3, seconds), 0)
    expect(billed).toBeLessThan(30)
    expect(charged).toBe(BigInt(billed) * microcredits)
    expect(reply.body.segments.at(-1).start).toBeGreaterThan(20)
  })
})
