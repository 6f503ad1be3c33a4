import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import {
  type AudioCodec,
  BufferSource,
  CustomSource,
  type EncodedPacket,
  EncodedPacketSink,
  FilePathSource,
  Input,
  type InputAudioTrack,
  MATROSKA,
  MP4,
  QTFF,
  type Source,
  WEBM,
} from 'mediabunny'
import { SoundError } from '../fault.ts'
import { type OuterBoxes, walkBoxes } from './boxes.ts'
import { type CutChunk, type CutFile, findCutChunk } from './cut-chunk.ts'
import { type MatroskaElements, sizeBytes, walkMatroska } from './ebml.ts'
import { openElementaryWriter, pcmSampleBytes } from './elementary.ts'
import { type ByteWindow, FileWindow, windowOn } from './file-window.ts'

/** The part of an unpacked file that is the recording. Positions count from the first sample of the file. */
export interface UnpackedSound {
  codec: AudioCodec
  /** The bytes that were written. */
  bytes: number
  /** The rate that the track states, since not every codec's own bytes do. */
  rate: number
  channels: number
  /** Seconds before the recording begins, which an encoder or an editor put there. */
  skipSeconds: number
  /** Where the recording ends, in seconds; absent: with the sound. */
  untilSeconds?: number
  /** Seconds at the end that are not part of the recording. */
  discardSeconds: number
  hasVideo: boolean
  /** The seconds of the longest further track of sound. */
  otherSeconds: number
  /** Whether there is more in the file, of which other players may play some. */
  hasMore: boolean
  /** Whether the file breaks off: the recording ends with its last whole packet. */
  isTruncated: boolean
}

/** A track of sound of which only the name of its codec is known. */
export interface UnknownSound extends Pick<UnpackedSound, 'rate' | 'channels' | 'hasVideo' | 'isTruncated'> {
  unknown: string | null
}

export type Container = 'matroska' | 'mp4'

/** The most seconds that may be missing at the end of a track: the sizes of last samples are often rounded. */
const maxMissingSeconds = 0.5
/** Lengths are whole ticks of a clock, so that equal lengths differ by one tick. */
const maxRoundingSeconds = 0.001

/**
 * Takes the first audio track out of a file of Matroska, WebM, MP4 or QuickTime, whatever its brand and its other tracks, and writes it as a file
 * that a reader of its codec takes; of a file that breaks off, the packets that are whole. Runs in a confined process: bytes can be made that keep
 * mediabunny busy for long, or make it ask for much memory.
 *
 * @param place the path of the file that is written
 * @throws SoundError, and whatever mediabunny throws at malformed bytes
 */
export async function unpack(
  file: string,
  container: Container,
  place: string,
): Promise<UnpackedSound | UnknownSound> {
  using opened = openFile(file)
  using written = createFile(place)
  return await unpackInto(
    written.write,
    { window: opened.window, source: new FilePathSource(file) },
    container,
  )
}

/** Unpacks like `unpack`, in memory. */
export async function unpackBytes(
  file: Uint8Array,
  container: Container,
): Promise<(UnpackedSound & { packets: Buffer }) | UnknownSound> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const pieces: Uint8Array[] = []
  const write = (piece: Uint8Array) => void pieces.push(piece)
  const input = { window: windowOn(bytes), source: new BufferSource(bytes) }
  const unpacked = await unpackInto(write, input, container)
  return 'unknown' in unpacked ? unpacked : { ...unpacked, packets: Buffer.concat(pieces) }
}

interface UnpackedFile {
  window: ByteWindow
  source: Source
}

/** The outermost parts of a file, as far as they are there. */
interface Outline {
  elements?: MatroskaElements
  boxes?: OuterBoxes
}

