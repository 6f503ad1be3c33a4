/** The data channel: whatever chunks a client with the keys sends, they are read, dropped, or end his connection, at bounded cost. */
import type { Random } from '../../../../simulation/random.ts'
import { type FuzzContext, holds, type Target } from '../context.ts'
import { HostilePeer } from '../hostile-peer.ts'
import {
  type Chunk,
  checksummed,
  chunkBytes,
  chunkType,
  dataChunk,
  numbers,
  openMessage,
  packetBytes,
  protocol,
  type SctpClient,
  unordered,
  whole,
} from '../hostile-sctp.ts'
import { mutated, randomBytes, someLength } from '../mutate.ts'

/** Of one connection, so that what cases leave behind adds up. */
const cases = 200
const maxPacketBytes = 1_300
const maxTextBytes = 65_536
const messages = [
  protocol.text,
  protocol.text,
  protocol.emptyText,
  protocol.emptyBinary,
  protocol.binary,
  0,
  52,
] as const
const kinds = [
  'data',
  'data',
  'data',
  'data',
  'sack',
  'forward',
  'reconfig',
  'parameters',
  'any',
  'recorded',
] as const
type Kind = (typeof kinds)[number]

/** What clients do for as long as a connection lasts, so that it reaches its bounds: each soon ends at one. */
const styles = ['ordered', 'unordered', 'openings', 'long', 'held', 'greedy'] as const

export class SctpTarget implements Target {
  readonly maxCpuMs = 50
  readonly #context: FuzzContext
  #peer: HostilePeer | undefined
  #left = 0
  /** How far ahead of a missing piece the client is. */
  #ahead = 0
  #style: (typeof styles)[number] = 'ordered'
  /** Whether the first piece of a long message was sent, and not its last. */
  #isBegun = false

  constructor(context: FuzzContext) {
    this.#context = context
  }

  async run(draw: Random): Promise<void> {
    const peer = await this.#open(draw)
    if (draw.chance(0.9)) peer.sctp.goBack()
    const isRun = this.#isPatient || draw.chance(0.2)
    const kind = this.#isPatient ? 'data' : draw.pick(kinds)
    if (this.#style === 'held') this.#hold(draw, peer)
    if (this.#style === 'greedy') peer.peer.sendText('x'.repeat(draw.pick([0, 1, 1_000, maxTextBytes])))
    for (let left = someLength(draw, 6); left > 0; left--)
      this.#send(draw, peer, this.#packet(draw, peer.sctp, isRun ? kind : undefined))
    await peer.settle()
    holds(peer.broken === undefined, peer.broken ?? '')
    holds(peer.end !== 'lost' && peer.end !== 'failed', `chunks do not make a connection ${peer.end}`)
  }

  /** Whether the client keeps the rules of SCTP, so that what it sends is taken until a bound is reached. */
  get #isPatient(): boolean {
    return this.#style === 'long' || this.#style === 'held'
  }

  /** Nobody takes its texts, but for one case now and then. */
  #hold(draw: Random, { peer }: HostilePeer): void {
    if (draw.chance(0.01)) peer.releaseTexts()
    else peer.holdTexts()
  }

  #send(draw: Random, peer: HostilePeer, unsigned: Buffer): void {
    const isWhole = this.#isPatient || draw.chance(0.9)
    const packet = isWhole ? unsigned : mutated(draw, unsigned, this.#context.corpus.sctp, 1_400)
    const signed = isWhole || draw.chance(0.8) ? checksummed(Buffer.from(packet)) : packet
    this.#context.journal.note(signed)
    peer.sendPacket(signed)
  }

  /** Chunks of all kinds or of one, some or as many as fit, under the right tag or another. */
  #packet(draw: Random, client: SctpClient, only: Kind | undefined): Buffer {
    const chunks: Buffer[] = []
    const most = !this.#isPatient && draw.chance(0.2) ? 400 : someLength(draw, 6)
    const isSmall = most > 6
    const kind = only ?? (isSmall && draw.chance(0.7) ? 'data' : undefined)
    const share = !this.#isPatient && draw.chance(0.15) ? 0.3 : 0
    let bytes = 0
    // What begins with the next piece, or with one that came before, may be taken whole.
    if (draw.chance(0.3))
      chunks.push(chunkBytes(this.#data(draw, client, draw.pick(this.#isPatient ? [-1] : [-1, 0]), true)))
    while (chunks.length < most) {
      const chunk = this.#chunk(draw, client, kind ?? draw.pick(kinds), isSmall, share)
      if (bytes + chunk.length > maxPacketBytes) break
      chunks.push(chunk)
      bytes += chunk.length
    }
    const tag =
      this.#isPatient || draw.chance(0.97) ? client.tag : draw.pick([0, 1, draw.between(0, 2 ** 32 - 1)])
    return packetBytes(tag, chunks)
  }

  /** A chunk, which is spoiled with this probability. */
  #chunk(draw: Random, client: SctpClient, kind: Kind, isSmall: boolean, share: number): Buffer {
    if (kind === 'recorded') return this.#recorded(draw, client)
    const chunk = this.#made(draw, client, kind, isSmall)
    // An end is legal, and leaves the next cases a new connection.
    const isEnd = chunk.type === chunkType.abort || chunk.type === chunkType.shutdown
    if (isEnd && draw.chance(0.98)) chunk.type = chunkType.error
    if (draw.chance(share)) chunk.length = draw.pick([0, 1, 2, 3, 4, 5, chunk.body.length, 65_535])
    if (draw.chance(share)) chunk.body = mutated(draw, chunk.body, [], maxPacketBytes)
    return chunkBytes(chunk)
  }

