/** POST /v1/studio/audio with a recording: every container that recorders write is answered, and what cannot be read costs nothing. */
import { existsSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ffmpeg, hasFfmpeg, withFile } from '../../core/sound/ffmpeg.ts'
import { whole } from '../../core/sound/samples.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { boot, type World } from '../../harness/world.ts'
import { recordingsRoom, requester } from './room.ts'

const recordings = await recordingsRoom()

let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ credits: 1_000 })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const answer = (bytes: Uint8Array, mediaType: string, headers = {}, client = key): Promise<Seen> => {
  const audioInput = { audioBase64: Buffer.from(bytes).toString('base64'), mediaType }
  return client.post('/v1/studio/audio', { model: 'sandbox/speech', audioInput, format: 'wav' }, headers)
}

const made = (args: string[], { hasSound = true } = {}): Buffer =>
  withFile(new Uint8Array(0), 'bin', (file) => {
    const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=3']
    const film = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10:d=3']
    ffmpeg(['-v', 'error', ...(hasSound ? tone : film), ...args, '-y', file])
    return readFileSync(file)
  })

/** Refused with this sentence in both languages, and nothing was held or charged. */
async function expectRefusal(bytes: Uint8Array, mediaType: string, en: string, fa: string): Promise<void> {
  const before = await world.balance()
  for (const [language, sentence] of Object.entries({ en, fa })) {
    const reply = await answer(bytes, mediaType, { 'accept-language': language })
    expect(reply.status, reply.text).toBe(400)
    expect(reply.body.error).toMatchObject({ code: 'INVALID_MEDIA', param: 'audioInput.audioBase64' })
    expect(reply.body.error.message).toContain(sentence)
  }
  expect(await world.balance()).toEqual(before)
}

describe.skipIf(!hasFfmpeg)('files of ffmpeg', () => {
  test.each([
    ['WebM with Opus', 'audio/webm', ['-c:a', 'libopus', '-f', 'webm']],
    ['MP4 with Opus', 'audio/mp4', ['-c:a', 'libopus', '-f', 'mp4']],
    ['MP4 with Opus that is said to be WebM', 'audio/webm', ['-c:a', 'libopus', '-f', 'mp4']],
    ['Matroska with FLAC', 'audio/webm', ['-c:a', 'flac', '-f', 'matroska']],
    ['Ogg with Opus', 'audio/ogg', ['-c:a', 'libopus', '-f', 'ogg']],
    ['Ogg with Vorbis', 'audio/ogg', ['-c:a', 'libvorbis', '-f', 'ogg']],
    ['WebM with Vorbis', 'audio/webm', ['-c:a', 'libvorbis', '-f', 'webm']],
  ])('%s is answered', async (_, mediaType, args) => {
    const reply = await answer(made(args), mediaType)
    expect(reply.status, reply.text.slice(0, 500)).toBe(200)
    expect(reply.body.output.seconds).toBeGreaterThan(0.5)
  })

  test('AAC, as iPhones and Safari record it, is answered where the operator has ffmpeg', async () => {
    await using other = await boot({ credits: 1_000, env: { PATH: process.env.PATH! } })
    const client = await other.key()
    for (const [mediaType, args] of [
      ['audio/mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4']],
      ['audio/aac', ['-c:a', 'aac', '-f', 'adts']],
      ['audio/x-m4a', ['-c:a', 'alac', '-f', 'ipod']],
    ] as const) {
      const reply = await answer(made([...args]), mediaType, {}, client)
      expect(reply.status, reply.text.slice(0, 500)).toBe(200)
    }
  })

  test('a film without sound, a codec that is not read, and a file that breaks off before its index are refused in a sentence and cost nothing', async () => {
    const silent = made(['-c:v', 'libvpx', '-f', 'webm'], { hasSound: false })
    await expectRefusal(silent, 'audio/webm', 'has no audio track', 'مسیر صدا')
    const ac3 = made(['-c:a', 'ac3', '-f', 'mp4'])
    const notRead = 'coded as ac3, which is not read here; wav, mp3'
    await expectRefusal(ac3, 'audio/mp4', notRead, 'با ac3 کد شده')
    for (const [codec, mediaType, args] of [
      ['AAC', 'audio/mp4', ['-c:a', 'aac', '-f', 'mp4']],
      ['AAC', 'audio/aac', ['-c:a', 'aac', '-f', 'adts']],
      ['ALAC', 'audio/mp4', ['-c:a', 'alac', '-f', 'mp4']],
      ['AIFF', 'audio/aiff', ['-f', 'aiff']],
      ['CAF', 'audio/x-caf', ['-f', 'caf']],
      ['WMA', 'audio/x-ms-wma', ['-c:a', 'wmav2', '-f', 'asf']],
    ] as const) {
      const en = `of this ${mediaType} is ${codec}, and this server has no ffmpeg`
      await expectRefusal(made([...args]), mediaType, en, 'ffmpegای ندارد')
    }
    const opus = made(['-c:a', 'libopus', '-f', 'mp4'])
    const cut = opus.subarray(0, opus.length / 2)
    await expectRefusal(cut, 'audio/mp4', 'nothing can be heard of this recording', 'چیزی شنیده نمی‌شود')
  })

  test('a recording that breaks off is answered as far as it goes, which a header says', async () => {
    const opus = made(['-c:a', 'libopus', '-f', 'webm'])
    const reply = await answer(opus.subarray(0, opus.length / 2), 'audio/webm;codecs=opus')
    expect(reply.status, reply.text.slice(0, 500)).toBe(200)
    expect(Number(reply.headers.get('x-truncated-audio'))).toBeCloseTo(1.5, 0)
  })
})

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (browserPath === undefined)
  console.warn('Nothing is recorded by a browser: there is no Chromium on this machine.')

