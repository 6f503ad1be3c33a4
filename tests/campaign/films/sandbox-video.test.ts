/**
 * Videos of the sandbox, opened by readers that did not write them: decoded whole by ffmpeg without a line, measured by ffprobe and by the
 * probe of our own, played and sought in a browser.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openVideoProbe } from '#core/media'
import type { VideoOrder } from '#core/turn'
import { openLog } from '#platform/log'
import { sandboxModels } from '#sandbox'
import { ffmpeg, ffprobe, hasFfmpeg, withFile } from '../../core/sound/ffmpeg.ts'
import { expectNoHold } from '../../cost/cost.ts'
import { browserPath, openPage } from '../../media/browser.ts'
import { filmOf, picture } from '../../media/sandbox-films.ts'

const model = sandboxModels.find(({ id }) => id === 'sandbox/video')
if (model?.kind !== 'video') throw new Error('the sandbox makes no video')
const { combinations } = model.video

/** By resolution and ratio. */
const sizes: Record<string, Record<string, [number, number]>> = {
  '480p': { '16:9': [854, 480], '9:16': [480, 854], '1:1': [480, 480], '4:3': [640, 480], '3:4': [480, 640] },
  '720p': { '16:9': [1280, 720], '9:16': [720, 1280], '1:1': [720, 720], '4:3': [960, 720], '3:4': [720, 960] },
  '1080p': { '16:9': [1920, 1080], '9:16': [1080, 1920], '1:1': [1080, 1080], '4:3': [1440, 1080], '3:4': [1080, 1440] },
} // biome-ignore format: a table

interface Probed {
  width: number
  height: number
  seconds: number
  soundSeconds: number | undefined
}

/** As ffmpeg and ffprobe find it; a line of either is a failure. */
function judged(bytes: Buffer): Probed {
  return withFile(bytes, 'mp4', (file) => {
    const show = 'stream=codec_name,codec_type,width,height,avg_frame_rate,duration:format=duration'
    const { streams, format } = JSON.parse(ffprobe(['-show_entries', show, file]))
    const [film, sound] = streams
    const seconds = Number(format.duration)
    expect(film).toMatchObject({ codec_name: 'h264', avg_frame_rate: '24/1' })
    if (sound) expect(sound).toMatchObject({ codec_name: 'aac', codec_type: 'audio' })
    expect(streams.length).toBeLessThanOrEqual(2)
    // Each picture is 256 bytes on one line, and the sound is decoded beside.
    const one = ['-map', '0:v', '-vf', 'scale=16:16', '-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1']
    const other = sound ? ['-map', '0:a', '-f', 'null', '-'] : []
    const decoded = ffmpeg(['-v', 'warning', '-xerror', '-i', file, ...one, ...other])
    expect(decoded.messages).toBe('')
    expect(decoded.output.length).toBe(256 * 24 * seconds)
    return { width: film.width, height: film.height, seconds, soundSeconds: sound && Number(sound.duration) }
  })
}

const videos = openVideoProbe(openLog('silent'))
const requester = { accountId: 'somebody', signal: new AbortController().signal }