  #made(draw: Random, client: SctpClient, kind: Kind, isSmall: boolean): Chunk {
    if (kind === 'data') return this.#data(draw, client, undefined, isSmall)
    if (kind === 'sack') return sack(draw, client, isSmall)
    if (kind === 'forward') return forward(draw, client, isSmall)
    if (kind === 'reconfig')
      return {
        type: chunkType.reconfig,
        body: parameters(draw, isSmall, () => reconfiguration(draw, client)),
      }
    if (kind === 'parameters') {
      const type = draw.pick([chunkType.heartbeat, chunkType.heartbeatAck, chunkType.error, chunkType.abort])
      return {
        type,
        body: parameters(draw, isSmall, () => [
          draw.between(0, 12),
          randomBytes(draw, someLength(draw, 40) - 1),
        ]),
      }
    }
    const type = draw.chance(0.8) ? draw.pick(Object.values(chunkType)) : draw.between(0, 255)
    const body = type === chunkType.cookieEcho && draw.chance(0.7) ? client.cookie : undefined
    return {
      type,
      flags: draw.between(0, 255),
      body: body ?? randomBytes(draw, isSmall ? 0 : someLength(draw, 60) - 1),
    }
  }

  /** A piece of data at this distance from the next one, or at one that is drawn. */
  #data(draw: Random, client: SctpClient, distance: number | undefined, isSmall: boolean): Chunk {
    const isNext = distance === undefined && (this.#isPatient || draw.chance(0.3))
    const tsn = isNext ? client.takeTsn() : client.nextTsn + (distance ?? this.#distance(draw))
    const isOpening = draw.chance(this.#style === 'openings' ? 0.3 : 0.01)
    const kind = isOpening ? protocol.control : this.#isPatient ? protocol.text : draw.pick(messages)
    const isMain = this.#isPatient || draw.chance(0.8)
    const stream = isMain ? 1 : draw.pick([0, 2, 3, 63, draw.chance(0.1) ? 64 : 62])
    const isHonest = isNext && isMain && (this.#isPatient || draw.chance(0.7))
    const wrong = draw.pick([0, client.nextSequence, 65_535, draw.between(0, 65_535)])
    const sequence = isHonest ? client.nextSequence : wrong
    const flags = this.#flags(draw)
    if (isHonest && (flags & 1) === 1) client.nextSequence = (sequence + 1) % 65_536
    const longest = isSmall ? 4 : this.#isPatient || draw.chance(0.1) ? 1_200 : 100
    const bytes = isOpening
      ? mutated(draw, openMessage(randomBytes(draw, someLength(draw, 80) - 1)), [], longest + 20)
      : randomBytes(draw, this.#isPatient ? longest : someLength(draw, longest) - 1)
    return dataChunk({ tsn: (tsn + 2 ** 32) % 2 ** 32, stream, sequence, protocol: kind, flags, bytes })
  }

  /** Whole messages that are ordered wait for those before them, unordered ones do not; long ones seldom end. */
  #flags(draw: Random): number {
    if (this.#style === 'held') return whole
    if (this.#style === 'long') {
      const isFirst = !this.#isBegun
      this.#isBegun = isFirst || !draw.chance(0.02)
      return isFirst ? 2 : this.#isBegun ? 0 : 1
    }
    const usual = this.#style === 'unordered' ? unordered : whole
    return draw.chance(0.9) ? usual : draw.between(0, 15)
  }

  #distance(draw: Random): number {
    if (draw.chance(0.6)) {
      this.#ahead += draw.between(1, 3)
      return this.#ahead
    }
    return draw.pick([
      -1,
      0,
      1,
      2,
      draw.between(0, 300),
      2 ** 31 - 1,
      2 ** 31,
      -1_000,
      draw.between(0, 2 ** 31),
    ])
  }

  /** A packet of an honest client, with the numbers of this connection, without its header. */
  #recorded(draw: Random, client: SctpClient): Buffer {
    const { sctp } = this.#context.corpus
    const recorded = sctp.filter((bytes) => bytes[12] !== chunkType.abort)
    const packet = Buffer.from(draw.pick(recorded))
    const isData = packet[12] === chunkType.data && packet.length >= 28
    if (isData) packet.writeUInt32BE(client.takeTsn(), 16)
    const chunks = packet.subarray(12)
    return draw.chance(0.5) ? chunks : mutated(draw, chunks, sctp, maxPacketBytes)
  }

  async #open(draw: Random): Promise<HostilePeer> {
    if (this.#peer === undefined || this.#peer.isOver || this.#left-- <= 0) {
      await this.close()
      const isTcp = draw.chance(0.1)
      this.#peer = await HostilePeer.secure(this.#context, { isTcp })
      this.#left = cases
      this.#ahead = 0
      this.#style = draw.pick(styles)
      this.#isBegun = false
      if (draw.chance(0.9)) await this.#peer.openChannel()
    }
    return this.#peer
  }

  async close(): Promise<void> {
    await this.#peer?.[Symbol.asyncDispose]()
    this.#peer = undefined
  }
}

