/** The page /voice in Chromium, as a person uses it: its microphone speaks by itself, again and again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { spoken } from '../../harness/spoken.ts'
import { startMs, until } from '../../harness/until.ts'
import { openBrowser } from '../../media/browser.ts'
import { speechOf, wavOf } from './browser-call.ts'

/** A name of this machine that browsers do not trust without TLS. */
export const untrustedHost = 'kherad.test'

/** Says a Persian question every few seconds. Closed with the stack. */
export async function openSpeakingBrowser(stack: AsyncDisposableStack): Promise<Browser> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-voice-page-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const { samples } = await spoken('سلام، ساعت چند است؟', { beforeMs: 500, afterMs: 9_000, noiseDb: -75 })
  const file = path.join(folder, 'microphone.wav')
  await writeFile(file, wavOf(speechOf(samples)))
  return openBrowser(stack, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
    '--autoplay-policy=no-user-gesture-required',
    '--mute-audio',
    `--host-resolver-rules=MAP ${untrustedHost} 127.0.0.1`,
  ])
}

/** Before the scripts of the page: `peers` are its connections, and `loudness()` is the loudest that it has played by itself. */
const instruments = `
window.peers = []
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...given) {
    super(...given)
    window.peers.push(this)
  }
}
let loudest = 0
const connect = AudioNode.prototype.connect
AudioNode.prototype.connect = function (to, ...more) {
  if (to instanceof AudioDestinationNode) {
    const meter = new AnalyserNode(this.context)
    const samples = new Float32Array(meter.fftSize)
    connect.call(this, meter)
    setInterval(() => {
      meter.getFloatTimeDomainData(samples)
      for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample))
    }, 30)
  }
  return connect.call(this, to, ...more)
}
window.loudness = () => loudest
window.energy = async () => {
  let sum = 0
  for (const peer of window.peers)
    for (const entry of (await peer.getStats()).values())
      if (entry.type === 'inbound-rtp') sum += entry.totalAudioEnergy ?? 0
  return sum
}
`

export class VoicePage {
  readonly page: Page
  /** What the browser complains of, and every address that was asked for. */
  readonly complaints: string[] = []
  readonly requests: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('console', (message) => {
      // A refusal of the server is written down by the browser, too; and it advises, at the level of debugging, on fields for passwords.
      if (
        ['error', 'warning'].includes(message.type()) &&
        !message.text().startsWith('Failed to load resource')
      )
        this.complaints.push(message.text())
    })
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('request', (request) => this.requests.push(request.url()))
    page.on('websocket', (socket) => this.requests.push(socket.url()))
  }

  static async open(
    browser: Browser,
    url: string,
    {
      lang,
      before,
      ...options
    }: BrowserContextOptions & { lang: 'fa' | 'en'; before?: (page: Page) => Promise<unknown> },
  ): Promise<VoicePage> {
    const page = await browser.newPage(options)
    page.setDefaultTimeout(startMs)
    const opened = new VoicePage(page)
    await page.addInitScript(instruments)
    await before?.(page)
    await page.goto(`${url}/voice?lang=${lang}`)
    await page.locator('#key').waitFor()
    return opened
  }

  async useKey(secret: string): Promise<void> {
    await this.page.fill('#key', secret)
    await this.page.press('#key', 'Enter')
  }

  /** Presses the button. */
  async talk(): Promise<void> {
    await this.page.locator('#talk').click()
  }

  /** The first text of this element that matches. */
  async says(selector: string, expected: RegExp): Promise<string> {
    let text = ''
    const matches = async () => {
      text = (await this.page.locator(selector).allInnerTexts()).join('\n')
      return expected.test(text)
    }
    await until(matches).catch((error) => {
      throw new Error(`${selector} says "${text}" and not ${expected}`, { cause: error })
    })
    return text
  }

  /** Of an expression in the page. */
  value<Value>(expression: string): Promise<Value> {
    return this.page.evaluate<Value>(expression)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
  }
}