/** @param write keeps the bytes it is given, in order */
async function unpackInto(
  write: (bytes: Uint8Array) => void,
  { window, source }: UnpackedFile,
  container: Container,
): Promise<UnpackedSound | UnknownSound> {
  const outline: Outline =
    container === 'matroska' ? { elements: walkMatroska(window) } : { boxes: walkBoxes(window) }
  const { isWhole } = (outline.elements ?? outline.boxes)!
  // Without one mediabunny never comes to an end.
  if (outline.elements?.hasCluster === false) throw new SoundError(isWhole ? 'empty' : 'truncated')
  if (isWhole) return unpackFrom(source, outline, write, window)
  try {
    return await unpackFrom(readableSource(window, outline), outline, write, window)
  } catch (error) {
    if (error instanceof SoundError && error.fault === 'unsupported') throw error
    // Whatever else is wrong with it, a file of which nothing can be heard was cut off too early.
    throw new SoundError('truncated')
  }
}

/** The part of a file that is there, as if it ended with it: mediabunny reads no cluster that is longer than its file. */
function readableSource(window: ByteWindow, { elements, boxes }: Outline): Source {
  const { readableBytes } = (elements ?? boxes)!
  const patches = (elements?.cutSizes ?? []).map(({ at, width }) => ({
    at,
    bytes: sizeBytes(readableBytes - at - width, width),
  }))
  return new CustomSource({
    getSize: () => readableBytes,
    read: (from, to) => {
      const read = window.copy(from, to)
      for (const { at, bytes } of patches)
        for (const [index, byte] of bytes.entries())
          if (at + index >= from && at + index < to) read[at + index - from] = byte
      return read
    },
    prefetchProfile: 'fileSystem',
  })
}

async function unpackFrom(
  source: Source,
  { elements, boxes }: Outline,
  write: (bytes: Uint8Array) => void,
  window: ByteWindow,
): Promise<UnpackedSound | UnknownSound> {
  const { isWhole, hasMore } = (elements ?? boxes)!
  using input = new Input({ source, formats: [MATROSKA, WEBM, MP4, QTFF] })
  const [track, ...others] = await input.getAudioTracks()
  if (!track) throw new SoundError('no_track')
  const about = {
    rate: await track.getSampleRate(),
    channels: await track.getNumberOfChannels(),
    hasVideo: (await input.getVideoTracks()).length > 0,
  }
  const codec = await track.getCodec()
  if (!codec)
    return { ...about, unknown: nameOf(await track.getInternalCodecId()) ?? null, isTruncated: !isWhole }
  const cut = boxes && !isWhole ? { window, readableBytes: boxes.readableBytes } : undefined
  const written = await writePackets(track, codec, write, { maxBytes: window.length, cut })
  const isTruncated = !isWhole || written.isBroken
  const shown = boxes ? await endOf(track, written, boxes.isFragmented, isTruncated) : undefined
  const discard = elements?.discards.get(track.id) ?? 0
  return {
    ...{ ...about, codec, hasMore, bytes: written.bytes },
    skipSeconds: Math.max(written.skipSeconds, -written.first),
    ...(shown !== undefined && { untilSeconds: shown.seconds - written.first }),
    discardSeconds: Math.max(0, discard / 1e9),
    otherSeconds: isTruncated ? 0 : await maxLengthOf(others),
    isTruncated: isTruncated || shown?.isTruncated === true,
  }
}

