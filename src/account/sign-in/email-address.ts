import { domainToASCII } from 'node:url'
import { latinDigits } from '#platform/words'

const maxAddressLength = 254
const maxLocalLength = 64
/** Characters that people paste or keyboards add: spaces, marks of direction and joining. */
const blank = /[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/
const local = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns an address as it is stored and compared: small letters, Latin digits, the domain in its ASCII form. Nothing in it ends a header line or
 * begins another address. Undefined for what is no address, or has more than 254 characters.
 */
export const emailAddress = (text: unknown): string | undefined =>
  typeof text === 'string' && text.length <= 1_000 ? normalized(text) : undefined

function normalized(text: string): string | undefined {
  const plain = latinDigits(trimmed(text).normalize('NFKC')).toLowerCase()
  const at = plain.lastIndexOf('@')
  const name = plain.slice(0, Math.max(at, 0))
  const written = plain.slice(at + 1)
  // Characters of URLs would silently end the host name in `domainToASCII`.
  if (/[\s/\\?#@:[\]%]/.test(written)) return undefined
  const domain = domainToASCII(written)
  const labels = domain.split('.')
  const isAddress =
    name.length <= maxLocalLength &&
    local.test(name) &&
    labels.length > 1 &&
    labels.every((one) => label.test(one)) &&
    // An IPv4 address is no domain.
    !/^\d+$/.test(labels.at(-1)!)
  const address = `${name}@${domain}`
  return isAddress && address.length <= maxAddressLength ? address : undefined
}

function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && blank.test(text[start]!)) start++
  while (end > start && blank.test(text[end - 1]!)) end--
  return text.slice(start, end)
}
