/** DTLS: handshakes whose messages, fragments, records and datagrams are hostile, and records for a connection that is secure. */

import { setTimeout as wait } from 'node:timers/promises'
import { uint } from '../../../../../src/platform/webrtc/bytes-reader.ts'
import { encodeMessage, type HandshakeMessage } from '../../../../../src/platform/webrtc/dtls-handshake.ts'
import { contentType, encodeRecord } from '../../../../../src/platform/webrtc/dtls-records.ts'
import { srtpProfiles } from '../../../../../src/platform/webrtc/srtp.ts'
import type { Random } from '../../../../simulation/random.ts'
import { type FuzzContext, holds, type Target } from '../context.ts'
import { type HandshakeShape, packed } from '../hostile-dtls.ts'
import { HostilePeer } from '../hostile-peer.ts'
import { disturbed, mutated, pieces, randomBytes, someLength } from '../mutate.ts'

const cases = 32
const maxDatagrams = 48
const hostileLengths: readonly number[] = [0, 1, 16_384, 16_385, 65_535, 0xffffff]

export class DtlsTarget implements Target {
  readonly maxCpuMs = 50
  readonly #context: FuzzContext
  #secure: HostilePeer | undefined
  #left = 0

  constructor(context: FuzzContext) {
    this.#context = context
  }

  run(draw: Random): Promise<void> {
    return draw.chance(0.7) ? this.#handshake(draw) : this.#records(draw)
  }

  async #handshake(draw: Random): Promise<void> {
    await using peer = await HostilePeer.open(this.#context, {
      shape: this.#shape(draw),
      isTcp: draw.chance(0.1),
    })
    await peer.settle()
    // What was sent is read by now, and the flight that it was answered with has come; so has what this side said to that.
    for (let flights = 0; flights < 3 && !peer.isSecure && !peer.isOver; flights++) await peer.settle()
    if (draw.chance(0.1)) {
      for (const datagram of disturbed(draw, this.#some(draw))) peer.sendNoted(datagram)
      await peer.settle()
    }
    if (draw.chance(0.01) && !peer.isSecure && !peer.isOver) {
      // Flights are sent again, and a repeated message is answered again.
      await wait(draw.pick([60, 250]))
      for (const datagram of this.#some(draw)) peer.sendNoted(datagram)
      await peer.settle()
    }
    if (!peer.isSecure) this.#context.refused()
    holds(peer.broken === undefined, peer.broken ?? '')
  }

  #some(draw: Random): Buffer[] {
    return Array.from({ length: someLength(draw, 6) }, () => draw.pick(this.#context.corpus.dtls))
  }

  /** Hostile in one way or in two, so that the others are reached. */
  #shape(draw: Random): HandshakeShape {
    const { dtls } = this.#context.corpus
    const shape: HandshakeShape = {
      hasCookie: draw.chance(0.3),
      hasRequest: draw.chance(0.5),
      profile: draw.pick(Object.values(srtpProfiles)),
      curve: draw.pick(['x25519', 'p256'] as const),
      scheme: draw.pick(['ecdsaP256Sha256', 'ecdsaP256Sha256', 'rsaPssSha256', 'rsaSha256'] as const),
    }
    for (let ways = draw.between(1, 2); ways > 0; ways--) {
      const way = draw.between(0, 4)
      if (way === 0) shape.parameters = (bytes) => mutated(draw, bytes, [], 400)
      else if (way === 1) shape.messages = (flight) => hostileMessages(draw, flight, dtls)
      else if (way === 2) shape.fragments = (message) => hostileFragments(draw, message)
      else if (way === 3)
        shape.datagrams = (records) => disturbed(draw, packed(records), dtls).slice(0, maxDatagrams)
      else shape.datagrams = (records) => packed(disturbed(draw, records, dtls)).slice(0, maxDatagrams)
    }
    return shape
  }

  /** What a client with keys, and whoever knows his address, sends after the handshake. */
  async #records(draw: Random): Promise<void> {
    const peer = await this.#open()
    const isStranger = draw.chance(0.5)
    for (let left = someLength(draw, 8); left > 0; left--) {
      const datagram = isStranger ? this.#plain(draw) : sealed(draw, peer)
      if (isStranger) this.#context.journal.note(datagram)
      if (datagram.length > 0) peer.send(datagram)
    }
    await peer.settle()
    if (isStranger) holds(peer.end === undefined, 'nothing unencrypted ends a secure connection')
    if (peer.isOver) this.#left = 0
  }

  #plain(draw: Random): Buffer {
    const { dtls } = this.#context.corpus
    if (draw.chance(0.6)) return mutated(draw, draw.pick(dtls), dtls)
    const type = draw.pick([20, 21, 22, 23, 24, draw.between(20, 63)])
    const sequence = draw.pick([0, 1, 2, 500, 2 ** 32, 2 ** 48 - 1])
    return encodeRecord({
      type,
      epoch: draw.pick([0, 1, 1, 2, 65_535]),
      sequence,
      fragment: randomBytes(draw, someLength(draw, 200) - 1),
    })
  }

  async #open(): Promise<HostilePeer> {
    if (this.#secure === undefined || this.#left-- <= 0) {
      await this.close()
      this.#secure = await HostilePeer.secure(this.#context)
      this.#left = cases
    }
    return this.#secure
  }

  async close(): Promise<void> {
    await this.#secure?.[Symbol.asyncDispose]()
    this.#secure = undefined
  }
}

