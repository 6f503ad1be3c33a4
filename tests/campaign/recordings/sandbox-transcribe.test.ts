/** Offline, over HTTP: what `sandbox/speech` says, `sandbox/transcribe` writes down, whole, cut, told apart and streamed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ffmpeg, hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import type { Client } from '../../harness/client.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import { path, sendForm, wavOf } from '../../media/transcriptions-world.ts'

/** The sandbox under bounds of its own, so that recordings are cut: an entry of the file may name it as any provider. */
const config = `
models:
  - id: house/short
    kind: transcription
    deployments: [{ provider: sandbox, model: transcribe }]
    transcription: { max_seconds: 20, timestamps: word, diarize: true, prompt: true }
    pricing: { per_minute: 0.06 }
`
const sentence = 'سلام، حال شما چطور است؟ من کتاب خریدم و ۳۵ سیب خوردم! The machine speaks at 3.5 percent.'
/** Longer than `house/short` takes at once. */
const story = [
  'در یکی از کوچه‌های قدیمی شهر، کتابخانه‌ای کوچک هست که هر روز صبح زود باز می‌شود.',
  'کتابدار آن، زنی آرام و باحوصله، نام بیشتر خواننده‌ها را از بر می‌داند.',
  'دانش‌آموزها بعد از مدرسه به آنجا می‌آیند و کنار پنجره می‌نشینند.',
  'بوی کاغذ و چای تازه، فضای سالن را گرم‌تر از بیرون نشان می‌دهد.',
  'روی یک میز بلند، نقشه‌ای از رودها و کوه‌های ایران پهن شده است.',
  'پیرمردی هر هفته خاطره‌ای از سفرهای جوانی‌اش برای بچه‌ها تعریف می‌کند.',
  'کسی عجله ندارد و صدای ورق خوردن کتاب‌ها از هر گوشه شنیده می‌شود.',
  'در قفسهٔ آخر، دیوان شاعران در کنار کتاب‌های ستاره‌شناسی جا گرفته است.',
  'گاهی باران به شیشه می‌زند و همه برای چند لحظه سر بلند می‌کنند.',
].join(' ')

const encoders = hasFfmpeg ? ffmpeg(['-v', 'error', '-encoders']).output.toString() : ''
const oggCodecs = ['libvorbis', 'libopus'].map((name) => ({ name, isBuilt: encoders.includes(` ${name} `) }))
for (const { name, isBuilt } of oggCodecs)
  if (!isBuilt) console.warn(`ffmpeg with ${name} is not installed: its Ogg is not written down`)

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld({ config, credits: 100_000 })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

async function spoken(input: string, format: string): Promise<Buffer> {
  const body = { model: 'sandbox/speech', voice: 'sandbox-mina', input, response_format: format }
  const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(body))
  expect(reply.status).toBe(200)
  return Buffer.from(await reply.arrayBuffer())
}

test.each(['mp3', 'opus', 'wav', 'flac'])(
  'a spoken sentence comes back exactly out of %s',
  async (format) => {
    const bytes = await spoken(sentence, format)
    const reply = await sendForm(
      key,
      { bytes, name: `speech.${format}` },
      { response_format: 'verbose_json' },
    )
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({ text: sentence, language: expect.stringMatching(/^(fa|persian)$/i) })
  },
)

describe.each(oggCodecs)('Ogg of $name', ({ name, isBuilt }) => {
  test.skipIf(!isBuilt)('is converted, and comes back exactly', async () => {
    const wav = await spoken(sentence, 'wav')
    const { output } = ffmpeg(
      ['-v', 'error', '-i', '-', '-ar', '48000', '-c:a', name, '-b:a', '96k', '-f', 'ogg', '-'],
      wav,
    )
    const reply = await sendForm(key, { bytes: output, name: 'speech.ogg' }, { model: 'sandbox/transcribe' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.text).toBe(sentence)
  })
})

test('it is charged by the minute, once, and stands on its receipt', async () => {
  const bytes = await spoken('سلام دنیا.', 'wav')
  const before = await world.balance()
  const reply = await sendForm(key, { bytes }, { model: 'sandbox/transcribe' })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.text).toBe('سلام دنیا.')
  await world.settled()
  const after = await world.balance()
  // 0.006 USD a minute, two seconds, a thousand credits a USD.
  expect(before.available - after.available).toBe(200_000n)
  expect((await key.receipt(reply.headers.get('x-request-id')!)).body).toMatchObject({
    microcredits: '200000',
    details: { recording: { billed_seconds: 2 }, files: [reply.headers.get('x-file-ids')] },
  })
})

test('a long recording that is cut at pauses is heard as it is whole: no word lost, none doubled', async () => {
  const bytes = await spoken(story, 'mp3')
  const whole = await sendForm(key, { bytes }, { model: 'sandbox/transcribe' })
  const cut = await sendForm(key, { bytes }, { model: 'house/short' })
  expect(whole.body.text).toBe(story)
  expect(cut.status, cut.text).toBe(200)
  expect(cut.body.text.split(/\s+/)).toEqual(story.split(/\s+/))
})

test('its order for a fault is charged nothing and says what happened', async () => {
  const bytes = await spoken('سلام دنیا.', 'wav')
  const before = await world.balance()
  const reply = await sendForm(
    key,
    { bytes },
    { model: 'sandbox/transcribe', prompt: '[[sandbox: fault=rate_limited]]' },
  )
  expect(reply.status).toBe(429)
  await world.settled()
  expect(await world.balance()).toEqual(before)
})

test('a recording of something else is described, in the language that is said', async () => {
  const body = { model: 'sandbox/transcribe', mediaType: 'audio/wav' }
  const tone = await wavOf(2)
  const reply = await key.post(path, { ...body, audioBase64: tone.toString('base64'), language: 'en' })
  expect(reply.body.text).toMatch(/^The sandbox knows its own speech only: this recording lasts 2 s/)
})
