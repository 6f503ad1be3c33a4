import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import {
  type AudioCodec,
  BufferSource,
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
import { walkBoxes } from './boxes.ts'
import { walkMatroska } from './ebml.ts'
import { openElementaryWriter } from './elementary.ts'
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
}

export type Container = 'matroska' | 'mp4'

/** The most seconds that may be missing at the end of a track: the sizes of last samples are often rounded. */
const maxMissingSeconds = 0.5
/** Lengths are whole ticks of a clock, so that equal lengths differ by one tick. */
const maxRoundingSeconds = 0.001

/**
 * Takes the first audio track out of a file of Matroska, WebM, MP4 or QuickTime, whatever its brand and its other tracks, and writes it as a file
 * that a reader of its codec takes. Runs in a confined process: bytes can be made that keep mediabunny busy for long, or make it ask for much memory.
 *
 * @param place the path of the file that is written
 * @throws SoundError, and whatever mediabunny throws at malformed bytes
 */
export async function unpack(file: string, container: Container, place: string): Promise<UnpackedSound> {
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
): Promise<UnpackedSound & { packets: Buffer }> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const pieces: Uint8Array[] = []
  const write = (piece: Uint8Array) => void pieces.push(piece)
  const input = { window: windowOn(bytes), source: new BufferSource(bytes) }
  const unpacked = await unpackInto(write, input, container)
  return { ...unpacked, packets: Buffer.concat(pieces) }
}

/** @param write keeps the bytes it is given, in order */
async function unpackInto(
  write: (bytes: Uint8Array) => void,
  { window, source }: { window: ByteWindow; source: Source },
  container: Container,
): Promise<UnpackedSound> {
  const elements = container === 'matroska' ? walkMatroska(window) : undefined
  const boxes = container === 'mp4' ? walkBoxes(window) : undefined
  if (!(elements ?? boxes)!.isWhole) throw new SoundError('truncated')
  using input = new Input({ source, formats: [MATROSKA, WEBM, MP4, QTFF] })
  const [track, ...others] = await input.getAudioTracks()
  if (!track) throw new SoundError('no_track')
  const codec = await track.getCodec()
  if (!codec) throw new SoundError('unsupported', undefined, nameOf(await track.getInternalCodecId()))
  const written = await writePackets(track, codec, write, window.length)
  const shown = boxes ? await endOf(track, written, boxes.isFragmented) : undefined
  const discard = elements?.discards.get(track.id) ?? 0
  return {
    codec,
    bytes: written.bytes,
    rate: await track.getSampleRate(),
    channels: await track.getNumberOfChannels(),
    skipSeconds: Math.max(written.skipSeconds, -written.first),
    ...(shown !== undefined && { untilSeconds: shown - written.first }),
    discardSeconds: Math.max(0, discard / 1e9),
    hasVideo: (await input.getVideoTracks()).length > 0,
    otherSeconds: await maxLengthOf(others),
    hasMore: (elements ?? boxes)!.hasMore,
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
}

async function writePackets(
  track: InputAudioTrack,
  codec: AudioCodec,
  keep: (bytes: Uint8Array) => void,
  maxBytes: number,
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
  for await (const packet of new EncodedPacketSink(track).packets()) {
    left -= packet.data.length
    if (left < 0) throw new SoundError('malformed')
    timing.add(packet)
    if (writer) write(writer.packet(packet.data))
  }
  if (!writer || timing.first === undefined) throw new SoundError('empty')
  write(writer.end())
  const { first, end, isExact } = timing
  return { bytes, skipSeconds: writer.skipSeconds, first, end, isExact }
}

/** How many bytes are written at once. */
const chunkBytes = 1 << 16

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
  isExact = true
  #duration = 0
  /** Whether the packet before had another length than the first: only the last packet may. */
  #isOther = false

  add({ timestamp, duration }: EncodedPacket): void {
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
 * lengths are the noise of a clock, as Chrome writes them into fragments, together with a total length that is that of one packet.
 */
async function endOf(
  track: InputAudioTrack,
  { end, isExact }: WrittenPackets,
  isFragmented: boolean,
): Promise<number | undefined> {
  const declared = isFragmented ? null : await track.getDurationFromMetadata()
  if (!declared) return isExact ? end : undefined
  if (declared - end > maxMissingSeconds) throw new SoundError('truncated')
  return isExact ? Math.min(declared, end) : declared
}
