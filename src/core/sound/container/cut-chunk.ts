/** What is there of a chunk of PCM that breaks off. MP4 and QuickTime have seconds of it, or all of the sound, in one chunk (ISO 14496-12, 8.7). */
import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from 'mediabunny'
import type { ByteWindow } from './file-window.ts'

/** Where the whole samples of the chunk stand in the file, and when they are heard. */
export interface CutChunk {
  from: number
  to: number
  timestamp: number
  duration: number
}

/** A file that breaks off, and the place up to which it can be read. */
export interface CutFile {
  window: ByteWindow
  readableBytes: number
}

/**
 * The chunk with which the sound breaks off; undefined where nothing is there of it.
 * @param last the last packet that was read, of so many: mediabunny reads each chunk of PCM as one packet, if it is whole
 * @param sampleBytes those of one sample of all channels
 */
export async function findCutChunk(
  track: InputAudioTrack,
  { last, count, sampleBytes }: { last: EncodedPacket | undefined; count: number; sampleBytes: number },
  { window, readableBytes }: CutFile,
): Promise<CutChunk | undefined> {
  const sink = new EncodedPacketSink(track)
  const packet = await (last
    ? sink.getNextPacket(last, { metadataOnly: true })
    : sink.getFirstPacket({ metadataOnly: true }))
  const from = packet && offsetOfChunk(window, track.id, count)
  if (!packet || from === undefined || from === null) return undefined
  const there = Math.min(readableBytes - from, packet.byteLength)
  const bytes = there - (there % sampleBytes)
  if (bytes <= 0) return undefined
  const duration = (packet.duration * bytes) / packet.byteLength
  return { from, to: from + bytes, timestamp: packet.timestamp, duration }
}

/** The bytes of a box behind its head. */
interface BoxBody {
  from: number
  to: number
}

const tablePath = ['mdia', 'minf', 'stbl']

/** Where a chunk of a track begins, by the table of the track. */
function offsetOfChunk(window: ByteWindow, trackId: number, index: number): number | undefined {
  const movie = boxIn(window, { from: 0, to: window.length }, ['moov'])
  if (!movie) return undefined
  for (const track of boxesIn(window, movie, 'trak')) {
    if (idOf(window, track) !== trackId) continue
    const short = boxIn(window, track, [...tablePath, 'stco'])
    const table = short ?? boxIn(window, track, [...tablePath, 'co64'])
    const width = short ? 4 : 8
    if (!table || index >= window.at(table.from + 4, 4).readUInt32BE()) return undefined
    const entry = window.at(table.from + 8 + index * width, width)
    if (entry.length < width) return undefined
    return short ? entry.readUInt32BE() : Number(entry.readBigUInt64BE())
  }
  return undefined
}

function idOf(window: ByteWindow, track: BoxBody): number | undefined {
  const head = boxIn(window, track, ['tkhd'])
  const bytes = head && window.at(head.from, 24)
  return bytes?.length === 24 ? bytes.readUInt32BE(bytes[0] === 1 ? 20 : 12) : undefined
}

/** The first box by this path of names. */
function boxIn(window: ByteWindow, outer: BoxBody, names: readonly string[]): BoxBody | undefined {
  let body: BoxBody | undefined = outer
  for (const name of names) body = body && boxesIn(window, body, name).next().value
  return body
}

function* boxesIn(
  window: ByteWindow,
  { from, to }: BoxBody,
  wanted: string,
): Generator<BoxBody, undefined, undefined> {
  for (let at = from; at + 8 <= to; ) {
    const head = window.at(at, 16)
    const short = head.readUInt32BE(0)
    const isLong = short === 1 && head.length === 16
    const headBytes = isLong ? 16 : 8
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? to - at : short
    if (size < headBytes) return undefined
    const isWanted = head.toString('latin1', 4, 8) === wanted
    if (isWanted) yield { from: at + headBytes, to: Math.min(to, at + size) }
    at += size
  }
  return undefined
}
