/** Maximum bytes of answers. A longer answer is malformed, and its connection is closed. */
import { UpstreamError } from '#core/spec'

const mebibyte = 1024 * 1024

/** Allowance beside the text: results of a vendor's own search, encrypted reasoning, page images. */
const wholeBytes = 8 * mebibyte
/** Bytes per output token in JSON: text has up to 128 bytes per token, six times that if escaped. */
const wholeTokenBytes = 768
const streamedBytes = 16 * mebibyte
/** Each token may come in an event of its own, with its JSON envelope. */
const streamedTokenBytes = 2_048

/** A non-streamed text answer. */
export const wholeTextBytes = (maxOutputTokens: number): number =>
  wholeBytes + wholeTokenBytes * maxOutputTokens

/** All events of a streamed text answer together. */
export const streamedTextBytes = (maxOutputTokens: number): number =>
  streamedBytes + streamedTokenBytes * maxOutputTokens

/** One event of a text answer: the last event of some wires repeats the complete answer. */
export const eventBytes = 8 * mebibyte

/** A list of models; the longest is about a megabyte. */
export const listBytes = 8 * mebibyte

/** An image of 24 MB in Base64. All images of a call come in one body. */
export const picturesBytes = (count: number): number => Math.min(count, 4) * 32 * mebibyte + mebibyte

/** Sound of a call: an hour of 24 kHz samples. */
export const soundBytes = 192 * mebibyte

/** Sound in Base64 in one answer: a quarter of an hour of 24 kHz samples. */
export const wholeSoundBytes = 64 * mebibyte

/** An answer about a job: its ticket, or its state. */
export const jobBytes = mebibyte

/** A video: larger than any that is kept. */
export const videoBytes = 256 * mebibyte

/** A vector's number has up to 24 characters in JSON. */
export const vectorsBytes = (texts: number, dimensions: number): number => mebibyte + 32 * texts * dimensions

export const tooLong = (bytes: number): UpstreamError =>
  new UpstreamError('malformed', { detail: `an answer of more than ${bytes} bytes` })
