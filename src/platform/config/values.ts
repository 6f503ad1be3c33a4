/** Setting types that several sections use: addresses, and the variables that hold them. */
import { Type } from 'typebox'
import { phrases, type Sentence } from './phrases.ts'
import { readingRules } from './read-schema.ts'
import { refuseConfig } from './refuse.ts'
import type { ConfigNode } from './yaml-reader.ts'

export const mebibyte = 1024 * 1024

/** An integer within these bounds. */
export const integerIn = (
  minimum: number,
  maximum: number,
  more: { default?: number; description?: string } = {},
) => Type.Integer({ minimum, maximum, ...more })

/** An amount of USD. */
export const usd = (maximum: number, more: { default?: number; description?: string } & object = {}) =>
  Type.Number({ minimum: 0, maximum, ...more })

const address: Sentence = {
  en: 'an http:// or https:// address without key, query or fragment',
  fa: 'نشانی‌ای با http:// یا https:// و بدون کلید، پرسش و #',
}

/** The base address of an API; a slash at its end is removed. */
export const baseUrl = (more: { missing?: Sentence; description?: string } = {}) => {
  const { missing, ...options } = more
  return Type.Unsafe<string>({
    type: 'string',
    ...options,
    ...readingRules({ expected: address, ...(missing && { missing }), convert: readBaseUrl }),
  })
}

function readBaseUrl(text: string, node: ConfigNode): string {
  // The part before an @ or after a ? may be a key.
  const refuseIt = (): never =>
    /[@?#]/.test(text) ? node.refuseSecretValue(address) : node.refuseValue(address)
  const url = URL.canParse(text) ? new URL(text) : refuseIt()
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:')) refuseIt()
  return text.replace(/(?<!\/)\/+$/, '')
}

/** The address in a variable, without a slash at the end; `displayTexts` holds the text as typed. */
export function readUrl(name: string, value: string, protocols: readonly string[], shown = value): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && protocols.includes(url.protocol) && (url.host !== '' || name === 'DATABASE_URL'))
    return value.replace(/(?<!\/)\/+$/, '')
  const kinds = protocols.map((protocol) => `${protocol}//…`)
  const expected = {
    en: `an address that begins with ${kinds.join(' or ')}`,
    fa: `نشانی‌ای که با ${kinds.join(' یا ')} آغاز شود`,
  }
  // A database address may hold a password, so the sentence does not repeat it.
  return refuseVariable(name, name === 'DATABASE_URL' ? undefined : shown, expected)
}

/** Refuses the value of a variable; `value` is absent if it is a secret. */
export function refuseVariable(name: string, value: string | undefined, expected: Sentence): never {
  refuseConfig(
    value === undefined
      ? phrases.unusable(name, expected)
      : phrases.wrong(name, phrases.typed(value), expected),
  )
}

export const webProtocols = ['http:', 'https:'] as const
