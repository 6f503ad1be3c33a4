import {
  type AudioCodec,
  BufferSource,
  type EncodedPacket,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  MATROSKA,
  MP4,
  QTFF,
  WEBM,
} from 'mediabunny'
import { SoundError } from '../fault.ts'
import { walkBoxes } from './boxes.ts'
import { walkMatroska } from './ebml.ts'
import { elementaryOf } from './elementary.ts'

/** The sound of a file as the bytes that a reader of its codec takes, and which part of it is the recording. Positions count from its first sample. */
export interface Demuxed {
  codec: AudioCodec
  bytes: Uint8Array
  /** Seconds before the recording begins: what an encoder or an editor put there. */
  skipSeconds: number
  /** Where it ends, in seconds; absent, with the sound. */
  untilSeconds?: number
  /** Seconds at the end that are none of it. */
  discardSeconds: number
}

export type Container = 'matroska' | 'mp4'

/** Less than so many seconds of a track may be missing at its end: sizes of last samples are often rounded. */
const maxMissingSeconds = 0.5
/** Lengths are whole ticks of a clock, so that equal ones differ by one. */
const maxRoundingSeconds = 0.001

/**
 * Takes the first audio track out of a file of Matroska, WebM, MP4 or QuickTime, whatever its brand and its other tracks. Runs in a confined
 * process: bytes can be made that keep mediabunny busy for long, or make it ask for much memory.
 *
 * @throws SoundError, and whatever mediabunny throws at malformed bytes
 */
export async function demux(bytes: Buffer, container: Container): Promise<Demuxed> {
  const elements = container === 'matroska' ? walkMatroska(bytes) : undefined
  const boxes = container === 'mp4' ? walkBoxes(bytes) : undefined
  if (!(elements ?? boxes)!.isWhole) throw new SoundError('truncated')
  using input = new Input({ source: new BufferSource(bytes), formats: [MATROSKA, WEBM, MP4, QTFF] })
  const [track] = await input.getAudioTracks()
  if (!track) throw new SoundError('no_track')
  const codec = await track.getCodec()
  if (!codec) throw new SoundError('unsupported')
  const config = await track.getDecoderConfig()
  const packets = await packetsOf(track, bytes.length)
  const [first] = packets
  if (!config || !first) throw new SoundError('empty')
  const { bytes: elementary, skipSeconds } = elementaryOf(codec, config, packets)
  const discard = elements?.discards.get(track.id) ?? 0
  const shown = boxes ? await endOf(track, packets, boxes.isFragmented) : undefined
  return {
    codec,
    bytes: elementary,
    skipSeconds: Math.max(skipSeconds, -first.timestamp),
    ...(shown !== undefined && { untilSeconds: shown - first.timestamp }),
    discardSeconds: Math.max(0, discard / 1e9),
  }
}

/** @param maxBytes of all together: a table of samples may name the same bytes any number of times */
async function packetsOf(track: InputAudioTrack, maxBytes: number): Promise<EncodedPacket[]> {
  const packets: EncodedPacket[] = []
  let length = 0
  for await (const packet of new EncodedPacketSink(track).packets()) {
    length += packet.data.length
    if (length > maxBytes) throw new SoundError('malformed')
    packets.push(packet)
  }
  return packets
}

/**
 * When the sound of an MP4 ends, where that is said: the padding of an encoder lies behind, and what an editor cut off. Undefined where
 * the lengths are the noise of a clock, as Chrome writes them into fragments, together with a length of the whole that is that of one packet.
 */
async function endOf(
  track: InputAudioTrack,
  packets: readonly EncodedPacket[],
  isFragmented: boolean,
): Promise<number | undefined> {
  const [first, last] = [packets[0]!, packets.at(-1)!]
  const isExact = packets.every(
    ({ duration }, index) =>
      index === packets.length - 1 || Math.abs(duration - first.duration) < maxRoundingSeconds,
  )
  const ofPackets = last.timestamp + last.duration
  const declared = isFragmented ? null : await track.getDurationFromMetadata()
  if (!declared) return isExact ? ofPackets : undefined
  if (declared - ofPackets > maxMissingSeconds) throw new SoundError('truncated')
  return isExact ? Math.min(declared, ofPackets) : declared
}
