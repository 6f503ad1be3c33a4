/** What an answer may have in bytes. Whatever is longer is no answer of this kind: malformed, and its connection is closed. */
import { UpstreamError } from '#providers/spec'

const mebibyte = 1024 * 1024

/** Beside the text: findings of a vendor's own search, sealed reasoning, pictures of pages. */
const wholeBytes = 8 * mebibyte
/** Of one token of output, in JSON: text is up to 128 bytes a token, six times that where it is escaped. */
const wholeTokenBytes = 768
const streamedBytes = 16 * mebibyte
/** A token is an event of its own, with all that stands around it in every one. */
const streamedTokenBytes = 2_048

/** Of a text answer that comes whole. */
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
