import type { Readable } from 'node:stream'

const secondMs = 1_000

/** Pauses a stream that brings more than this many bytes in a second until the next one: reading is work, even of bytes that nobody keeps. */
export function throttleStream(bytesPerSecond: number, stream: Readable): void {
  let bytes = 0
  let second: NodeJS.Timeout | undefined
  stream.on('data', (chunk: Buffer) => {
    second ??= setTimeout(() => {
      second = undefined
      bytes = 0
      stream.resume()
    }, secondMs)
    bytes += chunk.length
    if (bytes > bytesPerSecond) stream.pause()
  })
  stream.once('close', () => clearTimeout(second))
}
