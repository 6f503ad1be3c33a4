import { createHash } from 'node:crypto'
import { canonicalNumber, ExactNumber } from '#platform/json'
import { Slice } from '#platform/slices'

/** Characters hashed per slice. */
const partCharacters = 128 * 1024

/** A list or object whose members are being written. */
interface OpenContainer {
  value: Record<string, unknown>
  /** The sorted names of an object's members; undefined for a list. */
  names: readonly string[] | undefined
  length: number
  next: number
}

/**
 * The SHA-256, in Base64, of `head` and of the value as JSON with sorted names, so that the same request in another spelling has the same
 * fingerprint; of numbers that no double has every digit counts (`exactly`). Large values are hashed in slices (`#platform/slices`).
 */
export async function fingerprintOf(head: string, value: unknown): Promise<string> {
  const hash = createHash('sha256')
  const slice = new Slice()
  let text = head
  for (const piece of canonical(value)) {
    text += piece
    if (text.length < partCharacters) continue
    hash.update(text)
    text = ''
    if (slice.isOver()) await slice.next()
  }
  return hash.update(text).digest('base64')
}

function* canonical(root: unknown): Generator<string> {
  const openContainers: OpenContainer[] = []
  let value: unknown = root
  for (;;) {
    if (value instanceof ExactNumber) yield canonicalNumber(String(value))
    else if (typeof value === 'object' && value !== null) {
      const opened = open(value as Record<string, unknown>)
      openContainers.push(opened)
      yield opened.names ? '{' : '['
    } else if (typeof value === 'string' && value.length > partCharacters) yield* longString(value)
    else yield JSON.stringify(value) ?? 'null'
    let inner = openContainers.at(-1)
    while (inner && inner.next === inner.length) {
      yield inner.names ? '}' : ']'
      openContainers.pop()
      inner = openContainers.at(-1)
    }
    if (!inner) return
    const comma = inner.next > 0 ? ',' : ''
    const name = inner.names?.[inner.next]
    yield name === undefined ? comma : `${comma}${JSON.stringify(name)}:`
    value = inner.value[name ?? inner.next]
    inner.next++
  }
}

function open(value: Record<string, unknown>): OpenContainer {
  const names = Array.isArray(value) ? undefined : Object.keys(value).sort()
  return { value, names, length: names?.length ?? (value as unknown as unknown[]).length, next: 0 }
}

/** Yields the text as JSON.stringify writes it, in parts. A part never ends within a surrogate pair, because each half would then be escaped. */
function* longString(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; ) {
    const isPair = isHighSurrogate(text.charCodeAt(at + partCharacters - 1))
    const end = at + partCharacters + (isPair ? 1 : 0)
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
