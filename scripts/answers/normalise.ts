/** What differs from one run to the next is replaced by its kind; everything else stays to the letter. */
const days = (): string[] => {
  const now = Date.now()
  return [-1, 0, 1].flatMap((offset) => {
    const day = new Date(now + offset * 86_400_000)
    const jalali = (options: Intl.DateTimeFormatOptions, locale = 'fa-IR') =>
      new Intl.DateTimeFormat(`${locale}-u-ca-persian`, { timeZone: 'Asia/Tehran', ...options }).format(day)
    const numbers = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    const words = { year: 'numeric', month: 'long', day: 'numeric' } as const
    return [
      day.toISOString().slice(0, 10),
      jalali(numbers),
      jalali({ year: 'numeric', month: 'numeric', day: 'numeric' }),
      jalali(words),
      jalali({ day: 'numeric', month: 'long' }),
    ]
  })
}
const today = days()

const replacements: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)?/g, '‹time›'],
  [/kh([rpslm])_[A-Za-z0-9_-]{20,}/g, 'kh$1_‹secret›'],
  [/(kherad-\d+-)[0-9a-f]{8}((?:-\w+)?=)[\w-]+/g, '$1‹own›$2‹secret›'],
  [/("secret"\s*:\s*")[A-Z2-7]{32}"/g, '$1‹secret›"'],
  [/otpauth:[^"]+/g, '‹otpauth›'],
  [/("path"\s*:\s*")M[^"]+/g, '$1‹drawing›'],
  [/"[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}"/g, '"‹recovery code›"'],
  [/ek_[A-Za-z0-9]{43}/g, 'ek_‹secret›'],
  [/("ref"\s*:\s*")[a-z]{20}/g, '$1‹ref›'],
  [/(\/app-links\/)[a-z]{20}\/[\w-]{43}/g, '$1‹ref›/‹token›'],
  [/("token_hash"\s*:\s*")[\w-]{43}/g, '$1‹token›'],
  [/("code"\s*:\s*")\d{6}"/g, '$1‹code›"'],
  [/\b[a-z]{20}\.localhost/g, '‹ref›.localhost'],
  [/\/v1\/media\/[\w-]{90,}!?/g, '/v1/media/‹token›'],
  [/(\/v1\/hooks\/[^/"]+\/[^/"]+\/)[\w-]+/g, '$1‹token›'],
  [/preview-[a-z2-7]{26}/g, 'preview-‹own›'],
  [/pj_[A-Za-z0-9]{22}/g, 'pj_‹own›'],
  [/whsec_[A-Za-z0-9+/=]{20,}/g, 'whsec_‹secret›'],
  [/(127\.0\.0\.1|localhost):\d{4,5}/g, '$1:‹port›'],
  [/\b1[789]\d{11}\b/g, '‹ms›'],
  [/\b1[789]\d{8}(\.\d+)?\b/g, '‹s›'],
  [/("?[\w-]*(?:_ms|ms|latency|duration|elapsed)"?\s*:\s*"?)\d+(\.\d+)?/g, '$1‹n›'],
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g, '‹sha256›'],
  [/(?<![0-9a-f])01[0-9a-f]{10}7[0-9a-f]{3}[89ab][0-9a-f]{15}/g, '‹hex›'],
  [/sealed:1:[A-Za-z0-9+/=]+/g, 'sealed:1:‹sealed›'],
  [/("sdp"\s*:\s*")v=0[^"]+/g, '$1‹sdp›'],
  [/("(?:hint|fingerprint|next_after)"\s*:\s*")[^"]+/g, '$1‹own›'],
  // Files are packed with their times, so that their sizes differ by some bytes.
  [/("bytes"\s*:\s*)\d{4,}/g, '$1‹n›'],
  // How often a broken upstream is asked again within its half second is a matter of the clock.
  [/(\{[^{}]*"outcome"[^{}]*\})(,\s*\1)+/g, '$1'],
]

/** Ids are numbered by their first place in the text, so that a text which names one twice still shows it. */
export function normalise(text: string): string {
  const seen = new Map<string, number>()
  let made = text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, (id) => {
    if (!seen.has(id)) seen.set(id, seen.size + 1)
    return `‹id ${seen.get(id)}›`
  })
  for (const [pattern, by] of replacements) made = made.replace(pattern, by)
  for (const day of today) made = made.replaceAll(day, '‹day›')
  return made
}

/** A body as text; of bytes what they begin with. */
export function bodyOf(bytes: Buffer, type: string): string {
  if (/^(image|audio|video)\/|pdf|zip|octet|officedocument/.test(type))
    return `‹bytes that begin with ${bytes
      .subarray(0, 4)
      .toString('latin1')
      .replace(/[^ -~]/g, '.')}›`
  const text = bytes.toString('utf8')
  if (!type.startsWith('text/event-stream')) return normalise(text)
  // Comments keep a silent line open; when they come is a matter of the clock.
  return normalise(text.replaceAll(/^:.*\n\n?/gm, ''))
}

const dropped = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])

export function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => !dropped.has(name))
      .map(([name, value]) => [name, /-ms$|reset|retry-after/.test(name) ? '‹n›' : normalise(value)]),
  )
}
