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
/** The most bytes of a picture that is made here: a few of an AVIF can become a hundred million of a PNG, and a request has eight of them. */
const maxMadeBytes = 12 * 1024 * 1024

/** One at a time, so that many small files do not fill the memory together. Accounts take turns, and none fills the queue alone. */
const decoder = new Turns({
  ...{ places: 1, perOwner: 1, waitingPerOwner: 4, waiting: 16, maxWaitMs: 30_000 },
  busy: () => new Failure('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs: 2_000 }),
})

/** Why a picture is not made: its bytes cannot be read to their end or claim too many pixels, or it would have too many bytes. */
export type HeifFault = 'unreadable' | 'too_large'

/**
 * The picture as JPEG, or where it may be transparent as PNG, and as WebP where that would be too large; upright and without metadata, of a sequence
 * the first one. A fault where the decoder here cannot read it: libvips as it comes with sharp reads AV1 (AVIF) and no HEVC (HEIC), which is
 * patented. The work is done off the event loop. Throws TOO_MUCH_IN_FLIGHT where too many pictures of this account, or of all, wait.
 */
export const fromHeif = (
  bytes: Uint8Array,
  accountId: string,
  maxBytes = maxMadeBytes,
): Promise<Uint8Array | HeifFault> => decoder.run(accountId, () => decoded(bytes, maxBytes))

async function decoded(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | HeifFault> {
  const { default: sharp } = await import('sharp')
  try {
    const open = () =>
      sharp(bytes, { failOn: 'truncated', limitInputPixels: maxPixels, autoOrient: true }).timeout({
        seconds: maxSeconds,
      })
    const { hasAlpha } = await open().metadata()
    const picture = () => open().toColourspace('srgb')
    const made = await (hasAlpha ? picture().png() : picture().jpeg({ quality })).toBuffer()
    if (made.length <= maxBytes) return made
    const smaller = hasAlpha ? await picture().webp({ quality, effort: 1 }).toBuffer() : made
    return smaller.length <= maxBytes ? smaller : 'too_large'
  } catch {
    return 'unreadable'
  }
}
