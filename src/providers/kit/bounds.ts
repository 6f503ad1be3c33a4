/** Maximum bytes of answers. A longer one is malformed, and its connection is closed. */
import { UpstreamError } from '#providers/spec'

const mebibyte = 1024 * 1024

/** Allowance besides the text: results of a vendor's own search, sealed reasoning, page images. */
const wholeBytes = 8 * mebibyte
/** Bytes per output token in JSON: text has up to 128 bytes per token, six times that if escaped. */
const wholeTokenBytes = 768
const streamedBytes = 16 * mebibyte
/** Each token may be an event of its own, with all its surrounding JSON. */
const streamedTokenBytes = 2_048

/** Of a text answer that is not streamed. */
export const wholeTextBytes = (maxOutputTokens: number): number =>
  wholeBytes + wholeTokenBytes * maxOutputTokens

/** Of all events of a text answer together. */
export const streamedTextBytes = (maxOutputTokens: number): number =>
  streamedBytes + streamedTokenBytes * maxOutputTokens

/** Of one event of a text answer: the last one of some wires repeats all of it. */
export const eventBytes = 8 * mebibyte

/** A list of models; the longest is about a megabyte. */
export const listBytes = 8 * mebibyte

/** A picture of 24 MB in Base64. Those of a call come together. */
export const picturesBytes = (count: number): number => Math.min(count, 4) * 32 * mebibyte + mebibyte

/** Numbers are written out with up to 24 characters. */
export const vectorsBytes = (texts: number, dimensions: number): number => mebibyte + 32 * texts * dimensions

export const tooLong = (bytes: number): UpstreamError =>
  new UpstreamError('malformed', { detail: `an answer of more than ${bytes} bytes` })
