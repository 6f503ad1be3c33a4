/** Subtitles judged by players that did not write them: a browser's track element, and ffmpeg. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cuesOf, srtOf, vttOf } from '#media/subtitles'
import { ffmpeg, hasFfmpeg, withFile } from '../core/sound/ffmpeg.ts'
import { startMs } from '../harness/until.ts'

const segments = [
  { start: 0, end: 2.5, text: 'نسخهٔ Python 3.12 را از python.org بگیرید.' },
  { start: 2.5, end: 6, text: 'Kherad در ۵ دقیقه، با ۲۰٪ تخفیف (GPT-4) آماده است!' },
  { start: 7, end: 9, text: 'اگر a < b & c --> d باشد، <b>این</b> {\\an8}متن است؟' },
]
const spoken = { segments, seconds: 10 }
const persian = { language: 'fa' }
const bare = (text: string): string =>
  text.replaceAll(/[\u200f\u202b\u202c\u2060\r]/g, '').replaceAll('\n', ' ')

test.skipIf(!hasFfmpeg)('ffmpeg reads every cue of both formats with its times and text', async () => {
  const cues = await cuesOf(spoken)
  for (const [extension, written] of [
    ['srt', await srtOf(cues, persian)],
    ['vtt', await vttOf(cues, persian)],
  ] as const)
    withFile(Buffer.from(written), extension, (file) => {
      const { output, messages } = ffmpeg(['-v', 'warning', '-i', file, '-f', 'srt', '-'])
      expect(messages).toBe('')
      const blocks = output.toString().trim().split(/\n\n/)
      const read = blocks.map((block) => {
        const [, times, ...lines] = block.split('\n')
        return [times, bare(lines.join(' '))]
      })
      const time = (ms: number) => new Date(ms).toISOString().slice(11, 23).replace('.', ',')
      expect(read).toEqual(
        cues.map(({ startMs, endMs, lines }) => [
          `${time(startMs)} --> ${time(endMs)}`,
          extension === 'srt' ? lines.join(' ').replace('-->', '→') : expect.any(String),
        ]),
      )
    })
})

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (browserPath === undefined)
  console.warn('Subtitles are not shown by a browser: there is no Chromium here.')

describe.skipIf(browserPath === undefined)('a track element of Chromium', () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  let page: Page
  let vtt = ''
  beforeAll(async () => {
    vtt = await vttOf(await cuesOf(spoken), persian)
    const site = createServer((request, reply) => {
      if (request.url === '/subtitles.vtt')
        reply.setHeader('content-type', 'text/vtt; charset=utf-8').end(vtt)
      else reply.setHeader('content-type', 'text/html').end(film)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    stack.defer(() => void site.close())
    browser = await chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox'] })
    stack.defer(() => browser.close())
    page = await browser.newPage({ viewport: { width: 640, height: 360 } })
    page.setDefaultTimeout(startMs)
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
  })
  afterAll(() => stack.disposeAsync())

  const film = `<!doctype html><body style="margin:0;background:#000">
    <video id="player" style="width:640px;height:360px;background:#224" muted>
    <track id="track" kind="subtitles" srclang="fa" src="/subtitles.vtt" default></video>`

  test('loads as many cues with these times, and the text without escapes', async () => {
    const read = await page.evaluate(`(async () => {
      const track = document.getElementById('track')
      track.track.mode = 'showing'
      if (track.readyState !== 2)
        await new Promise((resolve, reject) => { track.onload = resolve; track.onerror = () => reject(new Error('not loaded')) })
      return [...track.track.cues].map((cue) => [cue.startTime, cue.endTime, cue.getCueAsHTML().textContent])
    })()`)
    const cues = await cuesOf(spoken)
    expect(
      (read as [number, number, string][]).map(([start, end, text]) => [start, end, bare(text)]),
    ).toEqual(cues.map(({ startMs, endMs, lines }) => [startMs / 1_000, endMs / 1_000, lines.join(' ')]))
  })

  /** Where each of these words stands in what is shown, from the left. */
  const placesOf = (
    text: string,
    words: readonly string[],
    direction: 'ltr' | 'rtl' | 'auto',
  ): Promise<number[]> =>
    page.evaluate(`(() => {
      const shown = ${JSON.stringify(text)}
      const box = document.createElement('div')
      box.dir = '${direction}'
      box.style.cssText = 'position:absolute;top:0;left:0;width:640px;font:24px sans-serif;white-space:pre'
      box.textContent = shown
      document.body.append(box)
      const places = ${JSON.stringify(words)}.map((word) => {
        const range = document.createRange()
        range.setStart(box.firstChild, shown.indexOf(word))
        range.setEnd(box.firstChild, shown.indexOf(word) + word.length)
        return range.getBoundingClientRect().left
      })
      box.remove()
      return places
    })()`)

  test.each(['ltr', 'auto', 'rtl'] as const)(
    'a line reads from right to left with its Latin words, digits and full stop in a player of base direction %s',
    async (direction) => {
      const [cue] = await cuesOf({ segments: [segments[0]!], seconds: 3 })
      const [, , line] = (await vttOf([cue!], persian)).trim().split(/\n/).slice(1)
      const places = await placesOf(line!, ['نسخهٔ', 'Python', '3.12', 'را'], direction)
      expect(places[0]).toBeGreaterThan(places[1]!)
      // Latin words of one run stand in their own order.
      expect(places[1]).toBeLessThan(places[2]!)
      expect(places[1]).toBeGreaterThan(places[3]!)
    },
  )

  test('is shown', async () => {
    await page.evaluate(`(() => {
      const bytes = new Uint8Array(44 + 8000 * 10).fill(128)
      const head = new DataView(bytes.buffer)
      const text = (at, value) => { for (let i = 0; i < value.length; i++) head.setUint8(at + i, value.charCodeAt(i)) }
      text(0, 'RIFF'); head.setUint32(4, bytes.length - 8, true); text(8, 'WAVEfmt '); head.setUint32(16, 16, true)
      head.setUint16(20, 1, true); head.setUint16(22, 1, true); head.setUint32(24, 8000, true); head.setUint32(28, 8000, true)
      head.setUint16(32, 1, true); head.setUint16(34, 8, true); text(36, 'data'); head.setUint32(40, bytes.length - 44, true)
      const player = document.getElementById('player')
      player.src = URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }))
      return new Promise((resolve, reject) => {
        player.onseeked = resolve
        player.onerror = () => reject(new Error(player.error.message))
        player.onloadeddata = () => { player.currentTime = 4 }
      })
    })()`)
    // A cue is drawn some time after its place was reached.
    const place = { left: 40, top: 250, width: 560, height: 110 }
    const brightest = async (): Promise<number> => {
      const { channels } = await sharp(await page.screenshot())
        .extract(place)
        .stats()
      return Math.max(...channels.map(({ max }) => max))
    }
    await expect.poll(brightest).toBeGreaterThan(220)
  })
})
