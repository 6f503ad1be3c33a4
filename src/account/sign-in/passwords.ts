/** What a password must be, for users of apps and for people. */
import { readFileSync } from 'node:fs'
import { latinDigits } from '#platform/words'

export interface PasswordRules {
  minLength: number
  maxLength: number
  maxBytes: number
  form: 'NFC' | 'NFKC'
  /** Whether passwords that many people have are refused. */
  refusesCommon: boolean
}

/** The bound keeps whole books away from argon2; a passphrase of Persian words fits. */
export const appPasswordRules: PasswordRules = {
  minLength: 6,
  maxLength: 256,
  maxBytes: 256,
  form: 'NFC',
  refusesCommon: false,
}

/** Lengths in characters; 128 of them have at most 512 bytes. */
export const personPasswordRules: PasswordRules = {
  minLength: 10,
  maxLength: 128,
  maxBytes: 512,
  form: 'NFKC',
  refusesCommon: true,
}

/**
 * Returns the same password whichever keyboard typed it: composed (RFC 8265), with Latin digits and Persian forms of two letters of Arabic keyboards.
 * Undefined for a text that is longer than any password.
 */
export function normalizedPassword({ form, maxBytes }: PasswordRules, password: string): string | undefined {
  if (password.length > maxBytes) return undefined
  const composed = latinDigits(password.normalize(form)).replaceAll('ي', 'ی').replaceAll('ك', 'ک')
  return Buffer.byteLength(composed) > maxBytes ? undefined : composed
}

export type PasswordWeakness = 'short' | 'long' | 'common'

/** Returns the password as it is hashed, or why it is refused. */
export function examinePassword(
  rules: PasswordRules,
  password: string,
): { password: string } | { weakness: PasswordWeakness } {
  const composed = normalizedPassword(rules, password)
  if (composed === undefined) return { weakness: 'long' }
  const length = [...composed].length
  if (length < rules.minLength) return { weakness: 'short' }
  if (length > rules.maxLength) return { weakness: 'long' }
  if (rules.refusesCommon && isCommon(composed)) return { weakness: 'common' }
  return { password: composed }
}

let common: ReadonlySet<string> | undefined

/** Whether many people have this password, however they write its letters. The list is read once, when it is first needed. */
function isCommon(password: string): boolean {
  common ??= readCommon()
  const small = password.toLowerCase()
  return common.has(small) || new Set(small).size < 4
}

function readCommon(): ReadonlySet<string> {
  const text = readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
  return new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('# ')))
}
