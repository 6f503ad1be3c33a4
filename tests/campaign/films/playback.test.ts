/**
 * Pictures and sound made over HTTP, opened by readers that did not write them: a browser, from signed links in a page of another origin, and
 * ffmpeg, from the bytes as they were streamed.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ffmpeg, hasFfmpeg, probe } from '../../core/sound/ffmpeg.ts'
import type { Client } from '../../harness/client.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'
import { browserPath, openPage } from '../../media/browser.ts'
import { requestIdOf } from '../../text/chat-world.ts'

const sentence = 'توانا بود هر که دانا بود.'

let world: World
let key: Client
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  world = stack.use(await sharedWorld({ credits: 10_000 }))
  key = await world.key()
})
afterAll(() => stack.disposeAsync())

/** How each format is called: by the file's name, by ffmpeg, and in what the streamed answer says of itself. */
const sounds = [
  ['mp3', 'mp3', 'audio/mpeg', 'mp3'],
  ['opus', 'ogg', 'audio/ogg', 'opus'],
  ['aac', 'aac', 'audio/aac', 'aac'],
  ['flac', 'flac', 'audio/flac', 'flac'],
  ['wav', 'wav', 'audio/wav', 'pcm_s16le'],
] as const

interface Made {
  /** As it was sent. */
  bytes: Buffer
  mediaType: string
  file: string
  /** As the receipt has it. */
  seconds: number
}

/** Streamed: the file is known by the receipt alone. */
async function streamed(format: string, fields = {}): Promise<Made> {
  const line = { model: 'sandbox/speech', voice: 'sandbox-mina', input: sentence }
  const ask = { ...line, response_format: format, ...fields }
  const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(ask))
  const bytes = Buffer.from(await reply.arrayBuffer())
  expect(reply.status, bytes.toString('utf8', 0, 300)).toBe(200)
  const { details } = (await key.receipt(requestIdOf(reply))).body
  expect(details.files).toHaveLength(1)
  const mediaType = reply.headers.get('content-type')!
  return { bytes, mediaType, file: details.files[0], seconds: details.sound.seconds }
}

async function linkTo(file: string): Promise<string> {
  const made = await key.post(`/v1/files/${file}/links`, {})
  expect(made.status, made.text).toBe(201)
  return made.body.url
}

describe.skipIf(!hasFfmpeg)('speech as it was streamed', () => {
  const decoded = (bytes: Buffer, args: string[]) => {
    const read = ['-v', 'warning', ...args, '-guess_layout_max', '0', '-i', 'pipe:0']
    const { output, messages } = ffmpeg([...read, '-f', 's16le', '-ac', '1', '-'], bytes)
    // An ADTS stream has no length anywhere, and a reader has an address of its own.
    const plain = messages.replace(/.*Estimating duration from bitrate.*\n/, '').replace(/@ 0x[0-9a-f]+/g, '')
    return { samples: output.length / 2, plain }
  }
  test.each(sounds)('%s is decoded by ffmpeg to its end without a warning', async (format, _, mediaType) => {
    const made = await streamed(format)
    expect(made.mediaType).toBe(mediaType)
    const { samples, plain } = decoded(made.bytes, ['-xerror'])
    expect(plain).toBe('')
    const seconds = samples / (format === 'opus' ? 48_000 : 24_000)
    expect(Math.abs(seconds - made.seconds), `${seconds} s, said ${made.seconds}`).toBeLessThan(0.1)
  })

  test('a WAV that is streamed as it is spoken is read as one that ffmpeg itself writes into a pipe', async () => {
    const made = await streamed('wav', { stream_format: 'audio' })
    const tone = ['-f', 'lavfi', '-i', 'sine=d=1:r=24000', '-bitexact', '-f', 'wav', 'pipe:1']
    const { samples, plain } = decoded(made.bytes, [])
    expect(plain).toBe(decoded(ffmpeg(['-v', 'error', ...tone]).output, []).plain)
    expect(Math.abs(samples / 24_000 - made.seconds)).toBeLessThan(0.1)
  })

  test('pcm is samples alone, of the rate that its type says', async () => {
    const made = await streamed('pcm')
    expect(made.mediaType).toBe('audio/pcm; rate=24000; channels=1')
    expect(made.bytes.length / 48_000).toBeCloseTo(made.seconds, 2)
  })
})

