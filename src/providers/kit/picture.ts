/** A picture of an answer, in Base64 or behind a link; always of a known type and within the bound. */
import { looksLikeSvg, parseDataUrl, sniff } from '#core/media'
import { UpstreamError } from '#core/spec'
import { decodeBase64InSlices } from '#platform/bytes'
import { FetchRefused, type GuardedClient } from '#platform/net'
import type { Egress } from '#platform/proxy'

/** Upper bound for one image. */
const maxBytes = 24 * 1024 * 1024
const maxCharacters = Math.ceil(maxBytes / 3) * 4
const maxRedirects = 3

/** How pictures behind links are fetched. */
export interface PictureLinks {
  net: GuardedClient
  /** The proxy and trusted roots of the requests. */
  egress?: ((url: URL) => Egress) | undefined
  signal: AbortSignal
  leftMs: number
}

/** The picture of a Base64 text or data URL. Some servers send line breaks or no padding. Throws `malformed`. */
export async function pictureIn(text: string): Promise<Uint8Array> {
  const base64 = parseDataUrl(text)?.base64 ?? text
  const compact = spaces.some((one) => base64.includes(one)) ? base64.replace(/\s+/g, '') : base64
  const plain = withoutPadding(compact)
  if (plain.length > maxCharacters) throw tooLarge()
  const bytes = await decodeBase64InSlices(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='))
  if (!bytes || bytes.length === 0) throw malformed('a picture without data')
  return checked(bytes)
}

/** White space, searched one by one, which is many times faster than a pattern over megabytes. */
const spaces = ['\n', '\r', ' ', '\t']

function withoutPadding(base64: string): string {
  let end = base64.length
  while (end > 0 && base64[end - 1] === '=') end -= 1
  return base64.slice(0, end)
}

/** The picture behind a link. */
export async function linkedPicture(url: string, links: PictureLinks): Promise<Uint8Array> {
  if (url.startsWith('data:')) return pictureIn(url)
  return checked(await fetched(url, links))
}

async function fetched(url: string, { net, egress, signal, leftMs }: PictureLinks): Promise<Uint8Array> {
  try {
    const { status, body } = await net.fetch(url, {
      timeoutMs: leftMs,
      maxBytes,
      maxRedirects,
      headers: { accept: 'image/*' },
      egress,
      signal,
    })
    if (status === 200) return body
    throw malformed(`a link to a picture that answers with status ${status}`)
  } catch (cause) {
    if (!(cause instanceof FetchRefused)) throw cause
    if (cause.reason === 'aborted') throw new UpstreamError('aborted', { cause })
    if (cause.reason === 'timeout')
      throw new UpstreamError('timeout', { detail: 'no picture behind its link in time', cause })
    throw malformed(`a link to a picture that cannot be used (${cause.reason})`, cause)
  }
}

function checked(bytes: Uint8Array): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge()
  if (!sniff(bytes)?.startsWith('image/') && !looksLikeSvg(bytes))
    throw malformed('data that is no picture of a known type')
  return bytes
}

const malformed = (detail: string, cause?: unknown): UpstreamError =>
  new UpstreamError('malformed', { detail, cause })
const tooLarge = (): UpstreamError => malformed(`a picture of more than ${maxBytes} bytes`)
