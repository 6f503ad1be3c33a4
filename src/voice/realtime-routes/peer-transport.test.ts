/** Tests with real Opus between two transports whose peers are joined by hand; the network between them is left to WebRTC's own tests. */
import { expect, test } from 'vitest'
import type { Peer, PeerStats } from '#platform/webrtc'
import { Codecs } from '#voice/realtime'
import { speechLike } from '../../../tests/core/sound/samples.ts'
import { PeerTransport } from './peer-transport.ts'

/** A peer whose packets go to the peer that is joined to it, and whose texts are taken while there is room. */
class HandPeer implements Peer {
  readonly answer = ''
  path: 'udp' | 'tcp' = 'udp'
  lossOut = 0
  roundTripMs: number | undefined
  room = Number.POSITIVE_INFINITY
  readonly texts: string[] = []
  closed = 0
  to: ((packet: Uint8Array, timestamp: number) => void) | undefined

  sendAudio(packet: Uint8Array, timestamp: number): void {
    this.to?.(packet, timestamp)
  }

  sendText(text: string): boolean {
    if (this.texts.length >= this.room) return false
    this.texts.push(text)
    return true
  }

  holdTexts(): void {}

  releaseTexts(): void {}

  stats(): PeerStats {
    const { lossOut, roundTripMs } = this
    return { packetsIn: 0, packetsOut: 0, lost: 0, lossOut, roundTripMs }
  }

  close(): void {
    this.closed += 1
  }
}

async function opened(codecs = new Codecs(1)) {
  const peer = new HandPeer()
  const transport = new PeerTransport(peer, (await codecs.take())!)
  return { peer, transport, codecs, [Symbol.dispose]: () => transport.end('client') }
}

const { samples } = speechLike(24_000, 2)
const frames = Array.from({ length: 100 }, (_, index) => samples.slice(480 * index, 480 * (index + 1)))

/** What one side hears of the other side's sound, and the bytes and frames that were sent; `loses` names the lost packets. */
async function heardBy(prepare: (peer: HandPeer) => void, loses: (sequence: number) => boolean) {
  using from = await opened()
  using to = await opened()
  prepare(from.peer)
  let sequence = 0
  let bytes = 0
  const heard: Float32Array[] = []
  from.peer.to = (packet, timestamp) => {
    bytes += packet.length
    if (!loses(sequence)) to.transport.audio(packet, sequence, timestamp)
    sequence += 1
  }
  for (const frame of frames) {
    from.transport.play(frame, 'item')
    heard.push(...to.transport.pull())
  }
  return { heard, bytes, counts: to.transport.counts }
}

test('what one side says the other hears, a frame for a frame', async () => {
  const { heard, counts } = await heardBy(
    () => undefined,
    () => false,
  )
  expect(heard).toHaveLength(frames.length)
  expect(counts.lost).toBe(0)
  expect(Math.max(...heard.flatMap((frame) => [...frame]))).toBeGreaterThan(0.3)
})

test('where much is lost, packets repeat the ones before them; on TCP none does', async () => {
  const everyTenth = (sequence: number): boolean => sequence % 10 === 5
  const lossy = await heardBy((peer) => {
    peer.lossOut = 0.2
  }, everyTenth)
  const whole = await heardBy((peer) => {
    peer.lossOut = 0.2
    peer.path = 'tcp'
  }, everyTenth)
  expect(lossy.counts.restored).toBeGreaterThan(0)
  expect(whole.counts.restored).toBe(0)
})

test('silence takes 1 packet in 400 ms', async () => {
  using side = await opened()
  let packets = 0
  side.peer.to = () => {
    packets += 1
  }
  for (let time = 0; time < 110; time++) side.transport.play(new Float32Array(480), undefined)
  expect(packets).toBe(15)
})

test('the ear is half a round trip and the buffer of a browser away', async () => {
  using side = await opened()
  expect(side.transport.tailMs).toBe(60)
  side.peer.roundTripMs = 90
  expect(side.transport.tailMs).toBe(105)
})

test('events that the channel does not take wait in their order, and 768 KB of them end the call', async () => {
  using side = await opened()
  const { peer, transport } = side
  const textOf = (bytes: number): string => 'x'.repeat(bytes - JSON.stringify({ type: '' }).length)
  const types = (): string[] => peer.texts.map((text) => JSON.parse(text).type)
  peer.room = 1
  for (const type of ['first', 'second', 'third']) transport.send({ type })
  expect(types()).toEqual(['first'])
  peer.room = 2
  transport.pull()
  peer.room = 10
  transport.send({ type: 'fourth' })
  expect(types()).toEqual(['first', 'second'])
  transport.pull()
  expect(types()).toEqual(['first', 'second', 'third', 'fourth'])
  peer.room = 0
  for (let time = 0; time < 12; time++) transport.send({ type: textOf(64 * 1024) })
  expect(transport.pull()).toEqual([])
  transport.send({ type: '' })
  expect(() => transport.pull()).toThrow('events are not read')
})

test('a side that sends no Opus is told apart from one that is lost', async () => {
  using side = await opened()
  for (let sequence = 0; sequence < 50; sequence++) {
    side.transport.audio(Uint8Array.of(0x49, 1, 2, 3), sequence, 1_920 * sequence)
    expect(side.transport.pull().length).toBeGreaterThan(0)
  }
  expect(() => side.transport.pull()).toThrow('no Opus')
})

test('a call that is over gives its codecs back, once, and neither hears nor says anything', async () => {
  const side = await opened()
  side.transport.audio(Uint8Array.of(0x48, 0), 0, 0)
  side.transport.end('client')
  side.transport.end('failed')
  expect([side.peer.closed, side.codecs.open]).toEqual([1, 0])
  side.peer.to = () => expect.unreachable()
  side.transport.play(frames[10]!, 'item')
  side.transport.send({ type: 'late' })
  expect([side.transport.pull(), side.peer.texts]).toEqual([[], []])
})