function openFile(file: string): { window: FileWindow } & Disposable {
  const descriptor = openSync(file, 'r')
  return {
    window: new FileWindow(descriptor, fstatSync(descriptor).size),
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** The name, in a refusal, of a track's codec that mediabunny does not know. */
const nameOf = (id: string | number | Uint8Array | null): string | undefined =>
  typeof id === 'string' && /^[\w./-]{1,32}$/.test(id) ? id : undefined

async function maxLengthOf(tracks: readonly InputAudioTrack[]): Promise<number> {
  let maxSeconds = 0
  for (const track of tracks) maxSeconds = Math.max(maxSeconds, await track.computeDuration())
  return maxSeconds
}

interface WrittenPackets {
  bytes: number
  /** The seconds at the beginning that are no sound, as the codec's own head states. */
  skipSeconds: number
  /** When the first packet is heard, and when the last one is over. */
  first: number
  end: number
  /** Whether all packets but the last have one length. */
  isExact: boolean
  /** Whether the packets after these cannot be read. */
  isBroken: boolean
}

async function writePackets(
  track: InputAudioTrack,
  codec: AudioCodec,
  keep: (bytes: Uint8Array) => void,
  { maxBytes, cut }: { maxBytes: number; cut: CutFile | undefined },
): Promise<WrittenPackets> {
  const config = await track.getDecoderConfig()
  let bytes = 0
  const write = (piece: Uint8Array): void => {
    bytes += piece.length
    keep(piece)
  }
  const writer = config && openElementaryWriter(codec, config)
  const timing = new PacketTiming()
  // A table of samples may name the same bytes any number of times: all packets together are never longer than the file.
  let left = maxBytes
  const take = (data: Uint8Array): void => {
    left -= data.length
    if (left < 0) throw new SoundError('malformed')
    if (writer) write(writer.packet(data))
  }
  let isBroken = false
  try {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      if (!writer) break
      take(packet.data)
      timing.add(packet)
    }
    const sampleBytes = pcmSampleBytes(codec, await track.getNumberOfChannels())
    const chunk = cut && sampleBytes && (await findCutChunk(track, { ...timing.read, sampleBytes }, cut))
    if (chunk) {
      for (const piece of piecesOf(chunk, sampleBytes, cut.window)) take(piece)
      timing.add(chunk)
    }
  } catch (error) {
    if (left < 0 || timing.first === undefined) throw error
    isBroken = true
  }
  if (!writer || timing.first === undefined) throw new SoundError('empty')
  write(writer.end())
  const { first, end, isExact } = timing
  return { bytes, skipSeconds: writer.skipSeconds, first, end, isExact, isBroken }
}

/** How many bytes are written at once. */
const chunkBytes = 1 << 16

/** The bytes of a chunk in pieces of whole samples. */
function* piecesOf({ from, to }: CutChunk, sampleBytes: number, window: ByteWindow): Generator<Buffer> {
  const pieceBytes = chunkBytes - (chunkBytes % sampleBytes)
  for (let at = from; at < to; at += pieceBytes) yield window.copy(at, Math.min(to, at + pieceBytes))
}

/** A new file, which is whole when it is disposed of. */
function createFile(place: string): { write(bytes: Uint8Array): void } & Disposable {
  const file = openSync(place, 'wx', 0o644)
  let held: Uint8Array[] = []
  let heldBytes = 0
  const flush = (): void => {
    const bytes = Buffer.concat(held)
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    held = []
    heldBytes = 0
  }
  return {
    write: (bytes) => {
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes >= chunkBytes) flush()
    },
    [Symbol.dispose]: () => {
      flush()
      closeSync(file)
    },
  }
}

/** Collects when packets are heard, one by one. */
class PacketTiming {
  first: number | undefined
  end = 0
  /** The last packet of the file that was read, and how many were. */
  read: { last: EncodedPacket | undefined; count: number } = { last: undefined, count: 0 }
  isExact = true
  #duration = 0
  /** Whether the packet before had another length than the first: only the last packet may. */
  #isOther = false

  add(heard: EncodedPacket | CutChunk): void {
    const { timestamp, duration } = heard
    if ('data' in heard) this.read = { last: heard, count: this.read.count + 1 }
    if (this.#isOther) this.isExact = false
    if (this.first === undefined) {
      this.first = timestamp
      this.#duration = duration
    }
    this.#isOther = Math.abs(duration - this.#duration) >= maxRoundingSeconds
    this.end = timestamp + duration
  }
}

/**
 * When the sound of an MP4 ends, where the file states it: the padding of an encoder and what an editor cut off come after it. Undefined where the
 * lengths are the noise of a clock, as Chrome writes them into fragments, together with a total length that is that of one packet. A file whose
 * packets end before that breaks off.
 */
async function endOf(
  track: InputAudioTrack,
  { end, isExact }: WrittenPackets,
  isFragmented: boolean,
  isTruncated: boolean,
): Promise<{ seconds: number; isTruncated: boolean } | undefined> {
  const declared = isFragmented || isTruncated ? null : await track.getDurationFromMetadata()
  if (!declared) return isExact ? { seconds: end, isTruncated } : undefined
  const isCut = declared - end > maxMissingSeconds
  return { seconds: isExact || isCut ? Math.min(declared, end) : declared, isTruncated: isCut }
}