/**
 * In a page: two seconds of a tone by the clock of the sound, with a picture where the type is that of films; in Base64, or nothing where the
 * browser cannot.
 */
const record = (mimeType: string): string => `(async () => {
  if (!MediaRecorder.isTypeSupported('${mimeType}')) return ''
  const context = new AudioContext()
  const tone = context.createOscillator()
  const output = context.createMediaStreamDestination()
  tone.connect(output)
  tone.start()
  await context.resume()
  const canvas = document.createElement('canvas')
  setInterval(() => canvas.getContext('2d').fillRect(0, 0, Math.random() * 100, 100), 50)
  const pictures = ${mimeType.startsWith('video/')} ? canvas.captureStream(10).getTracks() : []
  const recorder = new MediaRecorder(new MediaStream([...output.stream.getTracks(), ...pictures]), { mimeType: '${mimeType}' })
  const chunks = []
  recorder.ondataavailable = ({ data }) => chunks.push(data)
  const stopped = new Promise((resolve) => { recorder.onstop = resolve })
  recorder.start(250)
  const end = context.currentTime + 2.2
  const looking = setInterval(() => {
    if (context.currentTime < end) return
    clearInterval(looking)
    recorder.stop()
  }, 50)
  await stopped
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
})()`

test.skipIf(browserPath === undefined)(
  'what a browser records is answered: sound alone, and sound beside pictures',
  async () => {
    const browser = await chromium.launch({
      executablePath: browserPath as string,
      args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
    })
    try {
      const page = await browser.newPage()
      for (const type of ['audio/webm;codecs=opus', 'video/webm;codecs=vp8,opus', 'audio/mp4;codecs=opus']) {
        const bytes = Buffer.from((await page.evaluate(record(type))) as string, 'base64')
        if (bytes.length === 0) continue
        const { rate, samples } = await whole(recordings.decode(bytes, requester))
        expect(samples.length / rate, type).toBeGreaterThan(1.5)
        expect(Math.max(...samples), type).toBeGreaterThan(0.5)
        const reply = await answer(bytes, type.includes('webm') ? 'audio/webm' : 'audio/mp4')
        expect(reply.status, `${type}: ${reply.text.slice(0, 500)}`).toBe(200)
      }
    } finally {
      await browser.close()
    }
  },
)
