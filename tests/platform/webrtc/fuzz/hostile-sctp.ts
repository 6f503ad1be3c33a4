/** Packets of SCTP (RFC 9260) as a hostile client writes them, and as much of an association as their numbers need. */
import { crc32c } from 'werift'

export const chunkType = {
  data: 0,
  init: 1,
  initAck: 2,
  sack: 3,
  heartbeat: 4,
  heartbeatAck: 5,
  abort: 6,
  shutdown: 7,
  shutdownAck: 8,
  error: 9,
  cookieEcho: 10,
  cookieAck: 11,
  shutdownComplete: 14,
  reconfig: 130,
  forward: 192,
} as const

export const protocol = { control: 50, text: 51, binary: 53, emptyText: 56, emptyBinary: 57 } as const
/** Flags of a piece that is a whole message. */
export const whole = 3
export const unordered = 7

const port = 5_000
const cookieParameter = 7
const headerBytes = 12

export interface Chunk {
  type: number
  flags?: number
  body: Buffer
  /** The length in the header; if absent, that of the chunk. */
  length?: number
}

export interface Data {
  tsn: number
  stream: number
  sequence: number
  protocol: number
  flags: number
  bytes: Buffer
}

/** Big-endian numbers, each as its value and its bytes. */
export function numbers(...fields: [value: number, bytes: number][]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes)
      field.writeUIntBE(value % 2 ** (8 * bytes), 0, bytes)
      return field
    }),
  )
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])

export const chunkBytes = ({ type, flags = 0, body, length = body.length + 4 }: Chunk): Buffer =>
  padded(Buffer.concat([numbers([type, 1], [flags, 1], [length, 2]), body]))

export const dataChunk = ({ tsn, stream, sequence, protocol: kind, flags, bytes }: Data): Chunk => ({
  type: chunkType.data,
  flags,
  body: Buffer.concat([numbers([tsn, 4], [stream, 2], [sequence, 2], [kind, 4]), bytes]),
})

/** An opening of a data channel (RFC 8832). */
export const openMessage = (label: Buffer): Buffer =>
  Buffer.concat([numbers([3, 1], [0, 1], [0, 2], [0, 4], [label.length, 2], [0, 2]), label])

/** Writes the checksum of a packet into it. */
export function checksummed(packet: Buffer): Buffer {
  if (packet.length < headerBytes) return packet
  packet.writeUInt32LE(0, 8)
  packet.writeUInt32LE(crc32c(packet), 8)
  return packet
}

/** A packet without its checksum. */
export const packetBytes = (tag: number, chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([numbers([port, 2], [port, 2], [tag, 4], [0, 4]), ...chunks])

export class SctpClient {
  readonly #send: (packet: Buffer) => void
  readonly #ownTag = 0x1234_5678
  /** The number of the message to which each piece belongs that may be lost. */
  readonly #sequences = new Map<number, number>()
  #acknowledged = 0
  #cookie: Buffer = Buffer.alloc(24)
  /** The tag of the endpoint, which its packets are sent with. */
  tag = 0
  /** The number of the next piece of data, and of the next message of stream 1. */
  nextTsn = 1_000_000
  nextSequence = 0
  /** The last number that the endpoint has sent. */
  theirTsn = 0

  constructor(send: (packet: Buffer) => void) {
    this.#send = send
  }

  get cookie(): Buffer {
    return this.#cookie
  }

  start(): void {
    const body = numbers([this.#ownTag, 4], [131_072, 4], [64, 2], [64, 2], [this.nextTsn, 4])
    this.#send(checksummed(packetBytes(0, [chunkBytes({ type: chunkType.init, body })])))
  }

  send(...chunks: Chunk[]): void {
    this.#send(checksummed(packetBytes(this.tag, chunks.map(chunkBytes))))
  }

  /** Goes back to the first piece that the endpoint has not taken. */
  goBack(): void {
    if (this.#acknowledged === 0) return
    this.nextTsn = (this.#acknowledged + 1) % 2 ** 32
    this.nextSequence = this.#sequences.get(this.nextTsn) ?? this.nextSequence
    this.#sequences.clear()
  }

  /** Takes the number of the next piece of data. */
  takeTsn(): number {
    const tsn = this.nextTsn
    this.#sequences.set(tsn, this.nextSequence)
    this.nextTsn = (tsn + 1) % 2 ** 32
    return tsn
  }

  receive(packet: Buffer): void {
    for (let at = headerBytes; at + 4 <= packet.length; ) {
      const length = packet.readUInt16BE(at + 2)
      if (length < 4 || at + length > packet.length) return
      this.#take(packet[at]!, packet.subarray(at + 4, at + length))
      at += (length + 3) & ~3
    }
  }

  #take(type: number, body: Buffer): void {
    if (type === chunkType.initAck) this.#echo(body)
    else if (type === chunkType.cookieAck) this.#open()
    else if (type === chunkType.sack && body.length >= 12) this.#acknowledged = body.readUInt32BE(0)
    else if (type === chunkType.data && body.length >= 12) this.#acknowledge(body.readUInt32BE(0))
  }

  #echo(body: Buffer): void {
    this.tag = body.readUInt32BE(0)
    this.theirTsn = (body.readUInt32BE(12) - 1) >>> 0
    for (let at = 16; at + 4 <= body.length; ) {
      const length = body.readUInt16BE(at + 2)
      if (length < 4) return
      if (body.readUInt16BE(at) === cookieParameter)
        this.#cookie = Buffer.from(body.subarray(at + 4, at + length))
      at += (length + 3) & ~3
    }
    this.send({ type: chunkType.cookieEcho, body: this.#cookie })
  }

  #open(): void {
    const bytes = openMessage(Buffer.from('oai-events'))
    const sequence = this.nextSequence++
    this.send(
      dataChunk({
        tsn: this.takeTsn(),
        stream: 1,
        sequence,
        protocol: protocol.control,
        flags: whole,
        bytes,
      }),
    )
  }

  #acknowledge(tsn: number): void {
    this.theirTsn = tsn
    this.send({ type: chunkType.sack, body: numbers([tsn, 4], [131_072, 4], [0, 2], [0, 2]) })
  }
}
