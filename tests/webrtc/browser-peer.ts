/** Connections between a browser and an endpoint of ours that returns what it hears and reads. */
import type { Page } from 'playwright-core'
import { openWebRtc, type Peer, type PeerHandler, type WebRtc, type WebRtcOptions } from '#platform/webrtc'
import { openBrowser } from '../media/browser.ts'

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
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto('http://localhost/')
  return page
}

/** The loopback alone, on a port that the system chooses. */
export const openLoopback = (
  more: { listen?: string[]; publicIps?: string[] } & WebRtcOptions = {},
): Promise<WebRtc> => {
  const { listen = ['127.0.0.1'], publicIps = [], ...options } = more
  return openWebRtc({ listen, publicIps, ports: [0, 0], tcp: true }, options)
}

/** A new connection of the page; `through` changes the answer on its way. */
export async function call(
  page: Page,
  rtc: WebRtc,
  through: (answer: string) => string = (answer) => answer,
): Promise<{ echo: Echo; id: number }> {
  const { id, sdp } = await page.evaluate(offerOfPage)
  const echo = new Echo()
  echo.peer = rtc.answer(sdp, echo)
  await page.evaluate(answerToPage, { id, sdp: through(echo.peer.answer) })
  return { echo, id }
}

export const withoutUdp = (answer: string): string =>
  answer
    .split('\r\n')
    .filter((line) => !(line.startsWith('a=candidate:') && line.includes(' udp ')))
    .join('\r\n')

interface PageConnection {
  pc: RTCPeerConnection
  channel: RTCDataChannel
  texts: string[]
}
declare const window: { pcs?: PageConnection[]; stream?: MediaStream }

async function offerOfPage(): Promise<{ id: number; sdp: string }> {
  window.pcs ??= []
  window.stream ??= await navigator.mediaDevices.getUserMedia({ audio: true })
  const pc = new RTCPeerConnection()
  pc.addTrack(window.stream.getAudioTracks()[0]!, window.stream)
  const channel = pc.createDataChannel('events')
  const texts: string[] = []
  channel.onmessage = ({ data }) => texts.push(data)
  pc.ontrack = ({ track }) => {
    const sound = new Audio()
    sound.srcObject = new MediaStream([track])
    sound.play().catch(() => undefined)
  }
  await pc.setLocalDescription(await pc.createOffer())
  return { id: window.pcs.push({ pc, channel, texts }) - 1, sdp: pc.localDescription!.sdp }
}

async function answerToPage({ id, sdp }: { id: number; sdp: string }): Promise<void> {
  await window.pcs![id]!.pc.setRemoteDescription({ type: 'answer', sdp })
}

export const stateOf = (page: Page, id: number): Promise<PageState> =>
  page.evaluate(async (which) => {
    const { pc, channel, texts } = window.pcs![which]!
    let received = 0
    let candidate = ''
    for (const entry of (await pc.getStats()).values()) {
      if (entry.type === 'inbound-rtp') received = entry.packetsReceived
      if (entry.type === 'remote-candidate') candidate = `${entry.protocol} ${entry.address}`
    }
    return { state: pc.connectionState, channel: channel.readyState, texts, received, candidate }
  }, id)

export const sayInPage = (page: Page, id: number, text: string): Promise<void> =>
  page.evaluate(({ which, message }) => window.pcs![which]!.channel.send(message), {
    which: id,
    message: text,
  })

export const closeInPage = (page: Page, id: number): Promise<void> =>
  page.evaluate((which) => window.pcs![which]!.pc.close(), id)