function sack(draw: Random, { theirTsn }: SctpClient, isSmall: boolean): Chunk {
  const edge = (): number => draw.pick([0, 1, 2, 3, 255, 65_534, 65_535, draw.between(0, 65_535)])
  const gaps = isSmall ? draw.between(0, 1) : someLength(draw, draw.chance(0.2) ? 300 : 8) - 1
  const copies = isSmall ? 0 : someLength(draw, 8) - 1
  const count = (real: number): number => (draw.chance(0.95) ? real : draw.pick([0, 1, 1_000, 65_535]))
  const tsn = theirTsn + draw.pick([0, 0, 0, 1, -1, 100, 2 ** 31, draw.between(0, 2 ** 31)])
  return {
    type: chunkType.sack,
    body: numbers(
      [(tsn + 2 ** 32) % 2 ** 32, 4],
      [draw.pick([0, 1, 131_072, 2 ** 32 - 1]), 4],
      [count(gaps), 2],
      [count(copies), 2],
      ...Array.from({ length: 2 * gaps }, (): [number, number] => [edge(), 2]),
      ...Array.from({ length: copies }, (): [number, number] => [draw.between(0, 2 ** 32 - 1), 4]),
    ),
  }
}

function forward(draw: Random, { nextTsn }: SctpClient, isSmall: boolean): Chunk {
  const streams = isSmall ? 0 : someLength(draw, draw.chance(0.2) ? 300 : 6) - 1
  const tsn = nextTsn + draw.pick([-1, 0, 1, 10, 2 ** 31, draw.between(0, 2 ** 31)])
  const named = Array.from({ length: 2 * streams }, (_, at): [number, number] => [
    at % 2 === 0 ? draw.pick([0, 1, 63, draw.chance(0.1) ? 64 : 2]) : draw.between(0, 65_535),
    2,
  ])
  return { type: chunkType.forward, body: numbers([(tsn + 2 ** 32) % 2 ** 32, 4], ...named) }
}

/** Parameters, each with a length that may be wrong. */
function parameters(draw: Random, isSmall: boolean, one: () => [type: number, value: Buffer]): Buffer {
  const count = isSmall ? draw.between(0, 1) : someLength(draw, draw.chance(0.2) ? 100 : 4)
  const encoded = Array.from({ length: count }, () => {
    const [type, value] = one()
    const length = draw.chance(0.9) ? value.length + 4 : draw.pick([0, 1, 3, 4, 65_535])
    return Buffer.concat([numbers([type, 2], [length, 2]), value, Buffer.alloc((4 - (value.length % 4)) % 4)])
  })
  return Buffer.concat(encoded).subarray(0, maxPacketBytes - 4)
}

function reconfiguration(draw: Random, { nextTsn }: SctpClient): [type: number, value: Buffer] {
  const number = draw.pick([nextTsn, nextTsn - 1, 0, 2 ** 32 - 1, draw.between(0, 2 ** 32 - 1)])
  const type = draw.pick([13, 14, 15, 16, 17, 18])
  const streams = someLength(draw, draw.chance(0.1) ? 500 : 5) - 1
  const named = Array.from({ length: streams }, (): [number, number] => [draw.pick([0, 1, 2, 63, 65_535]), 2])
  if (type === 13) return [type, numbers([number, 4], [0, 4], [nextTsn, 4], ...named)]
  if (type === 16) return [type, numbers([number, 4], [draw.between(0, 7), 4])]
  return [type, numbers([number, 4], [draw.pick([0, 1, 65_535]), 2], [0, 2], ...named)]
}