/** A record with the keys of the connection, whatever it says; a part of them is changed afterwards. */
function sealed(draw: Random, peer: HostilePeer): Buffer {
  const type = draw.pick([
    contentType.data,
    contentType.handshake,
    contentType.changeCipherSpec,
    24,
    25,
    20,
    63,
  ])
  // An alert ends the connection, as it may.
  const kind = draw.chance(0.02) ? contentType.alert : type
  const text = randomBytes(draw, someLength(draw, 1_300) - 1)
  const record = peer.dtls.seal(kind, text) ?? Buffer.alloc(0)
  if (draw.chance(0.7)) {
    peer.sendNoted(record)
    return draw.chance(0.5) ? record : mutated(draw, record)
  }
  return mutated(draw, record)
}

function hostileMessages(
  draw: Random,
  flight: HandshakeMessage[],
  others: readonly Buffer[],
): HandshakeMessage[] {
  const changed = flight.flatMap((message) => {
    if (draw.chance(0.6)) return [message]
    const way = draw.between(0, 4)
    if (way === 0) return []
    if (way === 1) return [message, { ...message, sequence: message.sequence + draw.between(0, 2) }]
    if (way === 2) return [{ ...message, type: draw.pick([0, 1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 20, 255]) }]
    if (way === 3) return [{ ...message, sequence: draw.pick([0, 1, 7, 8, 9, 65_535]) }]
    return [{ ...message, body: mutated(draw, message.body, others, 20_000) }]
  })
  return draw.chance(0.1) ? changed.reverse() : changed
}

/** Fragments of any size, which overlap, come twice, contradict each other and their lengths. */
function hostileFragments(draw: Random, message: HandshakeMessage): Buffer[] {
  if (draw.chance(0.2)) return [encodeMessage(message)]
  const { body } = message
  const fragments: Buffer[] = []
  let at = 0
  for (const piece of pieces(draw, body, 12)) {
    const back = draw.chance(0.3) ? draw.between(0, at) : 0
    const bytes = body.subarray(at - back, at + piece.length)
    fragments.push(fragmentOf(draw, message, at - back, bytes))
    at += piece.length
  }
  if (body.length === 0) fragments.push(encodeMessage(message))
  if (draw.chance(0.3)) fragments.push(...fragments)
  if (draw.chance(0.3)) fragments.reverse()
  return fragments
}

function fragmentOf(
  draw: Random,
  { type, sequence, body }: HandshakeMessage,
  at: number,
  bytes: Buffer,
): Buffer {
  const isHostile = draw.chance(0.1)
  const field = (value: number): Buffer => {
    const other =
      isHostile && draw.chance(0.4)
        ? draw.pick([...hostileLengths, value + 1, Math.max(0, value - 1)])
        : value
    return uint(other, 3)
  }
  const header = [uint(type, 1), field(body.length), uint(sequence, 2), field(at), field(bytes.length)]
  return Buffer.concat([...header, bytes])
}
