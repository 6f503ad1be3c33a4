/** The sandbox writes down its own speech word for word, whatever became of its bytes, and of every other sound invents no word. */
import { describe, expect, test } from 'vitest'
import {
  decodeSound,
  encodeWhole,
  joinSpeech,
  resample,
  type Sound,
  type SoundFormat,
  silencesIn,
} from '#core/sound'
import type { UpstreamFault } from '#core/spec'
import type { TranscriptionOrder } from '#core/turn'
import { sandboxAudio, sandboxTranscription } from '#sandbox'
import { ffmpeg, hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import { sine, speechLike, whole } from '../../core/sound/samples.ts'
import { patient } from '../../providers/asking.ts'
import { type Outcome, transcribing } from '../../providers/media-asking.ts'

const text =
  'سلام، حال شما چطور است؟ من کتاب خریدم و ۳۵ سیب خوردم!\nThe machine (of Kherad) speaks at 3.5 percent.'
const mina = 'sandbox-mina'
const kian = 'sandbox-kian'
const room = () => ({ ...sandboxTranscription(), [Symbol.asyncDispose]: async () => undefined })

async function spoken(...lines: [text: string, voice: string][]): Promise<Sound> {
  const pieces: Uint8Array[] = []
  await sandboxAudio().speak({
    order: {
      lines: lines.map(([line, voice]) => ({ text: line, voice })),
      format: { encoding: 'pcm' },
      sink: {
        begin: () => undefined,
        write: (bytes) => {
          pieces.push(bytes)
        },
      },
    },
    upstreamModel: 'speech',
    signal: new AbortController().signal,
    timeouts: patient,
    attemptId: 'a-1',
  })
  return await whole(decodeSound(pieces, { pcm: { rate: 24_000, channels: 1 } }))
}

const encoded = async (sound: Sound, format: SoundFormat, rate?: number): Promise<Uint8Array> =>
  (await encodeWhole([sound], { format, rate, maxBytes: 1 << 28 })).bytes

function hearing(
  bytes: Uint8Array,
  seconds: number,
  more: Partial<TranscriptionOrder> = {},
  streams = false,
): Promise<Outcome> {
  const recording = { bytes, mediaType: 'audio/any', name: 'a.any', seconds }
  return transcribing(
    room(),
    { recording, timestamps: 'word', ...more },
    { upstreamModel: 'transcribe', streams },
  )
}

const secondsOf = ({ rate, samples }: Sound): number => samples.length / rate
const part = ({ rate, samples }: Sound, from: number, to?: number): Sound => ({
  rate,
  samples: samples.slice(Math.round(from * rate), to === undefined ? undefined : Math.round(to * rate)),
})

describe('its own speech', () => {
  for (const voice of [mina, kian])
    for (const format of ['wav', 'mp3', 'opus', 'flac'] as const)
      test(`of ${voice} comes back exactly out of ${format}`, async () => {
        const sound = await spoken([text, voice])
        const { heard, error } = await hearing(await encoded(sound, format), secondsOf(sound))
        expect(error).toBeUndefined()
        expect(heard?.text).toBe(text)
      })

  test.each([8, 12, 20])('comes back exactly from 16 kHz, %d dB quieter', async (quieter) => {
    const sound = await spoken([text, kian])
    const samples = sound.samples.map((sample) => sample * 10 ** (-quieter / 20))
    const bytes = await encoded({ ...sound, samples }, 'wav', 16_000)
    expect((await hearing(bytes, secondsOf(sound))).heard?.text).toBe(text)
  })

  test.skipIf(!hasFfmpeg)('comes back exactly out of what ffmpeg makes of it', async () => {
    const sound = await spoken([text, mina])
    const wav = await encoded(sound, 'wav')
    for (const codec of [
      ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
      ['-c:a', 'libmp3lame', '-b:a', '128k', '-ar', '44100', '-ac', '2', '-f', 'mp3'],
    ]) {
      const made = ffmpeg(['-v', 'error', '-i', '-', ...codec, '-'], wav).output
      const back = ffmpeg(
        ['-v', 'error', '-i', '-', '-ar', '16000', '-ac', '1', '-f', 'wav', '-'],
        made,
      ).output
      expect((await hearing(back, secondsOf(sound))).heard?.text).toBe(text)
    }
  })

  test.each(['سلام.', 'A', 'نه؟', '«و» (نه) 😀 یا HTTP', 'She sells sea shells, six sick sheep.', 'پنج\nشش'])(
    'comes back exactly, however short or odd: %s',
    async (short) => {
      for (const voice of [mina, kian]) {
        const sound = await spoken([short, voice])
        expect((await hearing(await encoded(sound, 'mp3'), secondsOf(sound))).heard?.text).toBe(short)
      }
    },
  )

  test('loses of a text with more signs than sounds only what is not said', async () => {
    const sound = await spoken([`سلام ${'😀'.repeat(500)} دنیا.`, mina])
    expect(secondsOf(sound)).toBeLessThan(4)
    expect((await hearing(await encoded(sound, 'wav'), secondsOf(sound))).heard?.text).toBe('سلام دنیا.')
  })

  test('says when each word is spoken: where there is sound, in order, and silence between sentences', async () => {
    const sound = await spoken(['سلام دنیا. حال شما چطور است؟', mina])
    const { heard } = await hearing(await encoded(sound, 'wav'), secondsOf(sound))
    expect(heard?.words?.map(({ word }) => word)).toEqual(['سلام', 'دنیا.', 'حال', 'شما', 'چطور', 'است؟'])
    for (const [at, { start, end }] of heard!.words!.entries()) {
      expect(end).toBeGreaterThan(start)
      expect(start).toBeGreaterThanOrEqual(heard!.words![at - 1]?.end ?? 0)
    }
    const [pause] = await silencesIn([sound])
    const [, before, after] = heard!.words!
    expect(Math.abs(before!.end - pause!.start / sound.rate)).toBeLessThan(0.12)
    expect(Math.abs(after!.start - pause!.end / sound.rate)).toBeLessThan(0.12)
    expect(heard?.segments).toEqual([
      { start: heard!.words![0]!.start, end: before!.end, text: 'سلام دنیا.' },
      { start: after!.start, end: heard!.words!.at(-1)!.end, text: 'حال شما چطور است؟' },
    ])
    expect(heard).toMatchObject({ language: 'fa', usage: { seconds: secondsOf(sound) } })
  })

  test('cut at a pause is heard in two pieces as in one', async () => {
    const sound = await spoken([text, mina])
    const pauses = (await silencesIn([sound])).filter(({ start }) => start > 0)
    const at = (pauses[1]!.start + pauses[1]!.end) / 2 / sound.rate
    const heard = await Promise.all(
      [part(sound, 0, at), part(sound, at)].map(async (piece) =>
        hearing(await encoded(piece, 'wav', 16_000), secondsOf(piece)),
      ),
    )
    const whole = await hearing(await encoded(sound, 'wav'), secondsOf(sound))
    expect(heard.flatMap((one) => one.heard!.words!.map(({ word }) => word))).toEqual(
      whole.heard!.words!.map(({ word }) => word),
    )
  })

  test('tells its voices apart, and only where that was asked for', async () => {
    const sound = await spoken(['سلام مینا.', kian], ['سلام، خوبی؟', mina], ['بله.', kian])
    const joined = await whole(joinSpeech([[sound]], { rate: 24_000, lufs: -16 }))
    const bytes = await encoded(joined, 'opus')
    const { heard } = await hearing(bytes, secondsOf(joined), { diarize: true })
    expect(heard?.segments?.map(({ text: said, speaker }) => [speaker, said])).toEqual([
      [kian, 'سلام مینا.'],
      [mina, 'سلام، خوبی؟'],
      [kian, 'بله.'],
    ])
    const plain = await hearing(bytes, secondsOf(joined))
    expect(plain.heard?.segments?.every(({ speaker }) => speaker === undefined)).toBe(true)
    expect(plain.heard?.text).toBe('سلام مینا. سلام، خوبی؟ بله.')
  })

  test('is given on word by word, and together these are the text', async () => {
    const sound = await spoken([text, mina])
    const { heard, pieces } = await hearing(await encoded(sound, 'wav'), secondsOf(sound), {}, true)
    expect(pieces!.length).toBeGreaterThan(10)
    expect(pieces!.join('')).toBe(heard?.text)
  })
})

describe('every other sound', () => {
  const noise = {
    rate: 16_000,
    samples: Float32Array.from({ length: 64_000 }, (_, at) => Math.sin(at * at * 0.7) * 0.3),
  }
  test.each<[string, Sound]>([
    ['tones like syllables', speechLike(16_000, 4)],
    ['noise', noise],
    ['a tone in the band of the track', sine(16_000, 6_000, 4)],
  ])('%s: is described in the language that is asked for, without a word of its own', async (_, sound) => {
    const bytes = await encoded(sound, 'wav')
    const persian = (await hearing(bytes, 4)).heard!
    expect(persian.text).toMatch(/^شبیه‌ساز تنها گفتار خودش را می‌شناسد: این ضبط ۴ ثانیه است/)
    expect(persian).toMatchObject({
      language: 'fa',
      segments: [{ start: 0, end: 4, text: persian.text }],
      words: [],
    })
    const english = (await hearing(bytes, 4, { language: 'en' })).heard!
    expect(english.text).toMatch(
      /^The sandbox knows its own speech only: this recording lasts 4 s, is \d+ dB/,
    )
  })

  test('silence says nothing', async () => {
    const bytes = await encoded({ rate: 16_000, samples: new Float32Array(32_000) }, 'wav')
    expect((await hearing(bytes, 2)).heard).toEqual({
      text: '',
      segments: [],
      words: [],
      usage: { seconds: 2 },
    })
  })

  test('what is no sound is refused', async () => {
    const { error } = await hearing(Buffer.from('no sound at all'.repeat(200)), 2)
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
  })

  test('of its own speech that was destroyed nothing is made up: blocks are whole or not there', async () => {
    const sound = await spoken([text, mina])
    for (const strength of [0.05, 0.1, 0.2]) {
      const samples = sound.samples.map((sample, at) => sample + strength * Math.sin(at * at * 0.37 + at))
      const { heard } = await hearing(await encoded({ ...sound, samples }, 'wav'), secondsOf(sound))
      const words = new Set(text.split(/\s+/))
      expect(heard!.words!.filter(({ word }) => !words.has(word))).toEqual([])
    }
  })
})

describe('orders in the prompt', () => {
  const ask = async (prompt: string, more: { upstreamModel?: string; signal?: AbortSignal } = {}) => {
    const sound = await spoken(['سلام دنیا.', mina])
    const bytes = await encoded(sound, 'wav')
    const recording = { bytes, mediaType: 'audio/wav', name: 'a.wav', seconds: secondsOf(sound) }
    return transcribing(
      room(),
      { recording, prompt: `[[sandbox: ${prompt}]]` },
      { upstreamModel: 'transcribe', streams: true, ...more },
    )
  }

  test.each<UpstreamFault>([
    'connect',
    'reset',
    'timeout',
    'rate_limited',
    'overloaded',
    'unavailable',
    'invalid_request',
    'content_refused',
    'authentication',
    'not_found',
    'malformed',
  ])('fault=%s fails before a word', async (fault) => {
    const { error, pieces } = await ask(`fault=${fault} retry_after_ms=700`)
    expect(error).toMatchObject({ fault, retryAfterMs: 700 })
    expect(pieces).toEqual([])
  })

  test('a fault may come after words, and for one deployment only', async () => {
    const { error, pieces } = await ask('fault=cut after=1')
    expect([error?.fault, error?.executed, pieces]).toEqual(['cut', true, ['سلام']])
    const other = await ask('fault=cut on=transcribe:b')
    expect(other.error).toBeUndefined()
    expect(
      (await ask('fault=unavailable on=transcribe:b', { upstreamModel: 'transcribe:b' })).error?.fault,
    ).toBe('unavailable')
  })

  test('refuse, bytes=wrong, bytes=cut and omit=usage do what they say', async () => {
    expect((await ask('refuse')).error).toMatchObject({ fault: 'content_refused', executed: false })
    expect((await ask('bytes=wrong')).error).toMatchObject({ fault: 'malformed', executed: true })
    expect((await ask('tokens=9 bytes=cut')).error).toMatchObject({ fault: 'cut', executed: true })
    expect((await ask('omit=usage')).heard?.usage).toBeUndefined()
  })

  test('tokens makes it babble, up to what anybody can say in the time', async () => {
    expect((await ask('tokens=5')).heard?.text).toBe('سلام دنیا. سلام دنیا. سلام')
    const { error, pieces } = await ask('tokens=10000')
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect(pieces!.length).toBeLessThan(200)
  })

  test('an unknown model, an unknown order and an abort do no work', async () => {
    expect((await ask('tokens=1', { upstreamModel: 'whisper' })).error).toMatchObject({
      fault: 'not_found',
      executed: false,
    })
    expect((await ask('explode')).error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect((await ask('tokens=1', { signal: AbortSignal.abort() })).error).toMatchObject({
      fault: 'aborted',
      executed: false,
    })
  })
})

test('the track stays below the voice and costs the speech no time', async () => {
  const sound = await spoken(['در یکی از کوچه‌های قدیمی شهر، کتابخانه‌ای کوچک هست.', mina])
  const low = await whole(resample([sound], 8_000))
  const level = ({ samples }: Sound): number =>
    Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length)
  // All above 4 kHz, consonants too, is a small part of the whole.
  expect(level(low) / level(sound)).toBeGreaterThan(0.9)
})
