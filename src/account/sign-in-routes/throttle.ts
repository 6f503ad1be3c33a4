/** How often people may try what, networks before the whole server: what is refused to a network is not counted there (docs/decisions/account/sign-in.md). */
import type { Browser } from '#account/entering'
import { pauseMs } from '#account/phones'
import { networkOf, type PersonAttempt, siteOf } from '#account/sign-in'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Whoever sends a request of a sign-in. */
export interface Visitor {
  email: string
  browser: Browser
  /** Whether the person with the address has signed in by this browser before. */
  isKnown: boolean
}

export const networkOfBrowser = ({ address }: Browser): string => networkOf(address)

/**
 * Limits an IPv6 site (/48), whose many networks would otherwise use up the server's count and keep everybody else out.
 */
function siteLimit(kind: string, { address }: Browser, max: number, windowMs: number): PersonAttempt[] {
  const site = siteOf(address)
  return site === networkOf(address) ? [] : [{ kind, of: site, max, windowMs }]
}

/** How many attempts of a network in a window are counted apart from those of busy ones. */
const quietAttempts = 3

/**
 * Limits the whole server. The first attempts of each network have places of their own: fifteen networks that try all the time use up the shared ones,
 * and keep nobody out who comes from elsewhere.
 */
const serverLimit = (
  kind: string,
  { max, quiet }: { max: number; quiet: number },
  windowMs: number,
): PersonAttempt => ({
  ...{ kind, of: '', max, windowMs },
  quiet: { kind: `${kind}_quiet`, max: quiet, upTo: quietAttempts },
})

const nameOf = ({ hash }: Browser): string => hash.toString('base64')

/**
 * Passwords. A browser by which the person has signed in before is counted by itself, so that whoever guesses elsewhere cannot lock the person out
 * there. Mobile networks put thousands of people behind one address.
 */
export function passwordAttempts({ email, browser, isKnown }: Visitor): PersonAttempt[] {
  if (isKnown)
    return [{ kind: 'known_browser', of: `${email} ${nameOf(browser)}`, max: 20, windowMs: 15 * minuteMs }]
  const network = networkOfBrowser(browser)
  return [
    ...siteLimit('site', browser, 600, 15 * minuteMs),
    { kind: 'network', of: network, max: 200, windowMs: 15 * minuteMs },
    serverLimit('server', { max: 3_000, quiet: 9_000 }, 15 * minuteMs),
    { kind: 'address', of: email, max: 50, windowMs: 15 * minuteMs },
    { kind: 'address_network', of: `${email} ${network}`, max: 10, windowMs: 15 * minuteMs },
  ]
}

/**
 * Requests for mails with a code or a link. A network is refused for its own requests alone: what others request for the same address keeps nobody out,
 * and tells nobody whether it has a person. How many letters go to the address is bounded by the letters (`LetterBudget`).
 */
export function mailRequests({ email, browser, isKnown }: Visitor): PersonAttempt[] {
  const of = networkOfBrowser(browser)
  const network = { kind: 'mail_network', of, max: 60, windowMs: hourMs }
  const ofAddress = { kind: 'mail_address_network', of: `${email} ${of}`, max: 3, windowMs: hourMs }
  return isKnown ? [network] : [network, ofAddress]
}

/** Whoever asks for a code by SMS. */
export interface Caller {
  /** The number has the form of E.164. */
  number: string
  browser: Browser
  /** Whether the person with the number has signed in by this browser before. */
  isKnown: boolean
}

/**
 * Requests for codes by SMS, each of which costs money. As with mails a network is refused for its own requests alone; how many messages go to the number,
 * and on a day, is bounded by the messages (`account/phones`).
 */
export function textRequests({ number, browser, isKnown }: Caller): PersonAttempt[] {
  const of = networkOfBrowser(browser)
  const pause = (who: string) => ({ kind: 'text_pause', of: `${number} ${who}`, max: 1, windowMs: pauseMs })
  if (isKnown) return [pause(nameOf(browser))]
  return [
    ...siteLimit('text_site', browser, 60, hourMs),
    { kind: 'text_network', of, max: 20, windowMs: hourMs },
    pause(of),
  ]
}

/** Numbers that a person wants to add. */
export const newNumbers = (personId: string): PersonAttempt[] => [
  { kind: 'new_number_day', of: personId, max: 10, windowMs: 24 * hourMs },
  { kind: 'new_number', of: personId, max: 5, windowMs: hourMs },
]

/** Entries of codes and links; each code allows five by itself. */
export const entries = (browser: Browser): PersonAttempt[] => [
  { kind: 'entry_network', of: networkOfBrowser(browser), max: 200, windowMs: 15 * minuteMs },
]

export const signUps = (browser: Browser): PersonAttempt[] => [
  ...siteLimit('sign_up_site', browser, 200, hourMs),
  { kind: 'sign_up_network', of: networkOfBrowser(browser), max: 30, windowMs: hourMs },
  serverLimit('sign_up_server', { max: 1_000, quiet: 1_000 }, hourMs),
]

/**
 * Sign-ups with one address, counted once they are permitted: who signs up with it uses up few of its letters, whoever they are. Whoever has an
 * invitation to it is counted apart.
 */
export const signUpsOf = (email: string, isInvited: boolean): PersonAttempt[] => [
  { kind: isInvited ? 'sign_up_invited' : 'sign_up_address', of: email, max: 3, windowMs: hourMs },
]

/**
 * Second factors. Three of a million codes are right at a moment, so a hundred attempts a day find one in nine years. Who knows the password and
 * guesses codes cannot lock the person out of known browsers.
 */
export function factorAttempts(
  { personId, isKnown }: { personId: string; isKnown: boolean },
  browser: Browser,
): PersonAttempt[] {
  if (isKnown)
    return [{ kind: 'factor_browser', of: `${personId} ${nameOf(browser)}`, max: 50, windowMs: 24 * hourMs }]
  const ofNetwork = `${personId} ${networkOfBrowser(browser)}`
  return [
    { kind: 'factor', of: personId, max: 100, windowMs: 24 * hourMs },
    { kind: 'factor_network', of: ofNetwork, max: 10, windowMs: 15 * minuteMs },
  ]
}

/** Codes that are tried for one first factor; then it has to be given again. */
export const ofChallenge = (hash: Buffer): PersonAttempt => ({
  kind: 'challenge',
  of: hash.toString('base64'),
  max: 5,
  windowMs: 15 * minuteMs,
})

/** Factors that are given again in an open session. */
export const stepUps = (sessionId: string): PersonAttempt[] => [
  { kind: 'step_up', of: sessionId, max: 10, windowMs: 15 * minuteMs },
]

/** Changes of password and address by one person. */
export const ownChanges = (personId: string): PersonAttempt[] => [
  { kind: 'own_change', of: personId, max: 20, windowMs: hourMs },
]
