/** Finds the first whole frame of FLAC in what somebody began to record in the middle, and makes the head that is missing. */
import { BitReader, BitWriter, EndOfBitsError } from './bits.ts'
import { SoundError } from './fault.ts'
import { type FlacFrameHead, readFlacFrameHead } from './flac-frame.ts'

/** So many bytes have two heads of frames, unless the frames are larger than any encoder makes them for ears. */
export const flacSearchBytes = 1 << 17

/** The most places that are looked at: sound has some tens of them by chance, and bytes can be made that have one in six. */
const maxPlaces = 2_000

export interface FoundFlac {
  at: number
  /** The head of a file whose frames stand from there on. */
  head: Uint8Array
}

/**
 * Finds two frames that follow one another by their numbers: a head alone, with its checksum of eight bits, also stands among coded samples by chance.
 * Undefined where there are none, or where they leave their rate or the width of their samples to the head that is missing.
 */
export function findFlacFrames(bytes: Uint8Array): FoundFlac | undefined {
  const expected = new Map<string, { at: number; head: FlacFrameHead }>()
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let places = 0
  for (let at = buffer.indexOf(0xff); at >= 0; at = buffer.indexOf(0xff, at + 1)) {
    if ((bytes[at + 1]! & 0xfe) !== 0xf8) continue
    if (++places > maxPlaces) return undefined
    const head = headAt(bytes, at)
    if (!head?.rate || !head.sampleBits) continue
    const { rate, channels, sampleBits, isVariable, number, blockSize } = head
    const kind = `${rate} ${channels} ${sampleBits} ${isVariable}`
    const before = expected.get(`${kind} ${number}`)
    if (before) return { at: before.at, head: fileHeadOf(before.head) }
    const next = `${kind} ${number + (isVariable ? blockSize : 1)}`
    if (!expected.has(next)) expected.set(next, { at, head })
  }
  return undefined
}

/** The longest head of a frame: sync word and codes, a number of seven bytes, two of the size, two of the rate, and the checksum. */
const maxHeadBytes = 16

function headAt(bytes: Uint8Array, at: number): FlacFrameHead | undefined {
  try {
    return readFlacFrameHead(new BitReader(bytes.subarray(at, at + maxHeadBytes)))
  } catch (error) {
    if (error instanceof SoundError || error instanceof EndOfBitsError) return undefined
    throw error
  }
}

/** STREAMINFO alone (RFC 9639, 8.2): the length of the sound is not known, nor its checksum. */
function fileHeadOf({ rate = 0, channels, sampleBits }: FlacFrameHead): Uint8Array {
  const info = new BitWriter()
  info.put(0x80, 8) // the last block, which is STREAMINFO
  info.put(34, 24)
  info.put(16, 16) // the least and the most samples of a frame
  info.put(0xffff, 16)
  info.put(0, 24) // the smallest and the largest frame: not known
  info.put(0, 24)
  info.put(rate, 20)
  info.put(channels - 1, 3)
  info.put(sampleBits - 1, 5)
  info.zeros(36 + 128)
  return Buffer.concat([Buffer.from('fLaC'), info.bytes()])
}
