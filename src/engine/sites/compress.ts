/** Contents compressed once, when they are published, in threads of their own. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const smallestBytes = 1_000
/** Types besides text that are worth it: others, such as pictures, are compressed already. */
const compressible =
  /^(text\/|application\/(javascript|json|ld\+json|manifest\+json|xml|wasm|rtf|vnd\.ms-fontobject|x-javascript|.+\+(json|xml))|image\/(svg\+xml|bmp|vnd\.microsoft\.icon|x-icon)|font\/(ttf|otf|collection))/

/** The best that brotli can do takes a second for this much; beyond it, a level that is eight times as fast and 5 % larger. */
const thoroughBytes = 200_000
/** Beyond this, one that is as fast as gzip. */
const largeBytes = 2_000_000

const levelFor = (bytes: number): number => (bytes <= thoroughBytes ? 11 : bytes <= largeBytes ? 9 : 5)

export interface Compressed {
  brotli?: Uint8Array
  gzip?: Uint8Array
}

/** What is smaller than the content by at least a twentieth. */
export async function compress(content: Uint8Array, mediaType: string): Promise<Compressed> {
  if (content.length < smallestBytes || !compressible.test(mediaType)) return {}
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: levelFor(content.length),
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    ...(mediaType.startsWith('text/') && { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT }),
  }
  const brotli = await promisify(brotliCompress)(content, { params })
  const gzipped = await promisify(gzip)(content, { level: 9 })
  const worthwhile = (bytes: Uint8Array): boolean => bytes.length <= content.length * 0.95
  return { ...(worthwhile(brotli) && { brotli }), ...(worthwhile(gzipped) && { gzip: gzipped }) }
}
