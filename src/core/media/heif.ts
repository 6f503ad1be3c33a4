/** Pictures in files of the HEIF family, which phones (HEIC) and web pages (AVIF) write and no upstream takes. */
import { Failure } from '#platform/errors'
import { Turns } from '#platform/turns'

/** The types by which browsers and phones declare them. */
export const heifTypes: readonly string[] = [
  'image/avif',
  'image/heic',
  'image/heif',
  'image/heic-sequence',
  'image/heif-sequence',
]

/** A file of a kilobyte can claim any size, and its decoder takes 18 bytes a pixel: 300 MB for this many, which is more than any model reads. */
const maxPixels = 4_096 * 4_096
/** The time to decode and encode one picture. */
const maxSeconds = 20
const quality = 92

/** One at a time, so that many small files do not fill the memory together. Accounts take turns, and none fills the queue alone. */
const decoder = new Turns({
  ...{ places: 1, perOwner: 1, waitingPerOwner: 4, waiting: 16, maxWaitMs: 30_000 },
  busy: () => new Failure('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs: 2_000 }),
})

/**
 * The picture as JPEG, or as PNG where it may be transparent, upright and without metadata; of a sequence the first one. Undefined where the decoder
 * here cannot read it to its end, or where it has too many pixels: libvips as it comes with sharp reads AV1 (AVIF) and no HEVC (HEIC), which is
 * patented. The work is done off the event loop. Throws TOO_MUCH_IN_FLIGHT where too many pictures of this account, or of all, wait.
 */
export const fromHeif = (bytes: Uint8Array, accountId: string): Promise<Uint8Array | undefined> =>
  decoder.run(accountId, () => decoded(bytes))

async function decoded(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const { default: sharp } = await import('sharp')
  try {
    const open = () =>
      sharp(bytes, { failOn: 'truncated', limitInputPixels: maxPixels, autoOrient: true }).timeout({
        seconds: maxSeconds,
      })
    const { hasAlpha } = await open().metadata()
    const picture = open().toColourspace('srgb')
    return await (hasAlpha ? picture.png() : picture.jpeg({ quality })).toBuffer()
  } catch {
    return undefined
  }
}
