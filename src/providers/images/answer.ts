/** Reads the images of an answer, inline or behind links. Unknown fields are ignored, but only images are accepted; SVG is cleaned by who orders it. */
import { decodeBase64, looksLikeSvg, parseDataUrl, sniff } from '#engine/media'
import { FetchRefused, type GuardedClient } from '#platform/net'
import type { Egress } from '#platform/proxy'
import { claimedCount, faultOfError, isRecord } from '#providers/kit'
import { type Drawn, UpstreamError } from '#providers/spec'

/** Upper bound for one image. */
const maxBytes = 24 * 1024 * 1024
const maxPictures = 10
const maxRedirects = 3

export interface ReadingOptions {
  net: GuardedClient
  /** The proxy and trusted roots of the requests that fetch images behind links. */
  egress?: ((url: URL) => Egress) | undefined
  /** Secrets of the upstream, masked in every error. */
  secrets: readonly string[]
  signal: AbortSignal
  leftMs: number
}

/** Throws `UpstreamError`, always with `executed: true`: the upstream has made the image. */
export async function drawnOf(answer: unknown, options: ReadingOptions): Promise<Drawn> {
  if (!isRecord(answer)) throw malformed('an answer that is no object')
  if (answer['error'] != null) throw faultOfError(answer['error'], options.secrets)
  const items = Array.isArray(answer['data']) ? answer['data'].filter(isRecord) : []
  if (items.length === 0) throw malformed('an answer without a picture')
  const images = await Promise.all(items.slice(0, maxPictures).map((item) => pictureOf(item, options)))
  const usage = usageOf(answer['usage'])
  return { images, ...(usage && { usage }) }
}

async function pictureOf(item: Record<string, unknown>, options: ReadingOptions): Promise<Uint8Array> {
  const { b64_json: base64, url } = item
  const bytes =
    typeof base64 === 'string' && base64 !== ''
      ? decoded(base64)
      : typeof url === 'string'
        ? await linked(url, options)
        : undefined
  if (!bytes) throw malformed('a picture without data')
  if (bytes.length > maxBytes) throw malformed(`a picture of more than ${maxBytes} bytes`)
  if (!sniff(bytes)?.startsWith('image/') && !looksLikeSvg(bytes))
    throw malformed('data that is no picture of a known type')
  return bytes
}

/** Some servers send a data URL, line breaks or no padding. */
function decoded(text: string): Uint8Array | undefined {
  const plain = (parseDataUrl(text)?.base64 ?? text).replace(/\s+/g, '').replace(/(?<!=)=+$/, '')
  return decodeBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='))
}

async function linked(url: string, options: ReadingOptions): Promise<Uint8Array | undefined> {
  if (url.startsWith('data:')) return decoded(url)
  try {
    const { status, body } = await options.net.fetch(url, {
      timeoutMs: options.leftMs,
      maxBytes: maxBytes,
      maxRedirects: maxRedirects,
      headers: { accept: 'image/*' },
      egress: options.egress,
      signal: options.signal,
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

function usageOf(usage: unknown): Drawn['usage'] {
  if (!isRecord(usage)) return undefined
  const count = (name: string): number => claimedCount(usage[name]) ?? 0
  return { input: count('input_tokens'), output: count('output_tokens') }
}

const malformed = (detail: string, cause?: unknown): UpstreamError =>
  new UpstreamError('malformed', { detail, cause })
