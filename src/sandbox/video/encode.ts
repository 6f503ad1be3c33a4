import { fps } from './layout.ts'
import type { Planes } from './pixels.ts'

/** Pictures in units of H.264, of which the first needs no other picture. */
export interface EncodedLoop {
  /** The unit of parameters to which the slices refer. */
  parameters: Uint8Array
  /** A slice for each picture. */
  slices: Uint8Array[]
}

/** The speed of the encoder. At 10 it smooths nothing between macroblocks, so that those beside the scene may be of another writer. */
const speed = 10
/** The quality, from 10 to 51: lower is finer. */
const quantizationParameter = 28

/**
 * Encodes pictures of one size, whose height is one of whole macroblocks; only the first needs no other. At 1080p the first takes 70 ms of CPU time,
 * and each that differs a little 10.
 */
export async function encodeLoop(count: number, pictureAt: (number: number) => Planes): Promise<EncodedLoop> {
  const { default: library } = await import('h264-mp4-encoder')
  const encoder = await library.createH264MP4Encoder()
  const first = pictureAt(0)
  const { width, height } = first
  const groupOfPictures = count
  Object.assign(encoder, { width, height, frameRate: fps, speed, quantizationParameter, groupOfPictures })
  encoder.initialize()
  for (let number = 0; number < count; number++)
    encoder.addFrameYuv((number === 0 ? first : pictureAt(number)).bytes)
  encoder.finalize()
  const file = Buffer.from(encoder.FS.readFile(encoder.outputFilename))
  encoder.FS.unlink(encoder.outputFilename)
  encoder.delete()
  return { parameters: parametersIn(file), slices: slicesIn(file, count) }
}

/** The slices of the file that the encoder writes: its box of media holds a unit for each picture, with its length before it. */
function slicesIn(file: Buffer, count: number): Uint8Array[] {
  let at = 0
  while (file.toString('latin1', at + 4, at + 8) !== 'mdat') at += file.readUInt32BE(at)
  const slices: Uint8Array[] = []
  for (let from = at + 8; slices.length < count; ) {
    const length = file.readUInt32BE(from)
    slices.push(file.subarray(from + 4, from + 4 + length))
    from += 4 + length
  }
  return slices
}

/**
 * The parameters of pictures in `avcC`, which has five bytes, then one unit of the whole stream and one of its pictures, each with its count and
 * length.
 */
function parametersIn(file: Buffer): Uint8Array {
  const sequence = file.indexOf('avcC', 0, 'latin1') + 4 + 6
  const picture = sequence + 2 + file.readUInt16BE(sequence) + 1
  return file.subarray(picture + 2, picture + 2 + file.readUInt16BE(picture))
}
