/** A site's own domain as it is claimed: its name, and the TXT record that proves it. */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { fail } from '#platform/errors'
import { mayBePublic } from '#platform/net'
import { reasons } from './errors.ts'

const maxDomainLength = 253
/** The longest text that a person may type: it may be longer than its ASCII form, but not without end. */
const maxTypedLength = 1_000
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The domain in its ASCII form: lower case, without trailing dot, Persian names as punycode. Throws INVALID_REQUEST for a text that is no public
 * domain, and for the names of the platform (`ownHosts`) and anything below them, which nobody may claim.
 */
export function domainOf(text: string, ownHosts: readonly string[]): string {
  const typed = text.length > maxTypedLength ? '' : text.trim().replace(/\.$/, '')
  // The host parser of URLs would stop at these characters.
  const ascii = /[/\\?#@:%[\]]/.test(typed) ? '' : domainToASCII(typed)
  const labels = ascii.split('.')
  const isDomain =
    ascii.length <= maxDomainLength &&
    labels.every((one) => label.test(one)) &&
    isIP(ascii) === 0 &&
    mayBePublic(ascii)
  if (!isDomain) fail('INVALID_REQUEST', { why: reasons.domainForm }, { param: 'domain' })
  if (ownHosts.some((own) => ascii === own || ascii.endsWith(`.${own}`)))
    fail('INVALID_REQUEST', { why: reasons.domainReserved }, { param: 'domain' })
  return ascii
}

/** The name of the TXT record. */
export const recordName = (domain: string): string => `_kherad.${domain}`

/** The value of the TXT record. Only this account, site and domain have this token. */
export const recordValue = (token: string): string => `kherad-site=${token}`

/** A token of 160 random bits; the row in which it stands binds it to account, site and domain. */
export const newToken = (): string => randomBytes(20).toString('hex')
