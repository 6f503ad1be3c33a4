/** Compresses one content at a time, in a thread of its own. Started by compress.ts. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { serveTasks } from '#platform/threads'

export interface CompressTask {
  content: Uint8Array
  isText: boolean
  isThorough: boolean
}

export interface CompressedForms {
  brotli?: Uint8Array
  gzip?: Uint8Array
}

/** The window of brotli, in bits: one that holds all of the content compresses as well as a larger one, in less memory. */
const windowOf = (bytes: number): number => Math.min(22, Math.max(16, Math.ceil(Math.log2(bytes)) + 1))

serveTasks(({ content, isText, isThorough }: CompressTask): CompressedForms => {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: isThorough ? 11 : 8,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    [constants.BROTLI_PARAM_LGWIN]: windowOf(content.length),
    ...(isText && { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT }),
  }
  const brotli = brotliCompressSync(content, { params })
  const gzip = gzipSync(content, { level: isThorough ? 9 : 6 })
  const isWorthwhile = (bytes: Uint8Array): boolean => bytes.length <= content.length * 0.95
  return { ...(isWorthwhile(brotli) && { brotli }), ...(isWorthwhile(gzip) && { gzip }) }
})
