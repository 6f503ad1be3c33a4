/** A page of Chromium that calls: its microphone says what a test gives it, and it writes down what it is told and hears. */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Page } from 'playwright-core'
import type { RealtimeEvent } from '#voice/realtime'
import { startMs, until } from '../../harness/until.ts'
import { openBrowser } from '../../media/browser.ts'

export interface BrowserCall {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  events(): Promise<any[]>
  /** The first event of this type from `from` on. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  event(type: string, from?: number): Promise<any>
  /** Where the call still goes on. */
  send(event: object): Promise<void>
  /** Into the microphone, once, after what it is saying. */
  say(speech: Speech): Promise<void>
  state(): Promise<PageState>
  close(): Promise<void>
}

/** Samples of 16 bits at 16 kHz. */
export type Speech = Int16Array

export interface PageState {
  connection: string
  channel: string
  /** Of what is heard: all its loudness so far, in squares of full scale times seconds. */
  energy: number
  concealed: number
  samples: number
  protocol: string
  address: string
}

export interface Caller {
  readonly page: Page
  /**
   * Begins a call as a page does. `to` is put in place of the addresses of the answer; `tcp`: without those of UDP.
   * @param body beside the offer
   */
  call(
    server: { url: string; secret: string },
    body?: object,
    through?: { to?: string; tcp?: boolean },
  ): Promise<BrowserCall>
}

/** Closed with the stack. @param captured what a page hears of its microphone itself, in place of silence */
export async function openCallerPage(
  stack: AsyncDisposableStack,
  folder: string,
  captured: Speech,
): Promise<Caller> {
  const file = path.join(folder, 'microphone.wav')
  await writeFile(file, wavOf(captured))
  const browser = await openBrowser(stack, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
    '--autoplay-policy=no-user-gesture-required',
    '--mute-audio',
  ])
  const page = await browser.newPage()
  page.setDefaultTimeout(startMs)
  await page.goto(await pageOf(stack))
  await page.addScriptTag({ content: script })
  return {
    page,
    async call({ url, secret }, body = {}, { to, tcp = false } = {}) {
      const { at, id } = await run<{ at: number; id: string }>(page, 'call', url, secret, body, to, tcp)
      return callOf(page, at, id)
    },
  }
}

function callOf(page: Page, at: number, id: string): BrowserCall {
  const events = () => run<RealtimeEvent[]>(page, 'eventsOf', at)
  return {
    id,
    events,
    async event(type, from = 0) {
      let found: RealtimeEvent | undefined
      // An answer is spoken as long as it takes a person to say it.
      await until(async () => {
        found = (await events()).slice(from).find((event) => event.type === type)
        return found !== undefined
      }, startMs)
      return found
    },
    send: (event) => run(page, 'send', at, event),
    say: (speech) => run(page, 'say', at, Buffer.from(speech.buffer).toString('base64')),
    state: () => run(page, 'stateOf', at),
    close: () => run(page, 'hangUp', at),
  }
}

/** An origin of its own, on this machine: others may not reach what is on it. */
async function pageOf(stack: AsyncDisposableStack): Promise<string> {
  const site = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<!doctype html>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void site.close())
  return `http://localhost:${(site.address() as AddressInfo).port}/`
}

/** OpenAI's Agents SDK, as `OpenAIAgentsRealtime` of the page. */
export async function addAgentsSdk(page: Page): Promise<void> {
  const bundle = path.join(
    path.dirname(createRequire(import.meta.url).resolve('@openai/agents-realtime')),
    'bundle/openai-realtime-agents.umd.js',
  )
  await page.addScriptTag({ content: await readFile(bundle, 'utf8') })
}

export const speechOf = (samples: Float32Array): Speech =>
  Int16Array.from(samples, (sample) => Math.round(32_767 * sample))

export function wavOf(samples: Speech): Buffer {
  const head = Buffer.alloc(44)
  const bytes = samples.byteLength
  head.write('RIFF')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [24, 16_000],
    [28, 32_000],
    [40, bytes],
  ] as const)
    head.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, at)
  head.write('data', 36)
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, bytes)])
}

const run = <Result>(page: Page, name: string, ...values: unknown[]): Promise<Result> =>
  page.evaluate(`${name}(${values.map((value) => JSON.stringify(value) ?? 'undefined').join(', ')})`)

/** What the page can do; as text, since what is of a browser has no types here. */
const script = `
const calls = []
const routed = (sdp, to, tcp) =>
  sdp.split('\\r\\n')
    .filter((line) => !(tcp && line.startsWith('a=candidate:') && line.includes(' udp ')))
    .map((line) => (to && line.startsWith('a=candidate:') ? line.replace('127.0.0.1', to) : line))
    .join('\\r\\n')
async function call(url, secret, body, to, tcp) {
  const pc = new RTCPeerConnection()
  const context = new AudioContext({ sampleRate: 16000 })
  const microphone = context.createMediaStreamDestination()
  pc.addTrack(microphone.stream.getAudioTracks()[0], microphone.stream)
  const channel = pc.createDataChannel('oai-events')
  const events = []
  channel.onmessage = ({ data }) => events.push(JSON.parse(data))
  pc.ontrack = ({ track }) => {
    const sound = new Audio()
    sound.srcObject = new MediaStream([track])
    sound.play().catch(() => undefined)
  }
  await pc.setLocalDescription(await pc.createOffer())
  const reply = await fetch(url + '/v1/realtime/calls', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + secret, 'content-type': 'application/json' },
    body: JSON.stringify({ sdp: pc.localDescription.sdp, ...body }),
  })
  const made = await reply.json()
  if (!reply.ok) throw new Error(JSON.stringify(made))
  await pc.setRemoteDescription({ type: 'answer', sdp: routed(made.sdp, to, tcp) })
  return { at: calls.push({ pc, context, microphone, channel, events, saidUntil: 0 }) - 1, id: made.id }
}
const eventsOf = (at) => calls[at].events
const send = (at, event) => {
  const { channel } = calls[at]
  if (channel.readyState === 'open') channel.send(JSON.stringify(event))
}
function say(at, text) {
  const { context, microphone, saidUntil } = calls[at]
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
  const samples = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32768)
  const buffer = context.createBuffer(1, samples.length, 16000)
  buffer.copyToChannel(samples, 0)
  const source = context.createBufferSource()
  source.buffer = buffer
  source.connect(microphone)
  const from = Math.max(context.currentTime, saidUntil)
  source.start(from)
  calls[at].saidUntil = from + buffer.duration
}
async function stateOf(at) {
  const { pc, channel } = calls[at]
  const state = { connection: pc.connectionState, channel: channel.readyState }
  const stats = await pc.getStats()
  for (const entry of stats.values()) {
    if (entry.type === 'inbound-rtp')
      Object.assign(state, { energy: entry.totalAudioEnergy, concealed: entry.concealedSamples, samples: entry.totalSamplesReceived })
    const { remoteCandidateId } = stats.get(entry.selectedCandidatePairId) ?? {}
    if (remoteCandidateId) {
      const { protocol, address } = stats.get(remoteCandidateId)
      Object.assign(state, { protocol, address })
    }
  }
  return state
}
function hangUp(at) {
  calls[at].pc.close()
  return calls[at].context.close()
}
`
