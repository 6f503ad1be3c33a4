/** Connections between a browser and an endpoint of ours that returns what it hears and reads. */
import type { Page } from 'playwright-core'
import { openWebRtc, type Peer, type PeerHandler, type WebRtc, type WebRtcOptions } from '#platform/webrtc'
import { startMs } from '../../harness/until.ts'
import { openBrowser } from '../../media/browser.ts'

export type Ended = Parameters<PeerHandler['ended']>[0]

/** An end that returns what it hears and reads, and remembers what happened to it. */
export class Echo implements PeerHandler {
  peer: Peer | undefined
  isConnected = false
  isOpen = false
  heard = 0
  sequences: number[] = []
  texts: string[] = []
  end: Ended | undefined
  #timestamp = 0

  connected(): void {
    this.isConnected = true
  }
  audio(packet: Uint8Array, sequence: number): void {
    this.heard++
    this.sequences.push(sequence)
    this.#timestamp += 960
    this.peer!.sendAudio(packet, this.#timestamp)
  }
  channelOpen(): void {
    this.isOpen = true
    this.peer!.sendText('hello')
  }
  text(message: string): void {
    this.texts.push(message)
    this.peer!.sendText(message)
  }
  ended(why: Ended): void {
    this.end = why
  }
}

/** What the page says of its connection. */
export interface PageState {
  state: string
  channel: string
  texts: string[]
  received: number
  /** Of ours, that to which the page sends; it may begin with another and change to the best. */
  candidate: string
}

/** A page whose connections are numbered in `pcs`. Closed with the stack. */
export async function openCaller(stack: AsyncDisposableStack): Promise<Page> {
  const browser = await openBrowser(stack, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
    '--mute-audio',
  ])
  const page = await browser.newPage()
  page.setDefaultTimeout(startMs)
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto('http://localhost/')
  await page.addScriptTag({ content: script })
  return page
}

/** The loopback alone, on a port that the system chooses. Whoever connects has a minute: a machine that is busy takes more than the usual ten seconds. */
export const openLoopback = (
  more: { listen?: string[]; publicIps?: string[] } & WebRtcOptions = {},
): Promise<WebRtc> => {
  const { listen = ['127.0.0.1'], publicIps = [], ...options } = more
  return openWebRtc({ listen, publicIps, ports: [0, 0], tcp: true }, { connectMs: 60_000, ...options })
}

/** A new connection of the page; `through` changes the answer on its way. */
export async function call(
  page: Page,
  rtc: WebRtc,
  through: (answer: string) => string = (answer) => answer,
): Promise<{ echo: Echo; id: number; offer: string }> {
  const { id, sdp } = await run<{ id: number; sdp: string }>(page, 'offer')
  const echo = new Echo()
  echo.peer = rtc.answer(sdp, echo)
  await run(page, 'answer', id, through(echo.peer.answer))
  return { echo, id, offer: sdp }
}

export const withoutUdp = (answer: string): string =>
  answer
    .split('\r\n')
    .filter((line) => !(line.startsWith('a=candidate:') && line.includes(' udp ')))
    .join('\r\n')

/** What the page can do; as text, since what is of a browser has no types here. */
const script = `
const connections = []
let stream
async function offer() {
  stream ??= await navigator.mediaDevices.getUserMedia({ audio: true })
  const pc = new RTCPeerConnection()
  pc.addTrack(stream.getAudioTracks()[0], stream)
  const channel = pc.createDataChannel('events')
  const texts = []
  channel.onmessage = ({ data }) => texts.push(data)
  pc.ontrack = ({ track }) => {
    const sound = new Audio()
    sound.srcObject = new MediaStream([track])
    sound.play().catch(() => undefined)
  }
  await pc.setLocalDescription(await pc.createOffer())
  return { id: connections.push({ pc, channel, texts }) - 1, sdp: pc.localDescription.sdp }
}
const answer = (id, sdp) => connections[id].pc.setRemoteDescription({ type: 'answer', sdp })
async function state(id) {
  const { pc, channel, texts } = connections[id]
  let received = 0
  let candidate = ''
  const stats = await pc.getStats()
  for (const entry of stats.values()) {
    if (entry.type === 'inbound-rtp') received = entry.packetsReceived
    if (entry.type !== 'transport') continue
    const { remoteCandidateId } = stats.get(entry.selectedCandidatePairId) ?? {}
    const { protocol, address } = stats.get(remoteCandidateId) ?? {}
    candidate = protocol + ' ' + address
  }
  return { state: pc.connectionState, channel: channel.readyState, texts, received, candidate }
}
const say = (id, text) => connections[id].channel.send(text)
const sayAll = (id, texts) => texts.forEach((text) => connections[id].channel.send(text))
const buffered = (id) => connections[id].channel.bufferedAmount
const close = (id) => connections[id].pc.close()
const openSecond = (id) =>
  new Promise((resolve) => {
    connections[id].pc.createDataChannel('more').onclose = () => resolve('closed')
  })
`

const run = <Result>(page: Page, name: string, ...values: unknown[]): Promise<Result> =>
  page.evaluate(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`)

export const stateOf = (page: Page, id: number): Promise<PageState> => run(page, 'state', id)

export const sayInPage = (page: Page, id: number, text: string): Promise<void> => run(page, 'say', id, text)

export const sayAllInPage = (page: Page, id: number, texts: readonly string[]): Promise<void> =>
  run(page, 'sayAll', id, texts)

/** Characters that its channel has not sent yet. */
export const bufferedOf = (page: Page, id: number): Promise<number> => run(page, 'buffered', id)

export const closeInPage = (page: Page, id: number): Promise<void> => run(page, 'close', id)

/** What becomes of a channel beside the first. */
export const openSecondChannel = (page: Page, id: number): Promise<string> => run(page, 'openSecond', id)