/** One picture in red, green and blue. */
function frameAt(bytes: Buffer, seconds: number): Buffer {
  const args = ['-v', 'error', '-ss', String(seconds)]
  return withFile(bytes, 'mp4', (file) => {
    const one = ['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
    return ffmpeg([...args, '-i', file, ...one]).output
  })
}

type Colour = [number, number, number]
const colourAt = (frame: Buffer, width: number, x: number, y: number): Colour => {
  const at = 3 * (y * width + x)
  return [frame[at]!, frame[at + 1]!, frame[at + 2]!]
}
const isYellow = ([red, green, blue]: Colour): boolean => red > 200 && green > 160 && blue < 120
/** Whether each is as near as a coarse encoder brings it. */
const isNear = (one: Colour, other: Colour): boolean =>
  one.every((value, index) => Math.abs(value - other[index]!) < 24)

describe.skipIf(!hasFfmpeg)('as ffmpeg decodes it', () => {
  test.each(
    combinations.flatMap(({ resolution, aspectRatios }) =>
      aspectRatios.map((ratio) => [resolution, ratio] as const),
    ),
  )('%s in %s has its size, its length and its sound', async (resolution, aspectRatio) => {
    const [width, height] = sizes[resolution]![aspectRatio]!
    const bytes = await filmOf({ resolution, aspectRatio })
    expect(judged(bytes)).toEqual({ width, height, seconds: 1, soundSeconds: 1 })
  })

  test.each([2, 7])('%s seconds are so many, without sound too', async (seconds) => {
    for (const withAudio of [true, false])
      expect(judged(await filmOf({ seconds, withAudio }))).toMatchObject({
        seconds,
        soundSeconds: withAudio ? seconds : undefined,
      })
  })

  test('half a minute in 1080p', async () => {
    const bytes = await filmOf({ seconds: 30, resolution: '1080p' })
    expect(judged(bytes)).toEqual({ width: 1920, height: 1080, seconds: 30, soundSeconds: 30 })
  })

  test('the star swings, the bar grows to the end, and the time is told', async () => {
    const bytes = await filmOf({ seconds: 3 })
    const frames = [0, 1.25, 2.95].map((at) => frameAt(bytes, at))
    const bar = (frame: Buffer): number =>
      Array.from({ length: 854 }, (_, x) => colourAt(frame, 854, x, 478)).filter(isYellow).length / 854
    expect(bar(frames[0]!)).toBeCloseTo(1 / 18, 1)
    expect(bar(frames[1]!)).toBeCloseTo(1.25 / 3, 1)
    expect(bar(frames[2]!)).toBeCloseTo(1, 1)
    const starAt = (frame: Buffer): number => {
      const xs = Array.from({ length: 854 * 90 }, (_, at) => [at % 854, 340 + Math.floor(at / 854)] as const)
      const yellow = xs.filter(([x, y]) => isYellow(colourAt(frame, 854, x, y)))
      return yellow.reduce((sum, [x]) => sum + x, 0) / yellow.length
    }
    expect(starAt(frames[0]!)).toBeGreaterThan(380)
    expect(starAt(frames[0]!)).toBeLessThan(474)
    // A quarter of its swing later it is at the right.
    expect(starAt(frames[1]!)).toBeGreaterThan(700)
    const clock = (frame: Buffer): Buffer =>
      Buffer.concat(
        Array.from({ length: 20 }, (_, y) =>
          frame.subarray(3 * 854 * (450 + y), 3 * (854 * (450 + y) + 100)),
        ),
      )
    expect(clock(frames[0]!).equals(clock(frames[1]!))).toBe(false)
  })

  test('frames are the first and the last picture, and between them one becomes the other', async () => {
    const references = [await picture('#c02020'), await picture('#2020c0')]
    for (const seconds of [1, 4]) {
      const bytes = await filmOf({ seconds, aspectRatio: '1:1', references, referenceMode: 'frames' })
      expect(judged(bytes)).toMatchObject({ width: 480, seconds })
      const middle = (at: number): Colour => colourAt(frameAt(bytes, at), 480, 240, 200)
      expect(isNear(middle(0), [0xc0, 0x20, 0x20]), String(middle(0))).toBe(true)
      expect(isNear(middle(seconds - 0.05), [0x20, 0x20, 0xc0]), String(middle(seconds - 0.05))).toBe(true)
      const fading = middle(Math.floor((seconds - 1) / 2) + 0.5)
      expect(isNear(fading, [0x70, 0x20, 0x70]), String(fading)).toBe(true)
    }
  })

  test('one frame is the first picture, and becomes the poster', async () => {
    const references = [await picture('#c02020')]
    const bytes = await filmOf({ seconds: 3, aspectRatio: '1:1', references, referenceMode: 'frames' })
    expect(judged(bytes)).toMatchObject({ seconds: 3 })
    expect(isNear(colourAt(frameAt(bytes, 0), 480, 240, 40), [0xc0, 0x20, 0x20])).toBe(true)
    expect(isNear(colourAt(frameAt(bytes, 2.5), 480, 240, 40), [0xc0, 0x20, 0x20])).toBe(false)
  })

  test('eight pictures that guide stand below the prompt, in their order', async () => {
    const colours = ['#d02020', '#20d020', '#2020d0', '#d0d020', '#d020d0', '#20d0d0', '#808080', '#f0f0f0']
    const references = await Promise.all(colours.map((colour) => picture(colour)))
    const bytes = await filmOf({ references, referenceMode: 'guide' })
    expect(judged(bytes)).toMatchObject({ seconds: 1 })
    const frame = frameAt(bytes, 0)
    const seen: string[] = []
    const row = Array.from({ length: 854 }, (_, x) => colourAt(frame, 854, x, 300))
    for (const colour of row) {
      const found = colours.find((one) => isNear(colour, [...Buffer.from(one.slice(1), 'hex')] as Colour))
      if (found && !seen.includes(found)) seen.push(found)
    }
    expect(seen).toEqual(colours)
  })

  test('speech begins after a moment, over two notes that go on to the end', async () => {
    const bytes = await filmOf({ seconds: 5, prompt: 'سلام' })
    const { output } = withFile(bytes, 'mp4', (file) =>
      ffmpeg(['-v', 'error', '-i', file, '-vn', '-f', 's16le', '-ac', '1', '-']),
    )
    const samples = new Int16Array(Uint8Array.from(output).buffer)
    expect(Math.abs(samples.length - 5 * 24_000)).toBeLessThan(1_024)
    const loudness = (from: number, to: number): number =>
      Math.sqrt(
        samples.slice(24_000 * from, 24_000 * to).reduce((sum, value) => sum + value ** 2, 0) /
          (24_000 * (to - from)),
      )
    const [before, words, after] = [loudness(0.05, 0.28), loudness(0.3, 0.9), loudness(3, 4.9)]
    expect(before).toBeGreaterThan(200)
    expect(words).toBeGreaterThan(3 * before)
    expect(Math.abs(after - before) / before).toBeLessThan(0.2)
  })

  test('what made it is told to whoever opens it', async () => {
    const bytes = await filmOf()
    const { format } = withFile(bytes, 'mp4', (file) =>
      JSON.parse(ffprobe(['-show_entries', 'format_tags=encoder,comment', file])),
    )
    expect(format.tags).toEqual({
      encoder: 'Kherad sandbox',
      comment: expect.stringContaining('simulator'),
    })
    expect(bytes.includes('digitalsourcetype/algorithmicMedia')).toBe(true)
  })

  test('orders for other bytes are carried out', async () => {
    const [small, mute, long] = [
      await filmOf({ prompt: '[[sandbox: bytes=small]]' }),
      await filmOf({ prompt: '[[sandbox: bytes=mute]]' }),
      await filmOf({ prompt: '[[sandbox: seconds=3]]' }),
    ]
    expect(judged(small)).toMatchObject({ width: 428, height: 240 })
    expect(judged(mute)).toMatchObject({ soundSeconds: undefined })
    expect(judged(long)).toMatchObject({ seconds: 3 })
  })
})

test('our own probe finds what was ordered, and finds cut bytes out', async () => {
  const order: Partial<VideoOrder> = { seconds: 3, resolution: '720p', aspectRatio: '9:16' }
  const [bytes, cut] = [await filmOf(order), await filmOf({ ...order, prompt: '[[sandbox: bytes=cut]]' })]
  const folder = await mkdtemp(path.join(tmpdir(), 'video-'))
  const probed = async (film: Buffer) => {
    const file = path.join(folder, 'film.mp4')
    await writeFile(file, film)
    return videos.probe(file, requester).catch((error: { fault: string }) => error.fault)
  }
  expect(await probed(bytes)).toEqual({
    mediaType: 'video/mp4',
    codec: 'h264',
    width: 720,
    height: 1280,
    seconds: 3,
    hasAudio: true,
    audioCodec: 'aac',
    fps: 24,
  })
  expect(await probed(cut)).toBe('truncated')
  await rm(folder, { recursive: true })
})

test('the event loop is free while videos are made', async () => {
  const references = await Promise.all(['red', 'blue'].map((colour) => picture(colour, 1920, 1080)))
  await expectNoHold('1080p', () => filmOf({ seconds: 30, resolution: '1080p' }))
  await expectNoHold('frames', () =>
    filmOf({ seconds: 3, resolution: '1080p', references, referenceMode: 'frames' }),
  )
})

describe.skipIf(browserPath === undefined)('in a browser', () => {
  const stack = new AsyncDisposableStack()
  let page: Page
  beforeAll(async () => {
    page = await openPage(stack)
  })
  afterAll(() => stack.disposeAsync())

  interface Played {
    width: number
    height: number
    seconds: number
    /** Where it stood at its end. */
    endedAt: number
    /** Share of the lowest rows that the bar has taken, at the places that were sought. */
    bars: number[]
  }
  const play = (bytes: Buffer, sought: number[]): Promise<Played> =>
    page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (sign) => sign.charCodeAt(0))
      const player = document.createElement('video')
      const told = (name) => new Promise((resolve, reject) => {
        player.addEventListener(name, resolve, { once: true })
        player.onerror = () => reject(new Error(player.error.code + ' ' + player.error.message))
      })
      const loaded = told('loadeddata')
      player.src = URL.createObjectURL(new Blob([bytes], { type: 'video/mp4' }))
      await loaded
      const { videoWidth: width, videoHeight: height, duration: seconds } = player
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const paper = canvas.getContext('2d', { willReadFrequently: true })
      const bars = []
      for (const place of ${JSON.stringify(sought)}) {
        // "seeked" may be told before the frame is there to be drawn: on a busy machine the one before it was.
        const shown = new Promise((resolve, reject) => {
          player.onerror = () => reject(new Error(player.error.code + ' ' + player.error.message))
          const look = (now, { mediaTime }) =>
            Math.abs(mediaTime - place) < 0.1 ? resolve() : player.requestVideoFrameCallback(look)
          player.requestVideoFrameCallback(look)
        })
        player.currentTime = place
        await shown
        paper.drawImage(player, 0, 0)
        const { data } = paper.getImageData(0, height - 2, width, 1)
        let yellow = 0
        for (let at = 0; at < data.length; at += 4) if (data[at] > 180 && data[at + 2] < 140) yellow += 1
        bars.push(yellow / width)
      }
      player.currentTime = 0
      player.playbackRate = 4
      const ended = told('ended')
      await player.play()
      await ended
      return { width, height, seconds, endedAt: player.currentTime, bars }
    })()`)

  test.each(['480p', '720p', '1080p'] as const)(
    '%s plays to its end, and any place of it can be sought',
    async (resolution) => {
      const [width, height] = sizes[resolution]!['16:9']!
      const played = await play(await filmOf({ resolution, seconds: 6 }), [4.6, 0.6, 5.9, 3])
      expect(played).toMatchObject({ width, height, seconds: 6, endedAt: 6 })
      for (const [index, place] of [4.6, 0.6, 5.9, 3].entries())
        expect(Math.abs(played.bars[index]! - place / 6), `at ${place}`).toBeLessThan(0.05)
    },
  )

  test('frames and a video without sound play too', async () => {
    const references = [await picture('#c02020'), await picture('#2020c0')]
    const bytes = await filmOf({
      seconds: 2,
      references,
      referenceMode: 'frames',
      withAudio: false,
      aspectRatio: '9:16',
    })
    expect(await play(bytes, [1])).toMatchObject({ width: 480, height: 854, seconds: 2, endedAt: 2 })
  })
})