describe.skipIf(browserPath === undefined)('in a browser, from a page of another origin', () => {
  let page: Page
  beforeAll(async () => {
    page = await openPage(stack)
  })

  interface Heard {
    /** Where the player stood at its end, in seconds. */
    endedAt: number
    decoded: { seconds: number; rate: number; channels: number; loudest: number }
  }
  const hear = (url: string): Promise<Heard> =>
    page.evaluate(`(async () => {
      const player = new Audio('${url}')
      const ended = new Promise((resolve, reject) => {
        player.onended = () => resolve(player.currentTime)
        player.onerror = () => reject(new Error(player.error.code + ' ' + player.error.message))
      })
      await player.play()
      const endedAt = await ended
      const bytes = await (await fetch('${url}')).arrayBuffer()
      const sound = await new OfflineAudioContext(1, 1, 24000).decodeAudioData(bytes)
      const loudest = sound.getChannelData(0).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
      return { endedAt, decoded: { seconds: sound.duration, rate: sound.sampleRate, channels: sound.numberOfChannels, loudest } }
    })()`)

  /** Played to its end and decoded whole, both as long as we say and as ffprobe finds. */
  async function expectHeard(file: string, ending: string, seconds: number): Promise<void> {
    const { endedAt, decoded } = await hear(await linkTo(file))
    expect(seconds).toBeGreaterThan(0.5)
    expect(decoded).toMatchObject({ rate: 24_000, channels: 1 })
    expect(decoded.loudest).toBeGreaterThan(0.05)
    expect(Math.abs(decoded.seconds - seconds), `decoded ${decoded.seconds}, said ${seconds}`).toBeLessThan(
      0.1,
    )
    // What does not say its length ends for a player with the last frame that another one follows: 4,096 samples in FLAC.
    expect(Math.abs(endedAt - seconds), `ended at ${endedAt}, said ${seconds}`).toBeLessThan(0.2)
    if (!hasFfmpeg) return
    const stored = await (await key.raw('GET', `/v1/files/${file}`)).arrayBuffer()
    const probed = probe(new Uint8Array(stored), ending)
    // Of AAC without a container ffprobe only estimates the length, and a FLAC that was streamed does not say it.
    if (ending !== 'aac' && ending !== 'flac')
      expect(Math.abs(probed.seconds - decoded.seconds)).toBeLessThan(0.1)
  }

  /** Opened as whoever clicks on a link does, and not shown by a page: the browser makes its own player. */
  async function expectPlayer(url: string, seconds: number): Promise<void> {
    const opened = await page.context().browser()!.newPage()
    try {
      await opened.goto(url)
      const state = (name: 'duration' | 'currentTime' | 'videoWidth') =>
        opened.evaluate<number>(`document.querySelector('video').${name}`)
      await until(async () => Math.abs((await state('duration')) - seconds) < 0.2)
      // A player without pictures begins at its button alone.
      const { height } = (await opened.locator('video').boundingBox())!
      const button = (await state('videoWidth')) === 0 && { position: { x: 25, y: height - 27 } }
      await opened.locator('video').click({ ...button })
      await until(async () => (await state('currentTime')) > 0)
    } finally {
      await opened.close()
    }
  }

  test.each(sounds)('%s of /v1/audio/speech plays to its end', async (format, ending) => {
    const { file, seconds } = await streamed(format)
    await expectHeard(file, ending, seconds)
  })

  test.each(['mp3', 'wav'])('%s of /v1/studio/audio plays to its end', async (format) => {
    const reply = await key.post('/v1/studio/audio', { model: 'sandbox/speech', text: sentence, format })
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    await expectHeard(reply.headers.get('x-file-ids')!, format, reply.body.output.seconds)
    await expectPlayer(await linkTo(reply.headers.get('x-file-ids')!), reply.body.output.seconds)
  })

  test('a dialogue of /v1/studio/audio plays to its end', async () => {
    const turns = [
      { text: 'سلام!', voice: 'sandbox-mina' },
      { text: 'درود بر شما.', voice: 'sandbox-kian' },
    ]
    const reply = await key.post('/v1/studio/audio', { model: 'sandbox/speech', turns })
    expect(reply.status, reply.text.slice(0, 300)).toBe(200)
    await expectHeard(reply.headers.get('x-file-ids')!, 'mp3', reply.body.output.seconds)
  })

  interface Watched {
    seconds: number
    endedAt: number
    width: number
    height: number
    colours: number
    /** How many pixels of a hundred differ between its first and its last picture. */
    moved: number
    sounds: boolean
  }
  /** Played to its end, muted, with its pictures drawn at the beginning and at the end. */
  const watch = (url: string): Promise<Watched> =>
    page.evaluate(`(async () => {
      const player = document.createElement('video')
      player.crossOrigin = 'anonymous'
      player.muted = true
      player.src = '${url}'
      const failed = new Promise((_, reject) => {
        player.onerror = () => reject(new Error(player.error.code + ' ' + player.error.message))
      })
      const happens = (name) => Promise.race([failed, new Promise((resolve) => player.addEventListener(name, resolve, { once: true }))])
      await happens('loadeddata')
      const canvas = document.createElement('canvas')
      const [width, height] = [canvas.width, canvas.height] = [player.videoWidth, player.videoHeight]
      const paper = canvas.getContext('2d', { willReadFrequently: true })
      const picture = () => {
        paper.drawImage(player, 0, 0)
        return new Uint32Array(paper.getImageData(0, 0, width, height).data.buffer)
      }
      document.body.append(player)
      const ended = happens('ended')
      const shown = Promise.race([failed, new Promise((resolve) => player.requestVideoFrameCallback(resolve))])
      await player.play()
      await shown
      // It stands while it is drawn: on a busy machine it would be over by then.
      player.pause()
      const first = picture()
      await player.play()
      await ended
      const last = picture()
      const bytes = await (await fetch('${url}')).arrayBuffer()
      const sound = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(bytes).catch(() => undefined)
      const loudest = sound ? sound.getChannelData(0).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) : 0
      const moved = first.reduce((sum, pixel, index) => sum + (pixel === last[index] ? 0 : 1), 0)
      return { seconds: player.duration, endedAt: player.currentTime, width, height,
        colours: new Set(first).size, moved: (100 * moved) / first.length, sounds: loudest > 0.01 }
    })()`)

  test.each([
    ['854x480', { duration: 3, resolution: '480p', generateAudio: true }],
    ['720x1280', { duration: 3, resolution: '720p', aspectRatio: '9:16', generateAudio: false }],
  ])(
    'a video of %s of /v1/studio/video plays to its end, moves, and sounds as it was ordered',
    async (size, ask) => {
      const order = await key.post('/v1/studio/video', { model: 'sandbox/video', prompt: sentence, ...ask })
      expect(order.status, order.text).toBe(202)
      const pair = { id: order.body.id, providerJobId: order.body.providerJobId }
      const done = await until(async () => {
        const { body } = await key.post('/v1/studio/video/status', pair)
        return body.pending ? undefined : body
      })
      expect(done, JSON.stringify(done)).toMatchObject({
        status: 'completed',
        video: { hasAudio: ask.generateAudio },
      })
      const { width, height, durationSeconds, fileId } = done.video
      expect(`${width}x${height}`).toBe(size)
      const job = (await key.get(`/v1/videos/${pair.id}`)).body
      expect(job.file_id).toBe(fileId)
      const seen = await watch(job.unsigned_urls[0])
      expect(seen).toMatchObject({ width, height, sounds: ask.generateAudio })
      expect(Math.abs(seen.seconds - durationSeconds)).toBeLessThan(0.15)
      expect(Math.abs(seen.seconds - ask.duration)).toBeLessThan(0.2)
      expect(Math.abs(seen.endedAt - seen.seconds)).toBeLessThan(0.2)
      expect(seen.colours).toBeGreaterThan(10)
      expect(seen.moved).toBeGreaterThan(0.1)
      await expectPlayer(job.unsigned_urls[0], durationSeconds)
    },
  )

  /** Decoded, and drawn to see that there is more than one colour in it. */
  const look = (url: string): Promise<{ width: number; height: number; colours: number }> =>
    page.evaluate(`(async () => {
      const image = new Image()
      image.crossOrigin = 'anonymous'
      image.src = '${url}'
      await image.decode()
      const canvas = document.createElement('canvas')
      const [width, height] = [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight]
      const paper = canvas.getContext('2d')
      paper.drawImage(image, 0, 0)
      const colours = new Set(new Uint32Array(paper.getImageData(0, 0, width, height).data.buffer)).size
      return { width, height, colours }
    })()`)

  test.each([
    ['png', 'sandbox/image', { size: '320x192', outputFormat: 'png' }],
    ['jpeg', 'sandbox/image', { size: '320x192', outputFormat: 'jpeg' }],
    ['webp', 'sandbox/image', { size: '320x192', outputFormat: 'webp' }],
    ['svg+xml', 'sandbox/vector', { size: '320x192' }],
  ])(
    'image/%s is shown in the size that its answer says, from its link and from the answer itself',
    async (type, model, ask) => {
      const reply = await key.post('/v1/studio/image', { model, prompt: sentence, ...ask })
      expect(reply.status, reply.text.slice(0, 300)).toBe(200)
      const [output] = reply.body.outputs
      expect(output).toMatchObject({ mediaType: `image/${type}`, width: 320, height: 192 })
      for (const url of [
        await linkTo(reply.headers.get('x-file-ids')!),
        `data:${output.mediaType};base64,${output.data}`,
      ]) {
        const { colours, ...size } = await look(url)
        expect(size).toEqual({ width: output.width, height: output.height })
        expect(colours).toBeGreaterThan(10)
      }
    },
  )
})
