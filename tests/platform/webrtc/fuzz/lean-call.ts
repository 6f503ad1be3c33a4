/** Calls of a client of another implementation: whole, to see that the endpoint still serves, or through a relay that changes what it sends. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Peer, PeerHandler, WebRtc } from '#platform/webrtc'
import { isDtls } from '../../../../src/platform/webrtc/dtls-records.ts'
import { LeanPeer } from '../lean-peer.ts'
import { type FuzzContext, holds } from './context.ts'

const address = '127.0.0.1'
const healthyMs = 20_000
const pollMs = 5

/** The side of the endpoint, which returns what it hears and reads. */
class Echo implements PeerHandler {
  #peer: Peer | undefined
  #timestamp = 0
  readonly #over: () => void
  isOver = false

  constructor(over: () => void) {
    this.#over = over
  }

  answer(rtc: WebRtc, offer: string): string {
    this.#peer = rtc.answer(offer, this)
    return this.#peer.answer
  }

  connected(): void {}

  audio(packet: Uint8Array): void {
    this.#timestamp += 960
    this.#peer?.sendAudio(packet, this.#timestamp)
  }

  channelOpen(): void {}

  text(message: string): void {
    this.#peer?.sendText(message)
  }

  ended(): void {
    this.isOver = true
    this.#over()
  }

  close(): void {
    this.#peer?.close()
  }
}

/** Until it is true. Resolves with false where it was not in this time. */
async function within(ms: number, isDone: () => boolean): Promise<boolean> {
  const endMs = performance.now() + ms
  while (!isDone()) {
    if (performance.now() > endMs) return false
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return true
}

/** Throws unless a client connects, says a text and sound, and hears both again. */
export async function callHealthy({ rtc }: FuzzContext): Promise<void> {
  const echo = new Echo(() => undefined)
  const texts: string[] = []
  await using peer = await LeanPeer.connect({
    answer: (offer) => echo.answer(rtc, offer),
    text: (text) => texts.push(text),
    signal: AbortSignal.timeout(healthyMs),
  })
  peer.sendText('سلام')
  const isAnswered = await within(healthyMs, () => {
    if (peer.came.packets === 0) peer.sendAudio(Buffer.from([0x48]), 0)
    return peer.came.packets > 0 && texts.includes('سلام')
  })
  holds(isAnswered, `a healthy client is served: ${peer.came.packets} packets, texts ${texts.join(', ')}`)
  holds(!echo.isOver, 'a healthy client is not ended')
}

/** A call whose datagrams of DTLS to the endpoint pass through `change`. Resolves with whether it was made. */
export async function callThrough(
  { rtc }: FuzzContext,
  change: (datagram: Buffer) => Buffer[],
  patienceMs: number,
): Promise<boolean> {
  const giveUp = new AbortController()
  const echo = new Echo(() => giveUp.abort())
  await using relay = await Relay.open(rtc.port, change)
  const late = setTimeout(() => giveUp.abort(), patienceMs)
  try {
    await using _peer = await LeanPeer.connect({
      answer: (offer) =>
        echo.answer(rtc, offer).replaceAll(` ${rtc.port} typ host`, ` ${relay.port} typ host`),
      signal: giveUp.signal,
    })
    return true
  } catch {
    return false
  } finally {
    clearTimeout(late)
    echo.close()
  }
}

/** Stands between one client and the endpoint. */
class Relay implements AsyncDisposable {
  readonly #front: Socket
  readonly #back: Socket

  private constructor(front: Socket, back: Socket) {
    this.#front = front
    this.#back = back
  }

  static async open(target: number, change: (datagram: Buffer) => Buffer[]): Promise<Relay> {
    const [front, back] = [await bound(), await bound()]
    let client = 0
    front.on('message', (datagram, from) => {
      client = from.port
      const sent = isDtls(datagram) ? change(datagram) : [datagram]
      for (const bytes of sent) back.send(bytes, target, address, () => undefined)
    })
    back.on('message', (datagram) => front.send(datagram, client, address, () => undefined))
    return new Relay(front, back)
  }

  get port(): number {
    return this.#front.address().port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [this.#front, this.#back]) {
      socket.close()
      await once(socket, 'close')
    }
  }
}

async function bound(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, found) => found(null, host, 4) })
  const listening = once(socket, 'listening')
  socket.bind(0, address)
  await listening
  return socket.on('error', () => undefined)
}
