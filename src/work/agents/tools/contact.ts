/** Reads telephone numbers and e-mail addresses as people write them. */
import { cleanText } from '#core/tools'
import { latinDigits } from '#platform/words'

/** The digits of a telephone number, with `+` if it is international; undefined if the text is not one (E.164: at most 15 digits). */
export function phoneOf(text: string): string | undefined {
  const plain = latinDigits(cleanText(text)).replace(/[\s().\-‐-―\u200c\u200e\u200f]/g, '')
  const number = plain.replace(/^00(?=[1-9])/, '+')
  return /^\+?\d{7,15}$/.test(number) ? number : undefined
}

const localPart = /^[^\s"(),:;<>[\\\]]{1,64}$/
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const domainName = new RegExp(`^(?:${label}\\.)+\\p{L}[\\p{L}\\p{N}-]*[\\p{L}\\p{N}]$`, 'u')

/** An e-mail address as mail servers accept it (RFC 5321: 64 characters before the @, 254 in all); undefined for any other text. */
export function emailOf(text: string): string | undefined {
  const address = cleanText(text).replace(/^mailto:/i, '')
  if (address.length > 254) return undefined
  const [local = '', domain = '', ...more] = address.split('@')
  const isLocal = localPart.test(local) && !/^\.|\.\.|\.$/.test(local)
  return more.length === 0 && isLocal && domainName.test(domain)
    ? `${local}@${domain.toLowerCase()}`
    : undefined
}
