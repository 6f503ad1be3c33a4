/** What a row of the audit log may hold of a value: no secrets, and at most 8 KB of JSON. */

/** The size of `before` and of `after` as JSON, in bytes of UTF-8. */
export const maxValueBytes = 8_192

/** The lengths to which strings are cut, and the items that lists keep: the first pair with which the value is small enough counts. */
const cuts = [
  { maxLength: 1_000, maxItems: 200 },
  { maxLength: 200, maxItems: 50 },
  { maxLength: 40, maxItems: 20 },
] as const

const maxDepth = 6
const maxMembers = 100

/** Last words of members that hold secrets, their hashes, or texts that people wrote to a model. */
const secretWords = new Set([
  ...['secret', 'secrets', 'password', 'passphrase', 'token', 'tokens', 'hash', 'hashes', 'sealed', 'cookie'],
  ...['credential', 'credentials', 'otp', 'totp', 'ciphertext', 'bearer', 'authorization'],
  ...['instructions', 'prompt', 'prompts'],
])
/** Members that hold secrets although their last word has other uses too. */
const secretNames = new Set([
  ...['code', 'codes', 'recovery_codes', 'api_key', 'private_key', 'signing_key', 'service_key', 'value'],
])

/**
 * The value as a row holds it: JSON of at most `maxValueBytes`, whose long strings and lists are cut and end in «…». Undefined becomes null. Throws
 * for a member whose name says that it holds a secret, because no code may hand one to the audit log.
 */
export function boundedValue(value: unknown): unknown {
  if (value === undefined || value === null) return null
  for (const cut of cuts) {
    const bounded = boundedTo(value, cut, 0)
    if (Buffer.byteLength(JSON.stringify(bounded) ?? 'null') <= maxValueBytes) return bounded
  }
  return { cut: true }
}

/** A text of at most this many characters, which PostgreSQL stores: without NUL and half characters. */
export function boundedText(text: string, maxLength: number): string {
  const short = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`
  return short.replaceAll('\0', '').toWellFormed()
}

/** The origin of an address, with «/…» for the rest of it, where addresses of webhooks often hold a secret. */
export function addressWithoutPath(url: string): string {
  const { origin, href } = new URL(url)
  return href === `${origin}/` ? href : `${origin}/…`
}

function boundedTo(value: unknown, cut: (typeof cuts)[number], depth: number): unknown {
  if (typeof value === 'string') return boundedText(value, cut.maxLength)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) throw new Error('The audit log holds no bytes.')
  if (depth === maxDepth) return '…'
  if (Array.isArray(value)) {
    const kept = value.slice(0, cut.maxItems).map((item) => boundedTo(item, cut, depth + 1))
    return value.length > cut.maxItems ? [...kept, '…'] : kept
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members
      .slice(0, maxMembers)
      .map(([name, member]) => [allowedName(name), boundedTo(member, cut, depth + 1)]),
  )
}

/** Throws for the name of a member that holds a secret. Flags such as `has_password`, and a count of tokens, hold none. */
function allowedName(name: string): string {
  const words = name
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const isFlag = ['has', 'is', 'max', 'min'].includes(words[0] ?? '') || words.includes('max')
  if (!isFlag && (secretWords.has(words.at(-1) ?? '') || secretNames.has(words.join('_'))))
    throw new Error(`The audit log holds no secrets, so it takes no member ${boundedText(name, 60)}.`)
  return boundedText(name, 120)
}
