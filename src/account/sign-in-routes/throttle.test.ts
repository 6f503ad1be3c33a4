import { expect, test } from 'vitest'
import { passwordAttempts, signUps } from './throttle.ts'

const browserAt = (address: string) => ({ hash: Buffer.from(address), userAgent: undefined, address })
const [first, second, other] = ['2001:db8:7:1::5', '2001:db8:7:2::5', '2001:db8:8:1::5'].map(browserAt)

test.each([
  [
    'passwords',
    'site',
    (browser: typeof first) => passwordAttempts({ email: 'a@b.org', browser: browser!, isKnown: false }),
  ],
  ['sign-ups', 'sign_up_site', (browser: typeof first) => signUps(browser!)],
])(
  '%s of an IPv6 site (/48) are bounded before those of the server, and so are those of a network',
  (_, kind, attemptsOf) => {
    const siteOf = (browser: typeof first) => attemptsOf(browser).find((attempt) => attempt.kind === kind)
    expect(siteOf(first)).toEqual(siteOf(second))
    expect(siteOf(other)!.of).not.toBe(siteOf(first)!.of)
    const all = attemptsOf(first)
    const server = all.findIndex(({ kind }) => kind.endsWith('server'))
    const before = all.slice(0, server)
    expect(before.map(({ kind }) => kind.replace('sign_up_', ''))).toEqual(['site', 'network'])
    for (const { max } of before) expect(max).toBeLessThan(all[server]!.max / 4)
    // Hundreds of networks are needed before those who try seldom are kept out.
    const { max, upTo } = all[server]!.quiet!
    expect(max / upTo).toBeGreaterThan(300)
    // Those of an IPv4 address have no site.
    expect(attemptsOf(browserAt('192.0.2.1')).map(({ kind }) => kind)).not.toContain(kind)
  },
)
