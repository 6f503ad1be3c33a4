/** Bodies that come compressed although the request asks for `identity`: some proxies and caches zip whatever they pass on. */
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { ReplyHeaders } from './exchange.ts'
import { headerOf } from './header.ts'

/** What is decompressed so far is given out at once, as it is needed for the events of a stream. */
const zlibOptions = { flush: constants.Z_SYNC_FLUSH }
const brotliOptions = { flush: constants.BROTLI_OPERATION_FLUSH }

/**
 * The decompressor for a body that begins with these bytes; undefined for one that is not compressed, `unknown` for a coding that cannot be read. Of
 * gzip the bytes decide: proxies leave its header when they unzip, and leave it out when they zip. Output is made as it is read, so that whoever
 * bounds the bytes and stops bounds the work, too.
 */
export function unzipperFor(headers: ReplyHeaders, first: Buffer): Transform | 'unknown' | undefined {
  const coding = (headerOf(headers, 'content-encoding') ?? '').trim().toLowerCase()
  switch (coding) {
    case '':
    case 'identity':
      return isText(headers) && isGzip(first) ? createGunzip(zlibOptions) : undefined
    case 'gzip':
    case 'x-gzip':
      return isGzip(first) ? createGunzip(zlibOptions) : undefined
    case 'deflate':
      // With or without the header of zlib (RFC 1950), which is what the name means and what some servers leave out.
      return (first[0]! & 0x0f) === 8 ? createInflate(zlibOptions) : createInflateRaw(zlibOptions)
    case 'br':
      return createBrotliDecompress(brotliOptions)
    default:
      return 'unknown'
  }
}

/** The magic of RFC 1952; a first chunk may be a single byte. */
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && (bytes.length === 1 || bytes[1] === 0x8b)

/** Samples of sound may begin with any bytes, a text never begins with those of gzip. */
const isText = (headers: ReplyHeaders): boolean =>
  /json|event-stream|^text\//i.test(headerOf(headers, 'content-type') ?? '')
