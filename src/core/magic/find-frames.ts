/** Finds the first whole frame of a stream that somebody began to record in the middle. */
import { adtsBytes } from './adts-frame.ts'
import { readMp3Frame } from './mp3-frame.ts'

/** So many frames of one kind, each at the end of the one before, do not stand side by side by chance. */
const chainLength = 4
/** No frame is longer, so that the first whole one begins before this. */
const maxFrameBytes = 8_192

/** The media type of the frames of MP3 or of AAC in ADTS that stand in these bytes, and where the first of them begins; undefined where none do. */
export function findFrames(bytes: Uint8Array): { mediaType: string; at: number } | undefined {
  for (let at = 0; at < Math.min(bytes.length, maxFrameBytes); at++) {
    if (bytes[at] !== 0xff) continue
    if (isChain(bytes, at, mp3Bytes)) return { mediaType: 'audio/mpeg', at }
    if (isChain(bytes, at, adtsBytes)) return { mediaType: 'audio/aac', at }
  }
  return undefined
}

const mp3Bytes = (bytes: Uint8Array, at: number): number | undefined => readMp3Frame(bytes, at)?.length

/** Whether frames of one version, layer and rate follow one another from here. */
function isChain(
  bytes: Uint8Array,
  from: number,
  lengthAt: (bytes: Uint8Array, at: number) => number | undefined,
): boolean {
  let at = from
  for (let count = 0; count < chainLength; count++) {
    const length = lengthAt(bytes, at)
    if (length === undefined || !isSameKind(bytes, from, at)) return false
    at += length
  }
  return at <= bytes.length
}

/** Both heads have version and layer in their second byte, and the rate in the third: MP3 in bits 2 and 3, ADTS in bits 2 to 5. */
const isSameKind = (bytes: Uint8Array, one: number, other: number): boolean =>
  bytes[one + 1] === bytes[other + 1] && (bytes[one + 2]! & 0x0c) === (bytes[other + 2]! & 0x0c)
