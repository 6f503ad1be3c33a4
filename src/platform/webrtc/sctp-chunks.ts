/** The chunks of SCTP packets (RFC 9260), which are checked before werift reads them: it trusts lengths, and works as long as they say. */

export const chunkType = { data: 0, sack: 3, forward: 192 } as const

export interface Chunk {
  type: number
  body: Buffer
}

const headerBytes = 12
const streamFieldsBytes = 4

/** Where the parameters of a chunk begin: of INIT and its answer, heartbeats, ends, errors, and reconfigurations. */
const parametersAt: Readonly<Record<number, number>> = { 1: 16, 2: 16, 4: 0, 5: 0, 6: 0, 9: 0, 130: 0 }

/** The chunks after the header of a packet; undefined if one is not as long as it says. */
export function chunksOf(packet: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = []
  for (let at = headerBytes; at + 4 <= packet.length; ) {
    const length = packet.readUInt16BE(at + 2)
    if (length < 4 || at + length > packet.length) return undefined
    chunks.push({ type: packet[at]!, body: packet.subarray(at + 4, at + length) })
    at += (length + 3) & ~3
  }
  return chunks
}

/** The maximum parameters of a chunk: werift answers each one of a reconfiguration by itself. Browsers send one, and six in an INIT. */
const maxParameters = 16

/** Whether all parameters of a chunk are as long as they say, and not more than a few. */
export function hasWholeParameters({ type, body }: Chunk): boolean {
  let count = 0
  for (let at = parametersAt[type] ?? body.length; at + 4 <= body.length; ) {
    const length = body.readUInt16BE(at + 2)
    if (length < 4 || at + length > body.length || ++count > maxParameters) return false
    at += (length + 3) & ~3
  }
  return true
}

/** Whether an acknowledgement names only pieces that were sent; `nextTsn` is the number of the piece that is sent next. */
export function isOfSent(body: Buffer, nextTsn: number): boolean {
  if (body.length < 12) return false
  const sent = (nextTsn - 1 - body.readUInt32BE(0)) >>> 0
  const end = 12 + 4 * body.readUInt16BE(8)
  if (end > body.length || sent >= 0x8000_0000) return false
  let named = 0
  for (let at = 12; at < end; at += 4) {
    const [first, last] = [body.readUInt16BE(at), body.readUInt16BE(at + 2)]
    named += last - first + 1
    if (last < first || last > sent || named > sent) return false
  }
  return true
}

/** The streams that a chunk tells to go on without their missing pieces. */
export function forwardedStreams(body: Buffer): number[] {
  const streams: number[] = []
  for (let at = 4; at + streamFieldsBytes <= body.length; at += streamFieldsBytes)
    streams.push(body.readUInt16BE(at))
  return streams
}
